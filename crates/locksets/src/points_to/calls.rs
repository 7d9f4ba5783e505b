//! Calls, and the creation of threads: an instance for each way to call a function, and what functions without a body do to addresses.

use super::{Object, Program};
use crate::Open;
use crate::cells::{ANY, Target, Targets};
use crate::effects::{self, Effect};
use crate::threads::{InstanceId, Place, Root, RootId};
use ir::{Argument, Callee, FuncId, Init, Operand, Reg, Ty};
use rustc_hash::FxHashSet;

impl Program<'_> {
    pub(super) fn call(&mut self, place: Place, dests: &[Reg], callee: Callee, args: &[Argument]) -> Result<(), Open> {
        if let Callee::Indirect(pointer) = callee {
            let targets = self.eval(place.instance, pointer);
            self.check(&targets, place)?;
        }
        for function in self.callees(place.instance, callee) {
            if self.module[function].is_declaration() {
                self.model(place, dests, function, args)?;
            } else {
                self.call_body(place, dests, function, args)?;
            }
        }
        Ok(())
    }

    /// The functions that a call may run.
    pub(crate) fn callees(&self, instance: InstanceId, callee: Callee) -> Vec<FuncId> {
        match callee {
            Callee::Direct(function) => vec![function],
            Callee::Indirect(pointer) => {
                let targets = self.value(instance, pointer);
                targets.iter().filter_map(|target| self.function_of(target)).collect()
            }
        }
    }

    pub(crate) fn function_of(&self, target: Target) -> Option<FuncId> {
        match self.objects[target.object.0 as usize] {
            Object::Function(function) => Some(function),
            _ => None,
        }
    }

    fn call_body(&mut self, place: Place, dests: &[Reg], function: FuncId, args: &[Argument]) -> Result<(), Open> {
        let callee = self.instance_of_call(place, function)?;
        let params = &self.module[function].params;
        for (number, argument) in args.iter().enumerate() {
            let mut values = self.eval(place.instance, argument.value);
            let Some(param) = params.get(number) else {
                let object = self.fresh(Object::Variadic(callee)).moved(ANY);
                if argument.by_value.is_some() {
                    self.check(&values, place)?;
                    self.copy(&object, &values.moved(ANY), None);
                }
                self.store(&object, &values);
                continue;
            };
            if argument.by_value.is_some() || param.by_value.is_some() {
                self.check(&values, place)?;
                let copy = self.fresh(Object::Copy(callee, number as u32));
                self.copy(&copy.clone(), &values, argument.by_value.or(param.by_value));
                values = copy;
            }
            self.set(callee, param.reg, &values);
        }
        for (number, &dest) in dests.iter().enumerate() {
            if let Some(values) = self.returned.get(&(callee, number)).cloned() {
                self.set(place.instance, dest, &values);
            }
        }
        Ok(())
    }

    /// The instance that a call at a place runs: one that is being run, if the function calls itself.
    fn instance_of_call(&mut self, place: Place, function: FuncId) -> Result<InstanceId, Open> {
        if let Some(&known) = self.called.get(&(place, function)) {
            return Ok(known);
        }
        let mut above = Some(place.instance);
        let mut seen = FxHashSet::default();
        let mut found = None;
        while let Some(id) = above.filter(|id| seen.insert(*id)) {
            if self.instances[id.index()].function == function {
                found = Some(id);
                break;
            }
            above = self.instances[id.index()].callers.first().map(|caller| caller.instance);
        }
        let id = match found {
            Some(id) => {
                self.instances[id.index()].callers.push(place);
                self.instances[id.index()].calls_itself = true;
                self.changed = true;
                id
            }
            None => {
                let root = self.instances[place.instance.index()].root;
                self.new_instance(function, root, Some(place))?
            }
        };
        self.called.insert((place, function), id);
        Ok(id)
    }

    pub(crate) fn callee(&self, place: Place, function: FuncId) -> Option<InstanceId> {
        self.called.get(&(place, function)).copied()
    }

    /// A function that is only declared.
    fn model(&mut self, place: Place, dests: &[Reg], function: FuncId, args: &[Argument]) -> Result<(), Open> {
        let name = &self.module[function].name;
        let Some(effect) = effects::of(name) else {
            return self.give_up(format!("what {name} does"), place);
        };
        let instance = place.instance;
        let given: Vec<Targets> = args.iter().map(|argument| self.eval(instance, argument.value)).collect();
        for (number, targets) in given.iter().enumerate() {
            if effects::is_among(number, effect.addresses()) {
                self.check(targets, place)?;
            }
        }
        let argument = |number: usize| given.get(number).cloned().unwrap_or_default();
        let result = match effect {
            Effect::Allocates => self.fresh(Object::Made(place)),
            Effect::AllocatesInto => {
                let made = self.fresh(Object::Made(place));
                self.store(&argument(0), &made);
                Targets::default()
            }
            Effect::Reallocates => {
                let made = self.fresh(Object::Made(place));
                self.copy(&made, &argument(0).moved(ANY), None);
                let mut both = made;
                both.extend(argument(0).iter());
                both
            }
            Effect::Copies => {
                self.copy(&argument(0), &argument(1), None);
                argument(0)
            }
            Effect::Fills => argument(0),
            Effect::Creates { function, argument: passed } => {
                let token = self.fresh(Object::Thread(place));
                self.store(&argument(0), &token);
                self.create(place, &argument(function), &argument(passed))?;
                Targets::default()
            }
            Effect::Joins => {
                let mut values = Targets::default();
                self.ended.values().for_each(|ended| {
                    values.extend(ended.iter());
                });
                self.store(&argument(1), &values);
                Targets::default()
            }
            Effect::CallsOnce { function } => {
                let functions: Vec<FuncId> = argument(function).iter().filter_map(|t| self.function_of(t)).collect();
                for function in functions {
                    if self.module[function].is_declaration() {
                        return self.give_up("a function without a body that is called once", place);
                    }
                    self.call_body(place, &[], function, &[])?;
                }
                Targets::default()
            }
            Effect::Keeps => {
                let kept = self.fresh(Object::Kept);
                self.store(&kept, &argument(1));
                Targets::default()
            }
            Effect::Kept => {
                let kept = self.fresh(Object::Kept);
                self.load(&kept, self.module.pointer.bytes())
            }
            Effect::Itself => self.fresh(Object::Unknown).moved(ANY),
            Effect::EndsThread => {
                let root = self.instances[instance.index()].root;
                self.changed |= self.ended.entry(root).or_default().extend(argument(0).iter());
                Targets::default()
            }
            Effect::Guards => {
                self.guarded.extend(argument(0).iter().map(|target| target.object));
                Targets::default()
            }
            Effect::Prints(format) => {
                self.check_format(place, args.get(format).map(|argument| argument.value))?;
                Targets::default()
            }
            Effect::Touches { .. }
            | Effect::Synchronises(_)
            | Effect::Frees
            | Effect::Locks { .. }
            | Effect::Unlocks
            | Effect::AtomicBegin
            | Effect::AtomicEnd
            | Effect::Ends => Targets::default(),
        };
        let returns_address =
            |dest: &Reg| self.module[self.instances[instance.index()].function].register(*dest).ty == Ty::Ptr;
        if result.is_empty()
            && dests.iter().any(returns_address)
            && !matches!(effect, Effect::Kept | Effect::Copies | Effect::Fills)
        {
            return self.give_up(format!("the address that {name} returns"), place);
        }
        for &dest in dests {
            self.set(instance, dest, &result);
        }
        Ok(())
    }

    fn create(&mut self, place: Place, functions: &Targets, passed: &Targets) -> Result<(), Open> {
        for target in functions.iter() {
            let Some(function) = self.function_of(target).filter(|&id| !self.module[id].is_declaration()) else {
                return self.give_up("a thread of which it is not known what it runs", place);
            };
            let root = self.root_of_creation(place, function)?;
            let instance = self.roots[root.index()].instance;
            if let Some(param) = self.module[function].params.first() {
                let reg = param.reg;
                self.set(instance, reg, passed);
            }
        }
        Ok(())
    }

    fn root_of_creation(&mut self, place: Place, function: FuncId) -> Result<RootId, Open> {
        if let Some(&known) = self.created.get(&(place, function)) {
            return Ok(known);
        }
        let same = |root: &Root, program: &Self| {
            let is_here = |at: &Place| {
                let there = program.instances[at.instance.index()].function;
                there == program.instances[place.instance.index()].function
                    && (at.block, at.inst) == (place.block, place.inst)
            };
            root.function == function && root.creators.iter().any(is_here)
        };
        // Threads that create threads that run the same.
        let mut above = Some(self.instances[place.instance.index()].root);
        let mut seen = FxHashSet::default();
        let mut found = None;
        while let Some(id) = above.filter(|id| seen.insert(*id)) {
            let root = &self.roots[id.index()];
            if same(root, self) {
                found = Some(id);
                break;
            }
            above = root.creators.first().map(|at| self.instances[at.instance.index()].root);
        }
        let id = match found {
            Some(id) => {
                self.roots[id.index()].creators.push(place);
                id
            }
            None => {
                let id = RootId(self.roots.len() as u32);
                let instance = self.new_instance(function, id, None)?;
                self.roots.push(Root { function, instance, creators: vec![place] });
                id
            }
        };
        self.changed = true;
        self.created.insert((place, function), id);
        Ok(id)
    }

    /// The threads that are created at a place.
    pub(crate) fn created_at(&self, place: Place) -> impl Iterator<Item = RootId> + '_ {
        let at = move |((there, _), root): (&(Place, FuncId), &RootId)| (*there == place).then_some(*root);
        self.created.iter().filter_map(at)
    }

    /// `%n` writes.
    fn check_format(&self, place: Place, format: Option<Operand>) -> Result<(), Open> {
        let text = match format {
            Some(Operand::Global(global, 0)) => match &self.module[global].init {
                Init::Data { bytes, .. } if self.module[global].constant => Some(bytes),
                _ => None,
            },
            _ => None,
        };
        let writes = |text: &Vec<u8>| {
            let mut conversion = false;
            text.iter().any(|&byte| {
                let ends = byte.is_ascii_alphabetic() && !b"hlLqjzt".contains(&byte);
                let found = conversion && byte == b'n';
                conversion = (byte == b'%' && !conversion) || (conversion && !ends && byte != b'%');
                found
            })
        };
        match text {
            Some(text) if !writes(text) => Ok(()),
            _ => self.give_up("a format that is not known, or writes", place),
        }
    }
}
