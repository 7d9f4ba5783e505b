//! How many a semaphore can count, as far as a program says so.
//!
//! Where each post comes behind a wait for the same semaphore in the same call of a function, which has not been posted for yet, a
//! semaphore never counts more than it was initialised with: each post gives back what its own call took.
//!
//! Guarantee: a semaphore with a bound counts at most so many whenever no function of the module runs, if it began with no more, and
//! nobody outside of the module posts. A pointer that is loaded twice in a function counts as one semaphore's.
//! Knows nothing of heaps.

use crate::{Callee, Function, GlobalId, Module, Op, Operand, Reg, TypeId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where a semaphore stands: in a record, at this byte, or in a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum SemaphorePlace {
    Member(TypeId, u64),
    Global(GlobalId, u64),
}

/// The most that semaphores count; none where nothing bounds it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Semaphores {
    most: BTreeMap<SemaphorePlace, Option<u32>>,
}

/// What a semaphore counts that nothing in the module initialises: it is a lock.
const OF_LOCK: u32 = 1;

impl Semaphores {
    pub fn of(module: &Module) -> Self {
        // Where it is called through a pointer, nobody sees for which semaphore.
        let is_hidden =
            |function: &Function| function.address_taken && ["sem_post", "sem_init"].contains(&&*function.name);
        let mut found = Found { unknown: module.functions.iter().any(is_hidden), ..Found::default() };
        for function in module.functions.iter().filter(|function| !function.is_declaration()) {
            Use { module, function, definitions: definitions(function) }.find(&mut found);
        }
        let Found { places, posted, initial, unknown } = found;
        let most = |place| match initial.get(&place) {
            _ if unknown || posted.contains(&place) => None,
            Some(&number) => number,
            None => Some(OF_LOCK),
        };
        Semaphores { most: places.into_iter().map(|place| (place, most(place))).collect() }
    }

    /// All places that the module waits or posts at.
    pub fn bounds(&self) -> impl Iterator<Item = (SemaphorePlace, Option<u32>)> + '_ {
        self.most.iter().map(|(&place, &most)| (place, most))
    }
}

/// What all functions do with semaphores.
#[derive(Default)]
struct Found {
    places: BTreeSet<SemaphorePlace>,
    /// Those of which a post may come without a wait before it.
    posted: BTreeSet<SemaphorePlace>,
    /// What they are initialised with, the most; none where that is no constant.
    initial: BTreeMap<SemaphorePlace, Option<u32>>,
    /// A semaphore that cannot be told is posted or initialised.
    unknown: bool,
}

/// An address as a function computes it: equal ones lead to one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Address {
    Operand(Operand),
    Offset(Box<Address>, i64, Vec<(Address, i64)>),
    Converted(Box<Address>),
    Loaded(Box<Address>),
}

/// How deep computations of addresses are looked into.
const DEEPEST: u32 = 8;

struct Use<'m> {
    module: &'m Module,
    function: &'m Function,
    definitions: HashMap<Reg, &'m Op>,
}

fn definitions(function: &Function) -> HashMap<Reg, &Op> {
    let ops = function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
    ops.flat_map(|op| op.dests().map(move |dest| (dest, op))).collect()
}

/// What was waited for and has not been posted yet, on all ways here; none where no way comes here yet.
type Held = Option<HashMap<Address, u32>>;

impl Use<'_> {
    fn find(&self, found: &mut Found) {
        let blocks = &self.function.blocks;
        let mut entries: Vec<Held> = vec![None; blocks.len()];
        entries[0] = Some(HashMap::new());
        // Numbers only go down, so this ends.
        let mut pending = vec![0];
        while let Some(index) = pending.pop() {
            let Some(mut held) = entries[index].clone() else { continue };
            for inst in &blocks[index].insts {
                self.instruction(&inst.op, &mut held, found);
            }
            for edge in blocks[index].terminator.edges() {
                let entry = &mut entries[edge.target.index()];
                let merged = match &*entry {
                    None => held.clone(),
                    Some(known) => {
                        let least = |(address, &count): (&Address, &u32)| {
                            let here = held.get(address).copied().unwrap_or(0).min(count);
                            (here > 0).then(|| (address.clone(), here))
                        };
                        known.iter().filter_map(least).collect()
                    }
                };
                if entry.as_ref() != Some(&merged) {
                    *entry = Some(merged);
                    pending.push(edge.target.index());
                }
            }
        }
    }

    fn instruction(&self, op: &Op, held: &mut HashMap<Address, u32>, found: &mut Found) {
        /// More than a function has waits in a row.
        const MOST_HELD: u32 = 16;
        let Op::Call { callee: Callee::Direct(callee), args, .. } = op else { return };
        let callee = &self.module[*callee];
        let (true, Some(first)) = (callee.is_declaration(), args.first()) else { return };
        let (address, place) = (self.address(first.value, 0), self.place(first.value));
        match callee.name.as_str() {
            "sem_wait" => {
                found.places.extend(place);
                let count = held.entry(address).or_default();
                *count = (*count + 1).min(MOST_HELD);
            }
            "sem_trywait" | "sem_timedwait" | "sem_clockwait" | "sem_getvalue" => found.places.extend(place),
            "sem_post" => {
                found.places.extend(place);
                match held.get_mut(&address).filter(|count| **count > 0) {
                    Some(count) => *count -= 1,
                    None => {
                        found.unknown |= place.is_none();
                        found.posted.extend(place);
                    }
                }
            }
            "sem_init" => {
                let number = match args.get(2).map(|arg| arg.value) {
                    Some(Operand::Int(number)) => u32::try_from(number).ok(),
                    _ => None,
                };
                let Some(place) = place else {
                    found.unknown = true;
                    return;
                };
                found.places.insert(place);
                let known = found.initial.entry(place).or_insert(number);
                *known = known.zip(number).map(|(one, other)| one.max(other));
            }
            _ => {}
        }
    }

    /// Where an address leads; none where that cannot be told, or to one of several.
    fn place(&self, operand: Operand) -> Option<SemaphorePlace> {
        match operand {
            Operand::Global(id, offset) => Some(SemaphorePlace::Global(id, u64::try_from(offset).ok()?)),
            Operand::Reg(reg) => match self.definitions.get(&reg)? {
                Op::Offset { base, constant, within, .. } => match within {
                    Some(record) => Some(SemaphorePlace::Member(*record, u64::try_from(*constant).ok()?)),
                    // An element of an array.
                    None => match self.place(*base)? {
                        SemaphorePlace::Member(record, at) => {
                            Some(SemaphorePlace::Member(record, at.checked_add_signed(*constant)?))
                        }
                        SemaphorePlace::Global(id, at) => {
                            Some(SemaphorePlace::Global(id, at.checked_add_signed(*constant)?))
                        }
                    },
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn address(&self, operand: Operand, depth: u32) -> Address {
        let definition = match operand {
            Operand::Reg(reg) if depth < DEEPEST => self.definitions.get(&reg),
            _ => None,
        };
        let inner = |operand: Operand| self.address(operand, depth + 1);
        match definition {
            Some(Op::Offset { base, constant, indices, .. }) => {
                let indices = indices.iter().map(|index| (inner(index.index), index.scale)).collect();
                Address::Offset(Box::new(inner(*base)), *constant, indices)
            }
            Some(Op::Cast { value, .. }) => Address::Converted(Box::new(inner(*value))),
            Some(Op::Load { address, .. }) => Address::Loaded(Box::new(inner(*address))),
            _ => Address::Operand(operand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Semaphores;
    use crate::{Module, text, verify};

    /// A record of two semaphores, and a variable that is one.
    const TYPES: &str = "T0 = void\nT1 = signed int 4\nT2 = union m 32 { 0 v: T1 }\nT3 = typedef sem_t T2\n\
                         T4 = struct pair 64 { 0 full: T3, 32 empty: T3 }\nT5 = ptr T4\n\
                         global g0 lock: 32 align 8 T3 = zero\n";
    const PARTS: &str = "  %2: ptr(T3) = offset %0 + 0 \"->full\" within T4\n  \
                         %3: ptr(T3) = offset %0 + 32 \"->empty\" within T4\n  \
                         %4: ptr(T3) = offset %1 + 0 \"->full\" within T4\n";

    /// The bounds of what a function's body leaves bounded.
    fn bounds(body: &str) -> Vec<u32> {
        bounds_where("", body)
    }

    /// The same, where `sem_post` is declared with this property.
    fn bounds_where(property: &str, body: &str) -> Vec<u32> {
        let declared = |id: u32, name: &str| match name {
            "sem_post" => format!("fn f{id} {name}(%0: ptr) external{property}\n"),
            _ => format!("fn f{id} {name}(%0: ptr) external\n"),
        };
        let text = format!(
            "{TYPES}fn f0 f(%0 p: ptr(T4), %1 q: ptr(T4), %5: i1, %6: i32) external {{\nb0:\n{PARTS}{body}}}\n{}{}{}\
             fn f4 sem_init(%0: ptr, %1: i32, %2: i32) external\n",
            declared(1, "sem_wait"),
            declared(2, "sem_post"),
            declared(3, "sem_trywait"),
        );
        let module: Module = text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
        Semaphores::of(&module).bounds().filter_map(|(_, most)| most).collect()
    }

    fn straight(steps: &[&str]) -> Vec<u32> {
        let call = |step: &&str| {
            let (how, at) = step.split_once(' ').expect("what, and of which");
            match how {
                "wait" => format!("  call f1:sem_wait(ptr {at})\n"),
                "post" => format!("  call f2:sem_post(ptr {at})\n"),
                "try" => format!("  call f3:sem_trywait(ptr {at})\n"),
                number => format!("  call f4:sem_init(ptr {at}, i32 0, i32 {number})\n"),
            }
        };
        bounds(&format!("{}  return\n", steps.iter().map(call).collect::<String>()))
    }

    #[test]
    fn what_is_taken_is_given_back() {
        assert_eq!(straight(&["wait %2", "post %2"]), [1]);
        assert_eq!(straight(&["3 %2", "wait %2", "post %2"]), [3]);
        assert_eq!(straight(&["3 %2", "4 %2", "wait %2"]), [4]);
        assert_eq!(straight(&["wait g0:lock", "post g0:lock", "wait %3"]), [1, 1]);
        assert_eq!(straight(&["%6 %2", "wait %2", "post %2"]), [], "any number");
    }

    #[test]
    fn what_is_posted_for_others_has_no_bound() {
        assert_eq!(straight(&["wait %2", "post %3"]), [1], "the one that is only waited for has");
        assert_eq!(straight(&["post %2", "wait %2"]), []);
        assert_eq!(straight(&["wait %2", "post %2", "post %2"]), []);
        assert_eq!(straight(&["wait %2", "post %4"]), [], "of another record");
        assert_eq!(straight(&["try %2", "post %2"]), [], "it may not have been taken");
        assert_eq!(straight(&["wait %2", "post %0", "wait %3"]), [], "it may be any of them");
    }

    #[test]
    fn who_posts_by_a_pointer_to_the_function_posts_unseen() {
        let body = "  call f1:sem_wait(ptr %2)\n  call f2:sem_post(ptr %2)\n  return\n";
        assert_eq!(bounds_where("", body), [1]);
        assert_eq!(bounds_where(" address_taken", body), []);
    }

    #[test]
    fn all_ways_count() {
        let one = "  branch %5, b1, b2\nb1:\n  call f1:sem_wait(ptr %2)\n  jump b2\n";
        assert_eq!(bounds(&format!("{one}b2:\n  call f2:sem_post(ptr %2)\n  return\n")), []);
        let both = "  branch %5, b1, b2\nb1:\n  call f1:sem_wait(ptr %2)\n  jump b3\nb2:\n  call f1:sem_wait(ptr %2)\n  jump b3\n";
        assert_eq!(bounds(&format!("{both}b3:\n  call f2:sem_post(ptr %2)\n  return\n")), [1]);
        let round = "  call f1:sem_wait(ptr %2)\n  jump b1\nb1:\n  call f2:sem_post(ptr %2)\n  branch %5, b1, b2\nb2:\n  return\n";
        assert_eq!(bounds(round), []);
    }
}
