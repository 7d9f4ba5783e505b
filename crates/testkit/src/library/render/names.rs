//! What things are called in C.

use super::{NODE_FIELDS, Writer};
use crate::library::ast::*;

impl Writer<'_> {
    /// The owner with what selects its members.
    pub(super) fn owner(&self, root: RootId) -> String {
        match self.library.roots {
            Roots::OwnerParam => "l->".to_owned(),
            _ => format!("g{}.", root.0),
        }
    }

    pub(super) fn place_name(&self, place: Place) -> String {
        match place {
            Place::Root(root) if self.library.roots.has_owner() => format!("{}head", self.owner(root)),
            Place::Root(root) => format!("head{}", root.0),
            Place::Field(node, link) => format!("{}->{}", node_name(node), self.link_name(link)),
        }
    }

    /// What stands at a place, without a flag.
    pub(super) fn read_name(&self, place: Place) -> String {
        match place {
            Place::Field(_, LinkId(0)) if self.library.flags() => format!("plain({})", self.place_name(place)),
            _ => self.place_name(place),
        }
    }

    pub(super) fn link_name(&self, link: LinkId) -> String {
        match self.library.flexible {
            true => format!("link[{}]", link.0),
            false => NODE_FIELDS[usize::from(link.0)].to_owned(),
        }
    }

    pub(super) fn lock_name(&self, lock: LockRef) -> String {
        match lock {
            LockRef::Root(root) if self.library.roots.has_owner() => format!("{}lock", self.owner(root)),
            LockRef::Root(root) => format!("lock{}", root.0),
            LockRef::Node(node) => format!("{}->lock", node_name(node)),
        }
    }

    pub(super) fn cond_variable(&self, root: RootId) -> String {
        match self.library.roots.has_owner() {
            true => format!("{}cond", self.owner(root)),
            false => format!("cond{}", root.0),
        }
    }

    pub(super) fn cond_name(&self, cond: Cond) -> String {
        let sign = |equal| if equal { "==" } else { "!=" };
        match cond {
            Cond::OwnerNull => "!l".to_owned(),
            Cond::Pointers { one, other: Node::Null, equal } => {
                format!("{}{}", if equal { "!" } else { "" }, node_name(one))
            }
            Cond::Pointers { one, other, equal } => {
                format!("{} {} {}", node_name(one), sign(equal), node_name(other))
            }
            Cond::PlaceIs { place, node, equal } => {
                format!("{} {} {}", self.read_name(place), sign(equal), node_name(node))
            }
            Cond::Key { node, int, equal } => format!("{}->key {} {}", node_name(node), sign(equal), int_name(int)),
            Cond::NodeAndKey { node, int, equal } => {
                format!("{0} && {0}->key {1} {2}", node_name(node), sign(equal), int_name(int))
            }
            Cond::Value { int, equal } => format!("v {} {}", sign(equal), int_name(int)),
            Cond::Marked => "m".to_owned(),
            Cond::Flagged { node, is } => {
                format!("{}is_flagged({}->next)", if is { "" } else { "!" }, node_name(node))
            }
            Cond::Exchanges { place, expected, new, exchanged } => {
                let [load, _, both] = order_names(self.library.strength);
                let (not, there, new) = (if exchanged { "" } else { "!" }, self.place_name(place), node_name(new));
                let expected = pointer_name(expected);
                format!("{not}__atomic_compare_exchange_n(&{there}, &{expected}, {new}, 0, {both}, {load})")
            }
            Cond::Takes { lock, timed: false } => format!("!pthread_mutex_trylock(&{})", self.lock_name(lock)),
            Cond::Takes { lock, timed: true } => {
                format!("!pthread_mutex_timedlock(&{}, &soon)", self.lock_name(lock))
            }
        }
    }
}

/// The orders of what reads, of what writes, and of what does both.
pub(super) fn order_names(strength: Strength) -> [&'static str; 3] {
    match strength {
        Strength::Relaxed => ["__ATOMIC_RELAXED"; 3],
        Strength::AcquireRelease => ["__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL"],
        Strength::Sequential => ["__ATOMIC_SEQ_CST"; 3],
    }
}

pub(super) fn pointer_name(pointer: Pointer) -> &'static str {
    ["p", "q", "t"][usize::from(pointer.0)]
}

pub(super) fn node_name(node: Node) -> &'static str {
    match node {
        Node::Null => "NULL",
        Node::Var(pointer) => pointer_name(pointer),
        Node::Param => "n",
        Node::Own => "o",
    }
}

pub(super) fn int_name(int: Int) -> String {
    match int {
        Int::K => "k".to_owned(),
        Int::V => "v".to_owned(),
        Int::Const(constant) => constant.to_string(),
    }
}
