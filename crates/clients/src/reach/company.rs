//! Which owner an element goes with: what a client has passed along with one list it passes along with no other.
//!
//! An element is an object of a type that leads to others of its type, such as a node with links, and an owner what holds such a
//! structure, or a lock ([`memory::TypeFacts`]). A client that hangs an element into two lists has them change it under two locks, and
//! cannot be right. With [`memory::HeapRules::share_owners`] nothing is kept apart.

use super::takes::bases;
use explore::{ClientArgument, ClientCall, Root};
use ir::TypeId;
use machine::Program;
use std::collections::BTreeMap;

/// The owner of each type that a root goes with, both as roots.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Companies(BTreeMap<(usize, TypeId), usize>);

impl Companies {
    /// The places among `roots` of the owners that a root goes with.
    pub(super) fn of(&self, root: usize, roots: &[usize]) -> Vec<Option<usize>> {
        let owners = self.0.range((root, TypeId::new(0))..).take_while(|((of, _), _)| *of == root);
        owners.map(|(_, owner)| roots.iter().position(|root| root == owner)).collect()
    }
}

/// What there is to say of a client's calls.
#[derive(Clone, Copy)]
pub(super) struct Company<'a> {
    pub program: &'a Program,
    pub roots: &'a [Root],
    /// Nothing is kept apart.
    pub share_owners: bool,
}

impl Company<'_> {
    /// What goes with what after a call; none if an element would come to a second owner.
    pub(super) fn with(self, before: &Companies, call: &ClientCall) -> Option<Companies> {
        let mut after = before.clone();
        let owners = self.owners(call);
        for element in roots_of(call).filter(|&root| self.is_element(self.roots[root])) {
            for &(ty, owner) in &owners {
                let known = *after.0.entry((element, ty)).or_insert(owner);
                if known != owner {
                    return None;
                }
            }
        }
        Some(after)
    }

    /// What a call returns goes with what it was about.
    pub(super) fn after(self, company: &mut Companies, call: &ClientCall, (result, root): (usize, Root)) {
        if self.is_element(root) {
            company.0.extend(self.owners(call).into_iter().map(|(ty, owner)| ((result, ty), owner)));
        }
    }

    /// The owners that a call is about, by type; of two of a type nobody knows which one counts.
    fn owners(self, call: &ClientCall) -> Vec<(TypeId, usize)> {
        let Program { module, facts, .. } = self.program;
        let is_owner = |&root: &usize| bases(module, self.roots[root].ty).any(|ty| facts.is_owner(module, ty));
        let all: Vec<usize> = roots_of(call).filter(is_owner).collect();
        let is_only =
            |&root: &usize| all.iter().filter(|&&other| self.roots[other].ty == self.roots[root].ty).count() == 1;
        all.iter().copied().filter(is_only).map(|root| (self.roots[root].ty, root)).collect()
    }

    fn is_element(self, root: Root) -> bool {
        let Program { module, facts, .. } = self.program;
        !self.share_owners && bases(module, root.ty).any(|ty| facts.is_recursive(module, ty))
    }
}

fn roots_of(call: &ClientCall) -> impl Iterator<Item = usize> + '_ {
    call.arguments.iter().filter_map(|argument| match *argument {
        ClientArgument::Root(root) => Some(root),
        _ => None,
    })
}
