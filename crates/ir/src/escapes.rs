//! Which addresses a program gives away: of members of its records, and of its global variables; and in which bits of addresses it
//! keeps marks.
//!
//! An address is followed through registers, arguments and results, in all orders of execution at once (Andersen 1994, without
//! what is in memory). It is given away where it is stored, where a function that others may call takes or returns it, and where
//! code goes that cannot be followed: through a pointer to a function, or into a library.
//!
//! Guarantee: memory of the program that is neither a record nor reached by arithmetic on numbers holds no address of a member
//! that is not among [`Escapes::members`], unless somebody outside of the module has put it there, and no address of a variable
//! among [`Escapes::hidden`]. No instruction of the module writes a variable among [`Escapes::keeps`]. No instruction looks at one of
//! the four lowest bits of an address, made a number in the same function or its callers, that is not among [`Escapes::tags`], unless
//! none sets it.
//! Knows nothing of heaps.

mod marks;

pub use marks::Marked;

use crate::{
    Address, BinaryOp, Callee, CastKind, DebugType, FuncId, Function, Global, GlobalId, Init, Module, Op, Operand, Reg,
    Terminator, Ty, TypeId,
};
use marks::{Stored, addresses};
use std::collections::{BTreeSet, HashMap};

/// What addresses a program gives away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Escapes {
    /// Members of records, by the innermost record and the offset in it.
    members: BTreeSet<(TypeId, u64)>,
    /// Some member that is no byte is given away as bytes.
    bytes: bool,
    /// Variables that no other translation unit knows, that nothing writes, and the address of which goes nowhere.
    keeps: BTreeSet<GlobalId>,
    /// Variables that no other translation unit knows, and the address of which goes nowhere but to accesses and into functions that
    /// synchronise.
    hidden: BTreeSet<GlobalId>,
    /// The lowest bits of addresses that the program both sets and looks at.
    tags: u8,
    marked: Marked,
}

impl Escapes {
    pub fn of(module: &Module) -> Self {
        let mut flow = Flow::new(module);
        flow.close();
        flow.marks();
        flow.close();
        flow.sinks();
        let own = || {
            let is_own = |global: &Global| !matches!(global.init, Init::External) && !global.external;
            module.globals().filter(move |(_, global)| is_own(global) && !global.thread_local).map(|(id, _)| id)
        };
        let keeps = own().filter(|id| !flow.touched.contains(id)).collect();
        let hidden = own().filter(|id| !flow.known.contains(id)).collect();
        Escapes {
            members: flow.members,
            bytes: flow.bytes,
            keeps,
            hidden,
            tags: flow.set & flow.looked_at,
            marked: flow.marked,
        }
    }

    /// Where addresses with marks may be stored.
    pub fn marked(&self) -> &Marked {
        &self.marked
    }

    /// Those of the four lowest bits of addresses that the program both sets and looks at.
    pub fn tags(&self) -> u8 {
        self.tags
    }

    /// Members of records whose address is given away, by the innermost record and the offset in it.
    pub fn members(&self) -> impl Iterator<Item = (TypeId, u64)> + '_ {
        self.members.iter().copied()
    }

    /// Whether the program gives the address of a member that is no byte away as one of bytes.
    pub fn bytes(&self) -> bool {
        self.bytes
    }

    /// Variables that have their initial values at all times.
    pub fn keeps(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.keeps.iter().copied()
    }

    /// Variables that no pointer leads to but those that the code makes for an access.
    pub fn hidden(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.hidden.iter().copied()
    }
}

/// An address that is followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// Of a member, by the innermost record and the offset in it.
    Member(TypeId, u64),
    /// Of a record, where it begins.
    Record(TypeId),
    /// In a variable.
    Global(GlobalId),
    /// Any, as a number.
    Number,
    /// Any, perhaps with a mark in its lowest bits.
    Marked,
}

type Places = BTreeSet<Place>;

struct Flow<'m> {
    module: &'m Module,
    /// What registers are computed to lead to that are the address of something by name.
    addresses: HashMap<(FuncId, Reg), Stored>,
    /// Where registers lead.
    registers: HashMap<(FuncId, Reg), Places>,
    /// Where results lead.
    results: HashMap<FuncId, Places>,
    members: BTreeSet<(TypeId, u64)>,
    bytes: bool,
    /// Variables that are written, or given away.
    touched: BTreeSet<GlobalId>,
    /// Variables that are given away, to libraries too.
    known: BTreeSet<GlobalId>,
    /// Of the four lowest bits of addresses those that are set.
    set: u8,
    /// Those that are looked at by themselves.
    looked_at: u8,
    marked: Marked,
    /// Whether some variable of a function holds an address with a mark.
    marked_locals: bool,
    changed: bool,
}

impl<'m> Flow<'m> {
    fn new(module: &'m Module) -> Self {
        Flow {
            module,
            addresses: addresses(module),
            registers: HashMap::new(),
            results: HashMap::new(),
            members: BTreeSet::new(),
            bytes: false,
            touched: BTreeSet::new(),
            known: BTreeSet::new(),
            set: 0,
            looked_at: 0,
            marked: Marked::default(),
            marked_locals: false,
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
            Op::Offset { dest, base, constant, within, .. } => self.offset(id, *base, *constant, *within, *dest),
            Op::Cast { dest, kind, value, .. } => {
                match kind {
                    CastKind::PtrToInt => self.learn(id, *dest, [Place::Number].into()),
                    CastKind::Copy | CastKind::IntToPtr => {}
                    // Of its lowest bits.
                    CastKind::Truncate if self.places(id, *value).contains(&Place::Number) => {
                        self.learn(id, *dest, [Place::Number].into());
                        return;
                    }
                    _ => return,
                }
                self.copy(id, *value, *dest);
            }
            Op::Select { dest, if_true, if_false, .. } => {
                self.copy(id, *if_true, *dest);
                self.copy(id, *if_false, *dest);
            }
            Op::Binary { dest, op, lhs, rhs, .. } => self.binary(id, *op, [*lhs, *rhs], *dest),
            Op::Load { dest, address, .. } if self.holds_mark(id, *address) => {
                self.learn(id, *dest, [Place::Marked].into());
            }
            Op::Store { address, value, .. } if self.places(id, *value).contains(&Place::Marked) => {
                self.store_mark(id, *address);
            }
            Op::AtomicRmw { dest, address, value, .. } => {
                if self.places(id, *value).contains(&Place::Marked) {
                    self.store_mark(id, *address);
                }
                if self.holds_mark(id, *address) {
                    self.learn(id, *dest, [Place::Marked].into());
                }
            }
            Op::CompareExchange { old, address, new, .. } => {
                if self.places(id, *new).contains(&Place::Marked) {
                    self.store_mark(id, *address);
                }
                if self.holds_mark(id, *address) {
                    self.learn(id, *old, [Place::Marked].into());
                }
            }
            // Whoever is called may return what it is given, and what it finds.
            Op::Call { dests, callee: Callee::Indirect(_), .. } if self.marks_something() => {
                for &dest in dests {
                    self.learn(id, dest, [Place::Marked].into());
                }
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

    fn offset(&mut self, id: FuncId, base: Operand, constant: i64, within: Option<TypeId>, dest: Reg) {
        // A pointer to a member that is a record is none to what that begins with.
        let to_record = self.module[id].register(dest).points_to.is_some_and(|ty| self.module.is_record(ty));
        let member = within.filter(|_| !to_record).zip(u64::try_from(constant).ok());
        let member = member.and_then(|(record, offset)| self.module.member_at(record, offset));
        let places = self.places(id, base).into_iter().filter(|place| match place {
            Place::Global(_) | Place::Number | Place::Marked => true,
            // From a member to another, or along an array.
            Place::Member(..) => member.is_none(),
            Place::Record(_) => false,
        });
        let places = places.chain(member.map(|(record, offset)| Place::Member(record, offset))).collect();
        self.learn(id, dest, places);
    }

    /// Bits of an address are masked, or a number of bytes is added to it.
    fn binary(&mut self, id: FuncId, op: BinaryOp, operands: [Operand; 2], dest: Reg) {
        let mut places: Places = operands.iter().flat_map(|operand| self.places(id, *operand)).collect();
        let set = u64::from(self.set);
        let clears = |operand: &Operand| matches!(operand, Operand::Int(bits) if bits & set == 0);
        if op == BinaryOp::And && operands.iter().any(clears) {
            places.remove(&Place::Marked);
        }
        if self.set != 0 && self.sets(id, op, operands[0], operands[1]) != 0 {
            places.insert(Place::Marked);
        }
        self.learn(id, dest, places);
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
            Operand::Reg(register) => {
                let mut places = self.registers.get(&(id, register)).cloned().unwrap_or_default();
                let record = self.module[id].register(register).points_to.filter(|&ty| self.module.is_record(ty));
                places.extend(record.map(|ty| Place::Record(self.module.strip(ty))));
                places
            }
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
            if may_be_called(function) && !(function.is_declaration() && synchronises(&function.name)) {
                let result = self.results.get(&id).cloned().unwrap_or_default();
                self.give_as(&result, function.return_type);
                for (index, param) in function.params.iter().enumerate() {
                    let declared = function.source_params.get(index).filter(|_| function.has_plain_params());
                    let taken = self.places(id, Operand::Reg(param.reg));
                    self.give_as(&taken, declared.map(|source| source.ty));
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
        match op {
            Op::Binary { op, lhs, rhs, .. } => return self.mark(id, *op, *lhs, *rhs),
            Op::Cast { kind: CastKind::Truncate, to: Ty::Int(bits @ 0..=4), value, .. } => {
                let is_address = self.places(id, *value).contains(&Place::Number);
                self.looked_at |= if is_address { (1 << bits) - 1 } else { 0 };
                return;
            }
            _ => {}
        }
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
                let args: Vec<Operand> = args.iter().skip(from).map(|arg| arg.value).collect();
                if bodiless && !synchronises(&known.name) {
                    let globals: Vec<GlobalId> = args.iter().flat_map(|&arg| self.globals(id, arg)).collect();
                    self.known.extend(globals);
                }
                if bodiless { (args, Vec::new()) } else { (Vec::new(), args) }
            }
            _ => return,
        };
        for address in written {
            let globals = self.globals(id, address);
            self.touched.extend(globals);
        }
        let to = match op {
            Op::Store { address, .. } => self.stores_pointer_to(id, *address),
            _ => None,
        };
        for value in given {
            self.give_as(&self.places(id, value), to);
        }
    }

    /// The type of the pointer that is stored at an address, as far as that is known.
    fn stores_pointer_to(&self, id: FuncId, address: Operand) -> Option<TypeId> {
        let of_member = |place: &Place| match *place {
            Place::Member(record, offset) => self.module.scalar_at(record, offset).map(|scalar| scalar.ty),
            Place::Global(global) => self.module[global].ty,
            _ => None,
        };
        let found = self.places(id, address).iter().find_map(of_member);
        found.or_else(|| match address {
            Operand::Reg(reg) => self.module[id].register(reg).points_to,
            _ => None,
        })
    }

    /// The variables that an operand may lead to.
    fn globals(&self, id: FuncId, operand: Operand) -> Vec<GlobalId> {
        let global = |place| match place {
            Place::Global(global) => Some(global),
            Place::Member(..) | Place::Record(_) | Place::Number | Place::Marked => None,
        };
        self.places(id, operand).into_iter().filter_map(global).collect()
    }

    /// Gives addresses away as pointers of this type. Where a record begins, so does its first member.
    fn give_as(&mut self, places: &Places, pointer: Option<TypeId>) {
        self.give(places);
        let Some(pointee) = pointer.and_then(|pointer| self.module.pointee(pointer)) else { return };
        let stripped = self.module.strip(pointee);
        let is_byte = |ty: TypeId| matches!(self.module[self.module.strip(ty)], DebugType::Int { size: 1, .. });
        let is_scalar = matches!(
            self.module[stripped],
            DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } | DebugType::Pointer { .. }
        );
        for place in places.iter().filter(|_| is_scalar) {
            let (record, offset) = match *place {
                Place::Record(record) => match self.module.member_at(record, 0) {
                    Some(first) => first,
                    None => continue,
                },
                Place::Member(record, offset) => (record, offset),
                Place::Global(_) | Place::Number | Place::Marked => continue,
            };
            let member = self.module.scalar_at(record, offset);
            if is_byte(stripped) && !member.as_ref().is_some_and(|member| is_byte(member.ty)) {
                self.bytes = true;
            } else {
                self.members.insert((record, offset));
            }
        }
    }

    fn give(&mut self, places: &Places) {
        for place in places {
            match *place {
                Place::Number | Place::Marked | Place::Record(_) => {}
                Place::Member(record, offset) => _ = self.members.insert((record, offset)),
                Place::Global(global) => {
                    self.touched.insert(global);
                    self.known.insert(global);
                }
            }
        }
    }
}

/// Whether a function of a library only synchronises by what it is given, and keeps no address of it.
fn synchronises(name: &str) -> bool {
    let kinds = [
        "pthread_mutex_",
        "pthread_rwlock_",
        "pthread_spin_",
        "pthread_cond_",
        "pthread_barrier_",
        "sem_",
        "mtx_",
        "cnd_",
    ];
    kinds.iter().any(|kind| name.starts_with(kind))
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
    fn marks_are_bits_of_addresses_that_are_set_and_looked_at() {
        let tags = |sets: &str, looks: &str| {
            let text = format!(
                "{TYPES}fn f0 f(%0 p: ptr(T3), %1 n: i64) -> i64 external {{\nb0:\n  %2: i64 = ptrtoint ptr %0 to i64\n  \
                 %3: i64 = {sets}\n  %4: i64 = {looks}\n  %5: i64 = add i64 %3, %4\n  return %5\n}}\n\
                 fn f1 g(%0 n: i64) -> i64 {{\nb0:\n  %1: i64 = and i64 %0, 2\n  return %1\n}}\n"
            );
            let module: Module = text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
            Escapes::of(&module).tags()
        };
        assert_eq!(tags("or i64 %2, 3", "and i64 %2, 5"), 1);
        assert_eq!(tags("xor i64 %2, 1", "urem i64 %2, 2"), 1);
        assert_eq!(tags("add i64 %2, 1", "and i64 1, %2"), 1);
        assert_eq!(tags("or i64 %2, %1", "call f1:g(i64 %2)"), 2);
        assert_eq!(tags("add i64 %2, 8", "and i64 %2, 8"), 0, "that is another address");
        assert_eq!(tags("or i64 %1, 1", "and i64 %2, 1"), 0, "that is no address");
        assert_eq!(tags("or i64 %2, 1", "and i64 %2, 18446744073709551614"), 0, "clearing is no looking");
        assert_eq!(tags("or i64 %2, 1", "urem i64 %2, 3"), 0);
    }

    /// Offsets of the members of a node that may hold an address with a mark, and whether more may.
    fn marked(body: &str) -> (Vec<u64>, bool) {
        let text = format!(
            "T0 = void\nT1 = struct node 24 {{ 0 next: T2, 8 head: T2, 16 last: T2 }}\nT2 = ptr T1\n\
             fn f0 f(%0 p: ptr(T1), %1 q: ptr(T2)) external {{\nb0:\n  %2: ptr = offset %0 + 0 \"->next\" within T1\n  \
             %3: ptr = offset %0 + 8 \"->head\" within T1\n  %4: ptr = offset %0 + 16 \"->last\" within T1\n  \
             %5: ptr = load ptr [%2]\n  %6: ptr = call f1:mark(ptr %5)\n{body}  return\n}}\n\
             fn f1 mark(%0 p: ptr) -> ptr {{\nb0:\n  %1: i64 = ptrtoint ptr %0 to i64\n  %2: i64 = or i64 %1, 1\n  \
             %3: ptr = inttoptr i64 %2 to ptr\n  return %3\n}}\n\
             fn f2 plain(%0 p: ptr) -> ptr {{\nb0:\n  %1: i64 = ptrtoint ptr %0 to i64\n  \
             %2: i64 = and i64 %1, 18446744073709551614\n  %3: ptr = inttoptr i64 %2 to ptr\n  return %3\n}}\n"
        );
        let module: Module = text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
        let escapes = Escapes::of(&module);
        let marked = escapes.marked();
        (marked.members.iter().map(|&(_, offset)| offset).collect(), marked.anywhere)
    }

    #[test]
    fn marks_are_where_they_are_stored() {
        assert_eq!(marked(""), (vec![], false));
        assert_eq!(marked("  store ptr %6, [%2]\n"), (vec![0], false));
        // What is copied goes with its mark, whenever it is copied; not without.
        let copies = "  %7: ptr = load ptr [%2]\n  store ptr %7, [%3]\n";
        assert_eq!(marked(&format!("{copies}  store ptr %6, [%2]\n")), (vec![0, 8], false));
        let clears = "  %7: ptr = load ptr [%2]\n  %8: ptr = call f2:plain(ptr %7)\n  store ptr %8, [%3]\n";
        assert_eq!(marked(&format!("{clears}  store ptr %6, [%2]\n")), (vec![0], false));
        // By exchanging, and through a variable of the function's.
        let old = "  %7: ptr = rmw exchange ptr [%4], %6 relaxed\n  store ptr %7, [%3]\n";
        assert_eq!(marked(old), (vec![8, 16], false));
        let local =
            "  %7: ptr = alloca 8 align 8\n  store ptr %6, [%7]\n  %8: ptr = load ptr [%7]\n  store ptr %8, [%3]\n";
        assert_eq!(marked(local), (vec![8], false));
        // Nobody knows where.
        assert_eq!(marked("  store ptr %6, [%1]\n"), (vec![], true));
    }

    #[test]
    fn variables_keep_their_values_until_somebody_writes_them_or_may() {
        let function = |body: &str| format!("fn f0 f(%0 n: ptr(T1)) external {{\nb0:\n  {body}  return\n}}\n");
        assert_eq!(escapes(&function("%1: i32 = load i32 [g0:kept]\n")).1, 2);
        assert_eq!(escapes(&function("store i32 1, [g0:kept]\n")).1, 1);
        assert_eq!(escapes(&function("store ptr g0:kept, [%0]\n")).1, 1);
    }

    #[test]
    fn variables_are_hidden_until_their_address_goes_somewhere() {
        let hidden = |body: &str, rest: &str| {
            let text = format!("{TYPES}fn f0 f(%0 n: ptr(T1)) external {{\nb0:\n  {body}  return\n}}\n{rest}");
            let module: Module = text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
            Escapes::of(&module).hidden().count()
        };
        let declares = |name: &str| format!("fn f1 {name}(%0: ptr) external\n");
        assert_eq!(hidden("store i32 1, [g0:kept]\n", ""), 2, "writing a variable tells nobody where it is");
        assert_eq!(hidden("store ptr g0:kept, [%0]\n", ""), 1);
        assert_eq!(hidden("call f1:pthread_mutex_lock(ptr g0:kept)\n", &declares("pthread_mutex_lock")), 2);
        assert_eq!(hidden("call f1:keep(ptr g0:kept)\n", &declares("keep")), 1);
    }
}
