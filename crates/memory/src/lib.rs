//! The program's memory: objects, their bytes, and the initial heap that is decided while the program runs.
//!
//! A pointer is an object and an offset ([`Pointer`]), so bounds and lifetime are checked by identity, whatever the
//! addresses are. A pointer whose target is unknown is *lazy* ([`LazyId`]): nullness and target are decided when an
//! instruction needs them, and the decisions are the pointer-pointee relations of SSRD (section 2) and DSGEN (section 4.1).
//!
//! Guarantees: a fork is cheap (shared until written); reading initial memory never depends on the order of decisions;
//! the fingerprint covers every byte, and is updated for what changed only.
//! Not here: who may access what (`concurrency`), what an instruction does (`machine`).
//! Knows nothing of threads.

mod alloc;
mod contents;
mod facts;
mod field;
mod fingerprint;
mod initial;
mod names;
mod object;
mod own_locks;
mod shape;
mod space;
mod value;

pub use alloc::{Allocator, ArenaId, Stamp};
pub use contents::{Byte, Contents};
pub use facts::TypeFacts;
pub use field::{field, outside_of_lock, typed_block};
pub use fingerprint::{Fingerprint, Mixer};
pub use initial::member_path;
pub use names::Names;
pub use object::{Home, Life, Object, ObjectKind};
pub use shape::{
    Binding, HeapRules, InitialCell, InitialContent, InitialObject, LazyPointer, Limits, PointerPlace, Shape, Target,
    Territory, functions_of_type,
};
pub use space::{Epoch, Memory, Need};
pub use value::{LazyId, ObjId, Part, Pointer, Value};
