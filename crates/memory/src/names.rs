//! Canonical names of initial objects, for reports and for comparing shapes.
//!
//! Objects are numbered by breadth-first search from the roots and globals over decided pointers, fields in order of
//! their offsets: two heaps that differ only in the order of decisions get the same names.

use crate::initial::member_path;
use crate::{Binding, ObjId, PointerPlace, Shape};
use ir::Module;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

/// Names of the initial objects: `N1`, `N2`, ...; globals keep their own.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<ObjId, String>,
    order: Vec<ObjId>,
}

impl Names {
    pub fn new(shape: &Shape) -> Self {
        let mut names = Names::default();
        let mut queue: VecDeque<ObjId> = VecDeque::new();
        for object in shape.objects().iter().filter(|o| o.global) {
            names.names.insert(object.object, object.path.clone());
            names.order.push(object.object);
        }
        let reach = |names: &mut Names, queue: &mut VecDeque<ObjId>, object: ObjId| {
            if shape.object(object).is_none_or(|o| o.global) || names.names.contains_key(&object) {
                return;
            }
            let number = names.names.len() - shape.objects().iter().filter(|o| o.global).count() + 1;
            names.names.insert(object, format!("N{number}"));
            names.order.push(object);
            queue.push_back(object);
        };
        for &root in shape.roots() {
            if let Binding::Target(target) = shape.pointer(root).decision {
                reach(&mut names, &mut queue, target.object);
            }
        }
        queue.extend(shape.objects().iter().filter(|o| o.global).map(|o| o.object));
        while let Some(from) = queue.pop_front() {
            let mut out: Vec<(u64, ObjId)> = shape
                .pointers()
                .filter_map(|(_, p)| match (&p.place, p.decision) {
                    (PointerPlace::Cell { object, offset }, Binding::Target(t)) if *object == from => {
                        Some((*offset, t.object))
                    }
                    _ => None,
                })
                .collect();
            out.sort_unstable();
            for (_, to) in out {
                reach(&mut names, &mut queue, to);
            }
        }
        names
    }

    /// Takes other names, for readers who know the objects by those.
    pub fn rename(&mut self, names: impl IntoIterator<Item = (ObjId, String)>) {
        self.names.extend(names);
    }

    pub fn get(&self, object: ObjId) -> Option<&str> {
        self.names.get(&object).map(String::as_str)
    }

    /// Named objects, globals first, then in order of their numbers.
    pub fn order(&self) -> &[ObjId] {
        &self.order
    }

    /// A place in an initial object, as reports write it: `N1.next[0]`, `table.bucket[1].head`.
    pub fn place(&self, module: &Module, shape: &Shape, object: ObjId, offset: u64) -> Option<String> {
        let name = self.get(object)?;
        let initial = shape.object(object)?;
        let path = member_path(module, initial, offset);
        Some(match path.strip_prefix("->") {
            Some(field) => format!("{name}.{field}"),
            None => format!("{name}{path}"),
        })
    }

    /// The decided part of the heap as text, the same for isomorphic heaps: objects, then links.
    pub fn canonical(&self, module: &Module, shape: &Shape) -> String {
        let mut text = String::new();
        for &root in shape.roots() {
            let pointer = shape.pointer(root);
            let _ = writeln!(text, "{} = {}", pointer.path, self.target(module, shape, pointer.decision));
        }
        for &object in &self.order {
            let mut links: Vec<(u64, String)> = shape
                .pointers()
                .filter_map(|(_, p)| match p.place {
                    PointerPlace::Cell { object: from, offset } if from == object && p.decision != Binding::Open => {
                        Some((offset, self.target(module, shape, p.decision)))
                    }
                    _ => None,
                })
                .collect();
            links.sort();
            for (offset, target) in links {
                let place = self.place(module, shape, object, offset).unwrap_or_default();
                let _ = writeln!(text, "{place} = {target}");
            }
        }
        text
    }

    /// What a pointer was decided to be, as text.
    pub fn target(&self, module: &Module, shape: &Shape, decision: Binding) -> String {
        match decision {
            Binding::Open => "?".to_owned(),
            Binding::NonNull => "non-null".to_owned(),
            Binding::Tagged { tag, non_null } => format!("{} | {tag}", if non_null { "non-null" } else { "?" }),
            Binding::Null => "NULL".to_owned(),
            Binding::TaggedNull(tag) => format!("NULL | {tag}"),
            Binding::Target(t) if t.offset == 0 => {
                self.get(t.object).map_or_else(|| "function".to_owned(), str::to_owned)
            }
            Binding::Target(t) => {
                let place = self.place(module, shape, t.object, t.offset as u64);
                format!("&{}", place.unwrap_or_else(|| t.to_string()))
            }
        }
    }
}
