//! Which operations are looked at first where time is short: those that were written for several threads, and those that share variables.
//!
//! A library has many public functions, of which most have nothing to do with threads: accessors, strings, containers that callers keep
//! to themselves. Where one locks, waits or uses atomics, whatever it uses is meant to be shared; who uses that as well should do likewise.
//! A variable of static duration is shared by all who call, whatever they pass.
//!
//! Guarantee: nothing but the order in which combinations are explored, and how a time limit is divided among them, depends on it.

use ir::{Callee, CastKind, FuncId, Function, GlobalId, Op, Operand, Reg, TypeId};
use machine::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// Shares of the time: of combinations of which one synchronises and both use the same, of such that use the same variable, of others.
const SYNCHRONISED: u32 = 12;
const SHARED: u32 = 6;
pub(super) const OTHERS: u32 = 1;

/// What a function does, with all that it calls.
#[derive(Clone, Default)]
struct Touched {
    synchronises: bool,
    /// Variables of static duration, and whether they may be written.
    variables: FxHashMap<GlobalId, bool>,
    /// Structures of which members are used.
    records: FxHashSet<TypeId>,
}

/// A set of numbers.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(numbers: impl Iterator<Item = usize>) -> Self {
        let mut words: Vec<u64> = Vec::new();
        for number in numbers {
            if words.len() <= number / 64 {
                words.resize(number / 64 + 1, 0);
            }
            words[number / 64] |= 1 << (number % 64);
        }
        Bits(words)
    }

    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }
}

/// What an operation does that may be others' affair.
struct Known {
    synchronises: bool,
    used: Bits,
    written: Bits,
    /// Structures that somebody uses who synchronises.
    guarded: Bits,
}

/// What operations do, by function.
pub(super) struct Interest {
    known: FxHashMap<FuncId, Known>,
}

impl Interest {
    pub(super) fn new(program: &Program, operations: impl Iterator<Item = FuncId>) -> Self {
        let module = &program.module;
        let own: Vec<(Touched, Vec<FuncId>)> =
            module.functions.iter().map(|function| of_function(program, function)).collect();
        let mut touched: FxHashMap<FuncId, Touched> = FxHashMap::default();
        for operation in operations {
            touched.entry(operation).or_insert_with(|| closed(&own, operation));
        }
        let synchronising = touched.values().filter(|touched| touched.synchronises);
        let guarded: FxHashSet<TypeId> = synchronising.flat_map(|touched| touched.records.iter().copied()).collect();
        let known = |touched: &Touched| Known {
            synchronises: touched.synchronises,
            used: Bits::of(touched.variables.keys().map(|variable| variable.index())),
            written: Bits::of(touched.variables.iter().filter(|(_, written)| **written).map(|(id, _)| id.index())),
            guarded: Bits::of(touched.records.intersection(&guarded).map(|ty| ty.index())),
        };
        Interest { known: touched.iter().map(|(&function, touched)| (function, known(touched))).collect() }
    }

    /// How much more time a combination gets than others.
    pub(super) fn weight(&self, functions: impl Iterator<Item = FuncId>) -> u32 {
        let all: Vec<&Known> = functions.filter_map(|function| self.known.get(&function)).collect();
        let pairs = all.iter().enumerate().flat_map(|(at, one)| all[at + 1..].iter().map(move |other| (one, other)));
        pairs.map(|(one, other)| of_two(one, other)).max().unwrap_or(OTHERS)
    }
}

fn of_two(one: &Known, other: &Known) -> u32 {
    let shares = one.written.meets(&other.used) || one.used.meets(&other.written);
    match (one.synchronises || other.synchronises) && (shares || one.guarded.meets(&other.guarded)) {
        true => SYNCHRONISED,
        false if shares => SHARED,
        false => OTHERS,
    }
}

/// What a function and all that it may call do.
fn closed(own: &[(Touched, Vec<FuncId>)], first: FuncId) -> Touched {
    let (mut all, mut seen, mut open) = (Touched::default(), FxHashSet::default(), vec![first]);
    while let Some(function) = open.pop() {
        if !seen.insert(function) {
            continue;
        }
        let (touched, callees) = &own[function.index()];
        all.synchronises |= touched.synchronises;
        for (&variable, &writes) in &touched.variables {
            *all.variables.entry(variable).or_default() |= writes;
        }
        all.records.extend(&touched.records);
        open.extend(callees);
    }
    all
}

/// What a function does itself, and what it calls: by a pointer whatever takes as many arguments and has its address taken.
fn of_function(program: &Program, function: &Function) -> (Touched, Vec<FuncId>) {
    let module = &program.module;
    let (mut touched, mut callees) = (Touched::default(), Vec::new());
    if function.library || function.is_declaration() {
        return (touched, callees);
    }
    let mut leads: FxHashMap<Reg, GlobalId> = FxHashMap::default();
    for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
        let variable = |operand: Operand| match operand {
            Operand::Global(global, _) => Some(global),
            Operand::Reg(reg) => leads.get(&reg).copied(),
            _ => None,
        };
        touched.synchronises |= program.is_synchronisation(op);
        let (mut uses, mut writes) = (Vec::new(), None);
        match op {
            Op::Offset { dest, base, within, .. } => {
                let record = within.filter(|&ty| module.is_record(ty));
                touched.records.extend(record.map(|ty| program.facts.canonical(module, ty)));
                let known = variable(*base);
                leads.extend(known.map(|known| (*dest, known)));
            }
            Op::Cast { dest, kind: CastKind::Copy, value, .. } => {
                let known = variable(*value);
                leads.extend(known.map(|known| (*dest, known)));
            }
            Op::Load { address, .. } => uses.extend(variable(*address)),
            Op::Store { address, .. } | Op::AtomicRmw { address, .. } | Op::CompareExchange { address, .. } => {
                writes = variable(*address);
            }
            Op::MemCopy { to, from, .. } => {
                uses.extend(variable(*from));
                writes = variable(*to);
            }
            Op::MemSet { to, .. } => writes = variable(*to),
            Op::Call { callee, args, .. } => {
                if !program.is_synchronisation(op) {
                    args.iter().filter_map(|arg| variable(arg.value)).for_each(|passed| {
                        touched.variables.insert(passed, true);
                    });
                }
                match callee {
                    Callee::Direct(callee) => callees.push(*callee),
                    Callee::Indirect(_) => callees.extend(by_pointer(program, args.len())),
                }
            }
            _ => {}
        }
        for variable in uses.into_iter().chain(writes) {
            let is_written = writes == Some(variable);
            *touched.variables.entry(variable).or_default() |= is_written;
        }
    }
    let is_shared = |global: &GlobalId| {
        let global = &module[*global];
        !global.constant && !global.thread_local && !global.library
    };
    touched.variables.retain(|global, _| is_shared(global));
    (touched, callees)
}

fn by_pointer(program: &Program, arguments: usize) -> impl Iterator<Item = FuncId> {
    let fits = move |function: &Function| {
        function.address_taken && !function.library && !function.is_declaration() && function.params.len() == arguments
    };
    let all = program.module.functions.iter().enumerate();
    all.filter(move |(_, function)| fits(function)).map(|(index, _)| FuncId::new(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_synchronises_and_shares_comes_before_who_shares_before_who_does_neither() {
        let known = |synchronises, used: &[usize], written: &[usize], guarded: &[usize]| {
            let [used, written, guarded] = [used, written, guarded].map(|all| Bits::of(all.iter().copied()));
            Known { synchronises, used, written, guarded }
        };
        let locks = known(true, &[], &[], &[70]);
        let bare = known(false, &[], &[], &[70]);
        assert_eq!(
            [of_two(&locks, &bare), of_two(&bare, &locks), of_two(&bare, &bare)],
            [SYNCHRONISED, SYNCHRONISED, OTHERS]
        );
        let (writes, reads) = (known(false, &[3], &[3], &[]), known(false, &[3], &[], &[]));
        assert_eq!(
            [of_two(&writes, &reads), of_two(&reads, &writes), of_two(&reads, &reads)],
            [SHARED, SHARED, OTHERS]
        );
        assert_eq!(of_two(&locks, &writes), OTHERS, "they have nothing in common");
    }
}
