//! Objects: regions of storage with one lifetime (C11 6.2.4).

use crate::{Contents, Fingerprint};
use ir::{FuncId, GlobalId, TypeId};
use std::rc::Rc;

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    Global(GlobalId),
    /// Code: can be called, never read or written.
    Function(FuncId),
    Stack,
    Heap,
    /// Of the initial heap: existed before the operations began.
    Initial,
    /// What a variadic call passed.
    Arguments,
}

/// Whether an object may be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Life {
    Live,
    /// Handed to `free`.
    Freed,
    /// Automatic storage whose block was left.
    Ended,
}

/// Where an object is, of a program that has a device (CUDA C++ Programming Guide, 'Memory Hierarchy').
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Home {
    /// In the host's memory, which no device reaches.
    #[default]
    Host,
    /// In the device's, which the host only copies from and to.
    Device,
    /// In the device's heap, from which kernels allocate: the host does not copy from and to it, either ('Dynamic Global Memory Allocation
    /// and Operations').
    DeviceHeap,
    /// Nowhere that anybody is to access: a host's name of a variable of the device.
    Shadow,
    /// In memory that both access.
    Managed,
    /// In the host's memory, where the device reaches it.
    Pinned,
}

/// A region of storage, with one lifetime, an address of its own and what its bytes are.
#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    pub life: Life,
    pub home: Home,
    /// Address of the first byte; unique among live objects.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Declared type, or for an array of them the element's.
    pub ty: Option<TypeId>,
    /// May not be written (string literals, `const` objects).
    pub constant: bool,
    /// Raddle's C library uses it under a lock of its own: accesses race with nothing.
    pub guarded: bool,
    /// A pointer to it was stored, or passed to another thread, so that others may reach a local variable.
    pub escaped: bool,
    /// How many objects had the address before.
    pub lives_before: u32,
    /// What reports call it: a variable's name, or empty.
    pub name: Rc<str>,
    pub contents: Contents,
    /// Share of the memory's fingerprint; stale while the object is on the dirty list.
    pub(crate) fingerprint: Fingerprint,
    pub(crate) dirty: bool,
}

impl Object {
    /// A live, writable object.
    pub fn new(kind: ObjectKind, address: u64, ty: Option<TypeId>, name: &str, contents: Contents) -> Self {
        Object {
            kind,
            life: Life::Live,
            home: Home::Host,
            address,
            size: contents.len() as u64,
            ty,
            constant: false,
            guarded: false,
            escaped: false,
            lives_before: 0,
            name: name.into(),
            contents,
            fingerprint: Fingerprint::default(),
            dirty: false,
        }
    }

    /// Whether `size` bytes at `offset` lie inside.
    pub fn contains(&self, offset: i64, size: u64) -> bool {
        u64::try_from(offset).is_ok_and(|o| o.checked_add(size).is_some_and(|end| end <= self.size))
    }

    pub fn is_live(&self) -> bool {
        self.life == Life::Live
    }

    /// Whether it was a local variable of which only its own thread ever knew.
    pub fn ended_unknown(&self) -> bool {
        !self.is_live() && self.kind == ObjectKind::Stack && !self.escaped
    }
}
