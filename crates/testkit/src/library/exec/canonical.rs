//! One heap for all that differ in nothing but the numbers of nodes and of values.

use super::MAX_NODES;
use super::memory::{ABSENT, Life, Mark, Memory, NodeCell, Ptr, Value};
use crate::library::heaps;

impl Memory {
    /// The same heap with nodes numbered as they are come by, from these and then from the roots, and numbers from the
    /// first that is no constant as they are come by; without what nothing leads to. Those of the nodes that are live, as they are
    /// numbered then.
    pub(in crate::library) fn canonical(&self, held: &[u8], constants: u8) -> (Memory, Vec<u8>) {
        let mut walk = Renumbering { from: self, numbers: [None; MAX_NODES], order: Vec::new() };
        let live = held.iter().filter(|&&node| self.nodes[usize::from(node)].life == Life::Live);
        let held = live.map(|&node| walk.number(node)).collect();
        let Memory { heads, root_owners, owners, .. } = *self;
        let mut memory = Memory { heads, root_owners, owners, ..Memory::empty() };
        for head in &mut memory.heads {
            *head = walk.pointer(*head);
        }
        for owner in &mut memory.owners {
            if let Mark::Key(node) = owner.mark {
                owner.mark = Mark::Key(walk.number(node));
            }
        }
        let mut fresh: Vec<heaps::Code> = Vec::new();
        let mut at = 0;
        while at < walk.order.len() {
            let cell = self.nodes[usize::from(walk.order[at])];
            memory.nodes[at] = match cell.life {
                Life::Live => {
                    let key = match cell.key {
                        Value::Known(code) if code.0 >= constants => {
                            let number = fresh.iter().position(|&other| other == code).unwrap_or_else(|| {
                                fresh.push(code);
                                fresh.len() - 1
                            });
                            Value::Known(heaps::Code(constants + number as u8))
                        }
                        other => other,
                    };
                    NodeCell { key, links: cell.links.map(|link| walk.pointer(link)), ..cell }
                }
                Life::Freed | Life::Absent => NodeCell { life: cell.life, ..ABSENT },
            };
            at += 1;
        }
        (memory, held)
    }
}

/// Numbers nodes as they are come by.
struct Renumbering<'a> {
    from: &'a Memory,
    numbers: [Option<u8>; MAX_NODES],
    order: Vec<u8>,
}

impl Renumbering<'_> {
    fn number(&mut self, node: u8) -> u8 {
        let known = &mut self.numbers[usize::from(node)];
        *known.get_or_insert_with(|| {
            self.order.push(node);
            self.order.len() as u8 - 1
        })
    }

    fn pointer(&mut self, pointer: Ptr) -> Ptr {
        match pointer {
            Ptr::Node(node) if self.from.nodes[usize::from(node)].life != Life::Absent => Ptr::Node(self.number(node)),
            other => other,
        }
    }
}
