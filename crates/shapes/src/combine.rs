//! One heap on which several paths can be taken, each found by itself (SSRD 3.2 and DSGEN Algorithm 1, COMBINE, for two).
//!
//! They begin at the same roots, so what these lead to is one object in all, and what equal fields of one object lead
//! to is one object again: the integrated heap is the least such identification. Two paths that access one object (a
//! candidate for a race) have that identified as well.
//!
//! - A field that one path has not touched is as the other needs it (lines 7 to 11: a *union*).
//! - Fields that lead to different objects make these one (line 22). Where one side's relation is *forced*, since a
//!   comparison asked for it, the other's is moved there, with all that hangs on it (RESOLVE, line 26 on; DEPEND): an
//!   *adjustment*. So is that two objects of one path become one.
//! - Where both are forced (line 16) the paper gives up. Here they are identified like others: whether the paths can bear
//!   it is what [`Infeasible`] and the solver say.
//!
//! Guarantee: the conditions of the paths and the identifications imply each other's; a heap on which all paths can be
//! taken from these relations exists only if this succeeds and the conditions are satisfiable.
//! Not promised: that a path that writes through one of two pointers that have become one is still taken.

use crate::Demand;
use ir::Module;
use memory::{Binding, InitialContent, ObjId, Pointer, PointerPlace, Shape, TypeFacts};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use smt::TermId;
use std::collections::BTreeMap;

/// An object of one of the paths. What was there before any of them ran is the first's.
pub type Part = (usize, ObjId);

/// Where a pointer leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link<T> {
    Null,
    /// Not null; where to does not matter.
    Somewhere,
    /// What is no object of the initial heap: a function.
    Fixed(Pointer),
    /// So many bytes into an object.
    To(T, i64),
}

/// Why paths have no heap in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Infeasible {
    /// One needs a pointer to be null that the other follows.
    Null,
    /// One needs two objects to be different that would be one.
    Distinct,
    /// Objects of different types, or different places in them, would be one.
    Layout,
}

/// An object of the integrated heap.
#[derive(Clone, Debug, Default)]
pub struct DemandNode {
    /// By offset.
    pub links: BTreeMap<u64, Link<usize>>,
    /// The symbols that scalars of it have, by offset: any of those that are equal.
    pub cells: BTreeMap<u64, TermId>,
}

/// A heap for several paths.
#[derive(Clone, Debug, Default)]
pub struct Integrated {
    pub nodes: Vec<DemandNode>,
    /// Where parameters lead, in their order.
    pub roots: Vec<Option<Link<usize>>>,
    /// Objects that were there before any path.
    pub given: Vec<(ObjId, usize)>,
    /// What the objects of the paths have become.
    pub node_of: BTreeMap<Part, usize>,
    /// Symbols that stand for the same scalar.
    pub equal: Vec<(TermId, TermId)>,
    /// How often a relation was moved.
    pub adjustments: u64,
}

impl Integrated {
    /// No relation of any path was moved.
    pub fn is_union(&self) -> bool {
        self.adjustments == 0
    }
}

/// Integrates demands; `given` was there before any of the paths ran, `meet` are objects that have to be one.
///
/// # Errors
/// When no heap has all.
pub fn combine(
    (module, facts): (&Module, &TypeFacts),
    given: &Shape,
    demands: &[&Demand],
    meet: &[(Part, Part)],
) -> Result<Integrated, Infeasible> {
    let mut combine = Combine::new((module, facts), given, demands);
    combine.pending.extend_from_slice(meet);
    combine.roots(demands)?;
    while let Some((x, y)) = combine.pending.pop() {
        combine.identify(x, y)?;
    }
    for (side, demand) in demands.iter().enumerate() {
        for &(x, y) in &demand.distinct {
            let (x, y) = (combine.part(side, x), combine.part(side, y));
            if combine.find(x).is_some_and(|class| combine.find(y) == Some(class)) {
                return Err(Infeasible::Distinct);
            }
        }
    }
    Ok(combine.finish())
}

#[derive(Clone, Copy, Debug)]
struct Relation {
    to: Link<Part>,
    forced: bool,
}

/// Objects that have become one.
#[derive(Clone, Debug)]
struct Class {
    ty: ir::TypeId,
    /// Bytes.
    size: u64,
    /// How many objects of each path are in it.
    members: SmallVec<[u32; 2]>,
    relations: BTreeMap<u64, Relation>,
    /// Symbol and bytes, by offset.
    cells: BTreeMap<u64, (TermId, u8)>,
}

struct Combine<'a> {
    types: (&'a Module, &'a TypeFacts),
    /// How many paths there are.
    paths: usize,
    given: FxHashSet<ObjId>,
    /// The class that a part is in, or one that was merged into another.
    class_of: BTreeMap<Part, usize>,
    merged_into: Vec<usize>,
    classes: Vec<Class>,
    pending: Vec<(Part, Part)>,
    roots: Vec<Option<Relation>>,
    equal: Vec<(TermId, TermId)>,
    adjustments: u64,
}

impl<'a> Combine<'a> {
    fn new(types: (&'a Module, &'a TypeFacts), given: &Shape, demands: &[&Demand]) -> Self {
        let mut combine = Combine {
            types,
            paths: demands.len(),
            given: given.objects().iter().map(|object| object.object).collect(),
            class_of: BTreeMap::new(),
            merged_into: Vec::new(),
            classes: Vec::new(),
            pending: Vec::new(),
            roots: Vec::new(),
            equal: Vec::new(),
            adjustments: 0,
        };
        for (side, demand) in demands.iter().enumerate() {
            combine.add(side, demand);
        }
        combine
    }

    fn part(&self, side: usize, object: ObjId) -> Part {
        if self.given.contains(&object) { (0, object) } else { (side, object) }
    }

    fn add(&mut self, side: usize, demand: &Demand) {
        let mut classes: BTreeMap<ObjId, Class> = BTreeMap::new();
        for object in demand.shape.objects().iter().filter(|object| demand.replaced != Some(object.object)) {
            let mut members = smallvec![0; self.paths];
            members[side] = 1;
            let (module, facts) = self.types;
            let ty = facts.canonical(module, object.ty);
            let (relations, cells) = (BTreeMap::new(), BTreeMap::new());
            classes.insert(object.object, Class { ty, size: object.size, members, relations, cells });
        }
        for (id, pointer) in demand.shape.pointers() {
            if let PointerPlace::Cell { object, offset } = pointer.place
                && let Some(to) = self.link(side, demand, pointer.decision)
                && let Some(class) = classes.get_mut(&object)
            {
                class.relations.insert(offset, Relation { to, forced: demand.compared.contains(&id) });
            }
        }
        for ((object, offset), cell) in demand.shape.cells() {
            if let InitialContent::Symbol(symbol) = cell.content
                && let Some(class) = classes.get_mut(&object)
            {
                class.cells.insert(offset, (symbol, cell.size));
            }
        }
        for (object, class) in classes {
            let part = self.part(side, object);
            let index = self.classes.len();
            self.classes.push(class);
            self.merged_into.push(index);
            match self.class_of.get(&part) {
                // Another path's view of what was there before.
                Some(&other) => {
                    let twin = (side, object);
                    self.class_of.insert(twin, index);
                    debug_assert_ne!(other, index);
                    self.pending.push((part, twin));
                }
                None => drop(self.class_of.insert(part, index)),
            }
        }
    }

    fn link(&self, side: usize, demand: &Demand, decision: Binding) -> Option<Link<Part>> {
        Some(match decision {
            // What is known of a tag alone says nothing of where it leads.
            Binding::Open | Binding::Tagged { non_null: false, .. } | Binding::TaggedNull(_) => return None,
            Binding::Null => Link::Null,
            Binding::NonNull | Binding::Tagged { non_null: true, .. } => Link::Somewhere,
            Binding::Target(target) if demand.replaced == Some(target.object) => return None,
            Binding::Target(target) if demand.shape.object(target.object).is_none() => Link::Fixed(target),
            Binding::Target(target) => Link::To(self.part(side, target.object), target.offset),
        })
    }

    /// Parameters that paths have in common lead to the same.
    fn roots(&mut self, demands: &[&Demand]) -> Result<(), Infeasible> {
        for (side, demand) in demands.iter().enumerate() {
            for (index, &root) in demand.shape.roots().iter().enumerate() {
                if self.roots.len() <= index {
                    self.roots.push(None);
                }
                let Some(to) = self.link(side, demand, demand.shape.pointer(root).decision) else { continue };
                let relation = Relation { to, forced: demand.compared.contains(&root) };
                self.roots[index] = Some(match self.roots[index] {
                    Some(known) => self.both(known, relation)?,
                    None => relation,
                });
            }
        }
        Ok(())
    }

    /// The class that a part is in now; none for what is no object of the initial heap.
    fn find(&self, part: Part) -> Option<usize> {
        let mut class = *self.class_of.get(&part)?;
        while self.merged_into[class] != class {
            class = self.merged_into[class];
        }
        Some(class)
    }

    /// A relation that two paths, or two objects that become one, have to the same field.
    fn both(&mut self, x: Relation, y: Relation) -> Result<Relation, Infeasible> {
        let forced = x.forced || y.forced;
        let to = match (x.to, y.to) {
            (Link::Null, Link::Null) => Link::Null,
            (Link::Null, _) | (_, Link::Null) => return Err(Infeasible::Null),
            (Link::Somewhere, other) | (other, Link::Somewhere) => other,
            (Link::Fixed(p), Link::Fixed(q)) if p == q => Link::Fixed(p),
            (Link::Fixed(_), _) | (_, Link::Fixed(_)) => return Err(Infeasible::Layout),
            (Link::To(p, i), Link::To(q, j)) if i == j => {
                if self.find(p) != self.find(q) {
                    self.adjustments += u64::from(x.forced != y.forced);
                    self.pending.push((p, q));
                }
                Link::To(p, i)
            }
            (Link::To(..), Link::To(..)) => return Err(Infeasible::Layout),
        };
        Ok(Relation { to, forced })
    }

    fn identify(&mut self, x: Part, y: Part) -> Result<(), Infeasible> {
        let (Some(into), Some(from)) = (self.find(x), self.find(y)) else { return Err(Infeasible::Layout) };
        if into == from {
            return Ok(());
        }
        let Class { ty, size, members, relations, cells } = self.classes[from].clone();
        let class = &self.classes[into];
        if (class.ty, class.size) != (ty, size) {
            return Err(Infeasible::Layout);
        }
        self.merged_into[from] = into;
        for (mine, its) in self.classes[into].members.iter_mut().zip(members) {
            // Two objects of one path become one: what led to the one leads to the other.
            self.adjustments += u64::from((*mine).min(its));
            *mine += its;
        }
        for (offset, relation) in relations {
            let relation = match self.classes[into].relations.get(&offset).copied() {
                Some(known) => self.both(known, relation)?,
                None => relation,
            };
            self.classes[into].relations.insert(offset, relation);
        }
        for (offset, (symbol, bytes)) in cells {
            let (known, end) = (&mut self.classes[into].cells, offset + u64::from(bytes));
            match known.get(&offset) {
                Some(&(other, size)) if size == bytes => {
                    if other != symbol {
                        self.equal.push((other, symbol));
                    }
                }
                // The same bytes, read in other pieces.
                _ if known.range(..end).next_back().is_some_and(|(at, cell)| at + u64::from(cell.1) > offset) => {
                    return Err(Infeasible::Layout);
                }
                _ => drop(known.insert(offset, (symbol, bytes))),
            }
        }
        Ok(())
    }

    fn finish(self) -> Integrated {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for class in self.class_of.keys().filter_map(|&part| self.find(part)) {
            let next = numbers.len();
            numbers.entry(class).or_insert(next);
        }
        let link = |to: Link<Part>| match to {
            Link::Null => Link::Null,
            Link::Somewhere => Link::Somewhere,
            Link::Fixed(target) => Link::Fixed(target),
            Link::To(part, offset) => match self.find(part).and_then(|class| numbers.get(&class)) {
                Some(&node) => Link::To(node, offset),
                None => Link::Somewhere,
            },
        };
        let mut nodes = vec![DemandNode::default(); numbers.len()];
        for (&class, &number) in &numbers {
            let class = &self.classes[class];
            nodes[number].links =
                class.relations.iter().map(|(&offset, relation)| (offset, link(relation.to))).collect();
            nodes[number].cells = class.cells.iter().map(|(&offset, cell)| (offset, cell.0)).collect();
        }
        let node_of = self.class_of.keys().filter_map(|&part| Some((part, *numbers.get(&self.find(part)?)?)));
        let given = |&object: &ObjId| Some((object, *numbers.get(&self.find((0, object))?)?));
        Integrated {
            nodes,
            roots: self.roots.iter().map(|root| root.map(|relation| link(relation.to))).collect(),
            given: self.given.iter().filter_map(given).collect(),
            node_of: node_of.collect(),
            equal: self.equal,
            adjustments: self.adjustments,
        }
    }
}
