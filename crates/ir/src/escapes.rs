//! Which addresses a program gives away: of members of its records, and of its global variables.
//!
//! An address is followed through registers, arguments and results, in all orders of execution at once (Andersen 1994, without
//! what is in memory). It is given away where it is stored, where a function that others may call takes or returns it, and where
//! code goes that cannot be followed: through a pointer to a function, or into a library.
//!
//! Guarantee: memory of the program that is neither a record nor reached by arithmetic on numbers holds no address of a member
//! that is not among [`Escapes::members`], unless somebody outside of the module has put it there. No instruction of the module
//! writes a variable among [`Escapes::keeps`].
//! Knows nothing of heaps.

use crate::{
    Address, Callee, CastKind, DebugType, FuncId, Function, GlobalId, Init, Module, Op, Operand, Reg, Terminator,
    TypeId,
};
use std::collections::{BTreeSet, HashMap};

/// What addresses a program gives away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Escapes {
    /// Members of records, by the innermost record and the offset in it.
    members: BTreeSet<(TypeId, u64)>,
    /// Variables that no other translation unit knows, that nothing writes, and the address of which goes nowhere.
    keeps: BTreeSet<GlobalId>,
}

impl Escapes {
    pub fn of(module: &Module) -> Self {
        let mut flow = Flow::new(module);
        flow.close();
        flow.sinks();
        let is_kept = |&id: &GlobalId| {
            let global = &module[id];
            let known = !matches!(global.init, Init::External);
            known && !global.external && !global.thread_local && !flow.touched.contains(&id)
        };
        let keeps = module.globals().map(|(id, _)| id).filter(is_kept).collect();
        Escapes { members: flow.members, keeps }
    }

    /// Members of records whose address is given away, by the innermost record and the offset in it.
    pub fn members(&self) -> impl Iterator<Item = (TypeId, u64)> + '_ {
        self.members.iter().copied()
    }

    /// Variables that have their initial values at all times.
    pub fn keeps(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.keeps.iter().copied()
    }
}

/// An address that is followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// Of a member, by the innermost record and the offset in it.
    Member(TypeId, u64),
    /// In a variable.
    Global(GlobalId),
}

type Places = BTreeSet<Place>;

struct Flow<'m> {
    module: &'m Module,
    /// Where registers lead.
    registers: HashMap<(FuncId, Reg), Places>,
    /// Where results lead.
    results: HashMap<FuncId, Places>,
    members: BTreeSet<(TypeId, u64)>,
    /// Variables that are written, or given away.
    touched: BTreeSet<GlobalId>,
    changed: bool,
}

impl<'m> Flow<'m> {
    fn new(module: &'m Module) -> Self {
        Flow {
            module,
            registers: HashMap::new(),
            results: HashMap::new(),
            members: BTreeSet::new(),
            touched: BTreeSet::new(),
            changed: false,
        }
    }

    /// Follows all addresses as far as they go.
    fn close(&mut self) {
        loop {
            self.changed = false;
            for (id, function) in self.module.functions() {
                self.function(id, function);
            }
            if !self.changed {
                return;
            }
        }
    }

    fn function(&mut self, id: FuncId, function: &Function) {
        for block in &function.blocks {
            for inst in &block.insts {
                self.instruction(id, &inst.op);
            }
            for edge in block.terminator.edges() {
                for (&param, &arg) in function.block(edge.target).params.iter().zip(&edge.args) {
                    self.copy(id, arg, param);
                }
            }
            if let Terminator::Return { values } = &block.terminator {
                let all: Places = values.iter().flat_map(|&value| self.places(id, value)).collect();
                let known = self.results.entry(id).or_default();
                self.changed |= !all.is_subset(known);
                known.extend(all);
            }
        }
    }

    fn instruction(&mut self, id: FuncId, op: &Op) {
        match op {
            Op::Offset { dest, base, constant, within, .. } => {
                // A pointer to a member that is a record is none to what that begins with.
                let is_record = |ty| matches!(self.module[self.module.strip(ty)], DebugType::Record { .. });
                let to_record = self.module[id].register(*dest).points_to.is_some_and(is_record);
                let member = within.filter(|_| !to_record).zip(u64::try_from(*constant).ok());
                let member = member.and_then(|(record, offset)| self.module.member_at(record, offset));
                let places = self.places(id, *base).into_iter().filter(|place| match place {
                    Place::Global(_) => true,
                    // From a member to another, or along an array.
                    Place::Member(..) => member.is_none(),
                });
                let places = places.chain(member.map(|(record, offset)| Place::Member(record, offset))).collect();
                self.learn(id, *dest, places);
            }
            Op::Cast { dest, kind: CastKind::Copy | CastKind::PtrToInt | CastKind::IntToPtr, value, .. } => {
                self.copy(id, *value, *dest);
            }
            Op::Select { dest, if_true, if_false, .. } => {
                self.copy(id, *if_true, *dest);
                self.copy(id, *if_false, *dest);
            }
            // Bits of an address are masked, or a number of bytes is added to it.
            Op::Binary { dest, lhs, rhs, .. } => {
                self.copy(id, *lhs, *dest);
                self.copy(id, *rhs, *dest);
            }
            Op::Call { dests, callee: Callee::Direct(callee), args } => {
                let params = &self.module[*callee].params;
                for (param, arg) in params.iter().zip(args) {
                    let places = self.places(id, arg.value);
                    self.learn(*callee, param.reg, places);
                }
                let result = self.results.get(callee).cloned().unwrap_or_default();
                for &dest in dests {
                    self.learn(id, dest, result.clone());
                }
            }
            _ => {}
        }
    }

    fn copy(&mut self, id: FuncId, from: Operand, to: Reg) {
        let places = self.places(id, from);
        self.learn(id, to, places);
    }

    fn learn(&mut self, id: FuncId, register: Reg, places: Places) {
        if places.is_empty() {
            return;
        }
        let known = self.registers.entry((id, register)).or_default();
        self.changed |= !places.is_subset(known);
        known.extend(places);
    }

    fn places(&self, id: FuncId, operand: Operand) -> Places {
        match operand {
            Operand::Reg(register) => self.registers.get(&(id, register)).cloned().unwrap_or_default(),
            Operand::Global(global, offset) => {
                let ty = self.module[global].ty.zip(u64::try_from(offset).ok());
                let member = ty.and_then(|(ty, offset)| self.module.member_at(ty, offset));
                let member = member.map(|(record, offset)| Place::Member(record, offset));
                member.into_iter().chain([Place::Global(global)]).collect()
            }
            Operand::Int(_) | Operand::Wide(_) | Operand::Func(_) | Operand::Undef => Places::new(),
        }
    }

    /// Where addresses are given away, and what is written.
    fn sinks(&mut self) {
        for (id, function) in self.module.functions() {
            for block in &function.blocks {
                block.insts.iter().for_each(|inst| self.sink(id, &inst.op));
            }
            if may_be_called(function) {
                let result = self.results.get(&id).cloned().unwrap_or_default();
                self.give(&result);
                for param in &function.params {
                    let taken = self.places(id, Operand::Reg(param.reg));
                    self.give(&taken);
                }
            }
        }
        for global in &self.module.globals {
            let Init::Data { addresses, .. } = &global.init else { continue };
            for (_, address) in addresses {
                if let Address::Global(target, offset) = address {
                    let places = self.places(FuncId::new(0), Operand::Global(*target, *offset));
                    self.give(&places);
                }
            }
        }
    }

    fn sink(&mut self, id: FuncId, op: &Op) {
        let (written, given): (Vec<Operand>, Vec<Operand>) = match op {
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => (vec![*address], vec![*value]),
            Op::CompareExchange { address, new, .. } => (vec![*address], vec![*new]),
            Op::MemCopy { to, .. } | Op::MemSet { to, .. } => (vec![*to], Vec::new()),
            Op::VaStart { list } | Op::VaEnd { list } => (vec![*list], Vec::new()),
            Op::VaCopy { to, from } => (vec![*to, *from], Vec::new()),
            Op::Call { callee, args, .. } => {
                let known = match callee {
                    Callee::Direct(callee) => &self.module[*callee],
                    Callee::Indirect(_) => return args.iter().for_each(|arg| self.give(&self.places(id, arg.value))),
                };
                // What a callee with a body does with its parameters is seen there. The others are of libraries, which keep
                // no addresses that a client could pass on, but may write.
                let bodiless = known.is_declaration();
                let from = if bodiless { 0 } else { known.params.len() };
                let args = args.iter().skip(from).map(|arg| arg.value).collect();
                if bodiless { (args, Vec::new()) } else { (Vec::new(), args) }
            }
            _ => return,
        };
        for address in written {
            let globals = self.places(id, address).into_iter().filter_map(|place| match place {
                Place::Global(global) => Some(global),
                Place::Member(..) => None,
            });
            self.touched.extend(globals);
        }
        for value in given {
            self.give(&self.places(id, value));
        }
    }

    fn give(&mut self, places: &Places) {
        for place in places {
            match *place {
                Place::Member(record, offset) => _ = self.members.insert((record, offset)),
                Place::Global(global) => _ = self.touched.insert(global),
            }
        }
    }
}

/// Whether code that is not in the module may call the function, or code that cannot be followed.
fn may_be_called(function: &Function) -> bool {
    !function.library && (function.external || function.address_taken)
}

impl Module {
    /// The innermost record within `ty` that byte `offset` is in, and the offset there of the member that begins at it; arrays of
    /// records count as one element. `None` where no member begins.
    pub fn member_at(&self, ty: TypeId, offset: u64) -> Option<(TypeId, u64)> {
        let ty = self.strip(ty);
        match &self[ty] {
            DebugType::Array { of, .. } => {
                let size = self.size_of(*of).filter(|&size| size > 0)?;
                self.member_at(*of, offset % size)
            }
            DebugType::Record { fields, .. } => {
                let covers = |field: &&crate::Field| {
                    let size = self.size_of(field.ty).unwrap_or(0).max(1);
                    field.bits.is_none() && field.offset <= offset && offset - field.offset < size
                };
                let field = fields.iter().find(covers)?;
                match self[self.strip(field.ty)] {
                    DebugType::Record { .. } | DebugType::Array { .. } => {
                        self.member_at(field.ty, offset - field.offset).or(Some((ty, field.offset)))
                    }
                    _ => (field.offset == offset).then_some((ty, offset)),
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Escapes;
    use crate::{Module, text, verify};

    /// A record of two numbers, a pointer to numbers, and a variable of each kind.
    const TYPES: &str = "T0 = void\nT1 = signed int 4\nT2 = ptr T1\nT3 = struct pair 8 { 0 a: T1, 4 b: T1 }\nT4 = ptr T3\n\
                         global g0 kept: 4 align 4 T1 = zero\nglobal g1 place: 8 align 8 T2 = zero\n";

    /// What is given away, by offset, and how many variables keep their values.
    fn escapes(functions: &str) -> (Vec<u64>, usize) {
        let module: Module = text::parse(&format!("{TYPES}{functions}")).unwrap_or_else(|e| panic!("{e}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
        let escapes = Escapes::of(&module);
        (escapes.members().map(|(_, offset)| offset).collect(), escapes.keeps().count())
    }

    const MEMBER: &str = "%1: ptr(T1) = offset %0 + 4 \"->b\" within T3\n";

    #[test]
    fn what_is_only_used_is_not_given_away() {
        let body = format!("b0:\n  {MEMBER}  store i32 1, [%1]\n  %2: i32 = load i32 [%1]\n  return\n");
        assert_eq!(escapes(&format!("fn f0 f(%0 p: ptr(T3)) external {{\n{body}}}\n")), (vec![], 2));
    }

    #[test]
    fn what_is_stored_is_given_away() {
        let body = format!("b0:\n  {MEMBER}  store ptr %1, [g1:place]\n  return\n");
        assert_eq!(escapes(&format!("fn f0 f(%0 p: ptr(T3)) external {{\n{body}}}\n")), (vec![4], 1));
    }

    #[test]
    fn results_and_parameters_count_where_others_may_call() {
        let returns =
            |external: &str| format!("fn f0 f(%0 p: ptr(T3)) -> ptr {external} {{\nb0:\n  {MEMBER}  return %1\n}}\n");
        assert_eq!(escapes(&returns("external")), (vec![4], 2));
        assert_eq!(escapes(&returns("")), (vec![], 2));
        let passes = |external: &str| {
            let callee = format!("fn f1 g(%0 n: ptr(T1)) {external} {{\nb0:\n  return\n}}\n");
            format!("fn f0 f(%0 p: ptr(T3)) external {{\nb0:\n  {MEMBER}  call f1:g(ptr %1)\n  return\n}}\n{callee}")
        };
        assert_eq!(escapes(&passes("external")), (vec![4], 2));
        assert_eq!(escapes(&passes("")), (vec![], 2));
    }

    #[test]
    fn variables_keep_their_values_until_somebody_writes_them_or_may() {
        let function = |body: &str| format!("fn f0 f(%0 n: ptr(T1)) external {{\nb0:\n  {body}  return\n}}\n");
        assert_eq!(escapes(&function("%1: i32 = load i32 [g0:kept]\n")).1, 2);
        assert_eq!(escapes(&function("store i32 1, [g0:kept]\n")).1, 1);
        assert_eq!(escapes(&function("store ptr g0:kept, [%0]\n")).1, 1);
    }
}
