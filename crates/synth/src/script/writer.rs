//! From calls to statements: what the client has to write, and how it comes to what it passes.

use super::text::{escaped, is_identifier, is_value, moved, name_of, number, read_through, spaced};
use super::{Part, Script, Step, Template, Variable, VariableId};
use crate::trace::LibraryCall;
use ir::{DebugType, FuncId, GlobalId, Module, Qualifier, TypeId, c_type};
use memory::{Byte, Memory, ObjId, ObjectKind, Pointer, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An object of the test's own.
struct Own {
    object: ObjId,
    variable: VariableId,
    /// What the client's object holds.
    image: Option<memory::Contents>,
}

pub(super) struct Writer<'a> {
    pub(super) module: &'a Module,
    is_client: &'a dyn Fn(FuncId) -> bool,
    /// Variables of the client's file that are objects of its own, which other clients have for themselves.
    is_own: &'a dyn Fn(GlobalId) -> bool,
    pub(super) script: Script,
    /// What calls returned: the variable, and where in the object it leads.
    results: FxHashMap<ObjId, (VariableId, i64)>,
    own: Vec<Own>,
    pub(super) made_by_library: Vec<std::ops::Range<usize>>,
    needs_source: bool,
}

/// How a pointer is written, and the variable that holds the object or leads to it.
pub(super) struct Written {
    pub(super) text: Template,
    holder: Option<VariableId>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        module: &'a Module,
        is_client: &'a dyn Fn(FuncId) -> bool,
        is_own: &'a dyn Fn(GlobalId) -> bool,
    ) -> Self {
        Writer {
            module,
            is_client,
            is_own,
            script: Script::default(),
            results: FxHashMap::default(),
            own: Vec::new(),
            made_by_library: Vec::new(),
            needs_source: false,
        }
    }

    pub(super) fn step(&mut self, call: &LibraryCall) {
        let function = &self.module[call.function];
        let mut before = Vec::new();
        let mut unknown = None;
        self.needs_source = false;
        if !function.pieces.is_empty() || function.params.iter().any(|p| p.by_value.is_some() || p.returned_through) {
            unknown = Some("it takes or returns a structure by value".to_owned());
        }
        let mut written = Vec::new();
        for (index, &value) in call.arguments.iter().enumerate() {
            let ty = function.source_params.get(index).map(|param| param.ty);
            match self.value(&call.before, value, ty) {
                Ok(argument) => written.push(argument),
                Err(why) => {
                    unknown.get_or_insert(why);
                    written.push(Written { text: Template::text("0"), holder: None });
                }
            }
        }
        // What the test has written since, to all that the call can see of its own.
        let mut seen: BTreeSet<VariableId> = written.iter().flat_map(|argument| argument.text.variables()).collect();
        let mut open: Vec<VariableId> = seen.iter().copied().collect();
        while let Some(variable) = open.pop() {
            let Some(at) = self.own.iter().position(|own| own.variable == variable) else { continue };
            for (variable, statement) in self.stores(&call.before, at, &mut unknown) {
                for other in statement.variables() {
                    if seen.insert(other) {
                        open.push(other);
                    }
                }
                before.push((variable, statement));
            }
        }
        let known = self.known(&call.before);
        let defines = self.result(call);
        seen.extend(defines);
        self.script.steps.push(Step {
            function: call.function,
            before,
            name: function.name.clone(),
            returns: function.return_type.map(|ty| c_type(self.module, ty)).filter(|named| is_value(named)),
            defines,
            holders: written.iter().map(|argument| argument.holder).collect(),
            arguments: written.into_iter().map(|argument| argument.text).collect(),
            known,
            mentions: seen,
            needs_source: self.needs_source,
            unknown,
        });
        // What the library has written the client's object has, too.
        if let Some(after) = &call.after {
            for own in self.own.iter_mut().filter(|own| own.image.is_some()) {
                own.image = Some(after.object(own.object).contents.clone());
            }
        }
    }

    /// What the client's variables hold, or lead to.
    fn known(&self, memory: &Memory) -> FxHashMap<ObjId, VariableId> {
        let mut known = FxHashMap::default();
        for own in &self.own {
            let contents = &memory.object(own.object).contents;
            known.extend(contents.pointers().map(|(_, pointer)| (pointer.object, own.variable)));
        }
        known.extend(self.own.iter().map(|own| (own.object, own.variable)));
        known.extend(self.results.iter().map(|(object, (variable, _))| (*object, *variable)));
        known
    }

    /// The variable that a call's result becomes: of those that lead somewhere that is not known yet.
    fn result(&mut self, call: &LibraryCall) -> Option<VariableId> {
        let Value::Ptr(pointer) = *call.results.as_ref()?.first()? else { return None };
        if self.results.contains_key(&pointer.object) || self.own.iter().any(|own| own.object == pointer.object) {
            return None;
        }
        let after = call.after.as_ref()?;
        if matches!(after.object(pointer.object).kind, ObjectKind::Function(_)) || after.object(pointer.object).constant
        {
            return None;
        }
        let named = c_type(self.module, self.module[call.function].return_type?);
        if named.is_empty() {
            return None;
        }
        let declared = (spaced(&named), String::new());
        let variable =
            self.add(Variable { name: name_of(&named), declared, allocated: None, is_result: true, is_plain: false });
        self.results.insert(pointer.object, (variable, pointer.offset));
        Some(variable)
    }

    fn add(&mut self, variable: Variable) -> VariableId {
        self.script.variables.push(variable);
        VariableId::new(self.script.variables.len() - 1)
    }

    /// A scalar.
    fn value(&mut self, memory: &Memory, value: Value, ty: Option<TypeId>) -> Result<Written, String> {
        let is_pointer = ty.is_some_and(|ty| matches!(self.module[self.module.strip(ty)], DebugType::Pointer { .. }));
        match value {
            Value::Int(0) if is_pointer => Ok(Written { text: Template::text("NULL"), holder: None }),
            Value::Int(bits) => Ok(Written { text: Template::text(number(self.module, ty, bits)), holder: None }),
            Value::Ptr(pointer) => self.pointer(memory, pointer),
            Value::Term(_) | Value::Lazy { .. } | Value::Symbolic { .. } => {
                Err("it gets a value that the test does not determine".to_owned())
            }
        }
    }

    /// How the client writes a pointer.
    fn pointer(&mut self, memory: &Memory, pointer: Pointer) -> Result<Written, String> {
        let object = memory.object(pointer.object);
        match object.kind {
            ObjectKind::Function(function) => {
                let declared = &self.module[function];
                self.needs_source |= (self.is_client)(function) || !declared.external;
                return Ok(Written { text: Template::text(declared.name.clone()), holder: None });
            }
            ObjectKind::Global(global) if !(self.is_own)(global) => {
                let declared = &self.module[global];
                let name = &declared.name;
                if object.constant && !is_identifier(name) {
                    return self.literal(memory, pointer);
                }
                if !is_identifier(name) {
                    return Err("it gets a static variable of a function's".to_owned());
                }
                self.needs_source = true;
                let text = self.place(name, object.ty, (object.size, false), pointer.offset);
                return Ok(Written { text: Template::text(text), holder: None });
            }
            ObjectKind::Global(_)
            | ObjectKind::Stack
            | ObjectKind::Heap
            | ObjectKind::Initial
            | ObjectKind::Arguments => {}
        }
        if let Some(&(variable, at)) = self.results.get(&pointer.object) {
            return Ok(Written {
                text: moved(Template::variable(variable), pointer.offset - at),
                holder: Some(variable),
            });
        }
        if let Some(own) = self.own.iter().find(|own| own.object == pointer.object) {
            return Ok(self.within(own.variable, object, (pointer.offset, false)));
        }
        if self.is_clients(pointer.object) {
            let variable = self.own_variable(pointer.object, object);
            return Ok(self.within(variable, object, (pointer.offset, false)));
        }
        self.through(memory, pointer)
            .ok_or_else(|| "it gets a pointer that no call returned and that the test cannot have read".to_owned())
    }

    /// Of the objects that there are, those that no call of the library has made are the test's.
    fn is_clients(&self, object: ObjId) -> bool {
        !self.made_by_library.iter().any(|made| made.contains(&object.index()))
    }

    fn own_variable(&mut self, id: ObjId, object: &memory::Object) -> VariableId {
        let (element, mut array) = object.ty.map_or((None, String::new()), |ty| self.element(ty));
        let named = element.map(|ty| c_type(self.module, ty)).filter(|named| !named.is_empty());
        let count =
            object.ty.and_then(|ty| self.module.size_of(ty)).filter(|&size| size > 0).map(|size| object.size / size);
        if let Some(count @ 2..) = count {
            array = format!("[{count}]{array}");
        }
        let is_number = |ty: TypeId| {
            matches!(
                self.module[self.module.strip(ty)],
                DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. }
            )
        };
        let is_plain = element.is_none_or(is_number) && object.contents.pointers().next().is_none();
        let base = named.as_deref().map_or_else(|| "bytes".to_owned(), name_of);
        let name = if object.name.is_empty() || !is_identifier(&object.name) { base } else { object.name.to_string() };
        let (declared, allocated) = match (object.kind, named) {
            (ObjectKind::Heap, named) => {
                let named = named.unwrap_or_else(|| "unsigned char".to_owned());
                ((spaced(&format!("{named} *")), String::new()), Some(format!("malloc({})", object.size)))
            }
            (_, Some(named)) => ((spaced(&named), array), None),
            (_, None) => (("_Alignas(16) unsigned char ".to_owned(), format!("[{}]", object.size.max(1))), None),
        };
        let variable = self.add(Variable { name, declared, allocated, is_result: false, is_plain });
        self.own.push(Own { object: id, variable, image: None });
        variable
    }

    /// What arrays consist of, and their bounds as C writes them.
    fn element(&self, mut ty: TypeId) -> (Option<TypeId>, String) {
        let mut bounds = String::new();
        while let DebugType::Array { of, count } = self.module[self.module.strip(ty)] {
            bounds.push_str(&count.map_or_else(|| "[1]".to_owned(), |count| format!("[{count}]")));
            ty = of;
        }
        // What a test initialises the client has to write.
        while let DebugType::Qualified { qualifier: Qualifier::Const, to } = self.module[ty] {
            ty = to;
        }
        (Some(ty), bounds)
    }

    /// A place in an object of the client's own.
    pub(super) fn within(
        &self,
        variable: VariableId,
        object: &memory::Object,
        (offset, exactly): (i64, bool),
    ) -> Written {
        let is_pointer = self.script.variables[variable.index()].allocated.is_some();
        // One of no known type is an array of bytes.
        let text = match is_pointer {
            _ if object.ty.is_none() && !is_pointer => {
                moved(Template::variable(variable), offset).around("(void *)(", ")")
            }
            true => moved(Template::variable(variable), offset),
            false => {
                let text = self.place("\u{0}", object.ty, (object.size, exactly), offset);
                let mut parts = Vec::new();
                for (index, part) in text.split('\u{0}').enumerate() {
                    if index > 0 {
                        parts.push(Part::Variable(variable));
                    }
                    parts.push(Part::Text(part.to_owned()));
                }
                Template(parts)
            }
        };
        Written { text, holder: Some(variable) }
    }

    fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.module[self.module.strip(ty)], DebugType::Array { .. })
    }

    /// The address of a place in a named object. `exactly`: of the scalar there, not of what begins with it.
    fn place(&self, name: &str, ty: Option<TypeId>, (size, exactly): (u64, bool), offset: i64) -> String {
        let Some(ty) = ty else {
            return if offset == 0 { format!("&{name}") } else { format!("(void *)((char *)&{name} + {offset})") };
        };
        let element = self.module.size_of(ty).filter(|&size| size > 0).unwrap_or(1);
        let Ok(offset) = u64::try_from(offset) else { return format!("(void *)((char *)&{name} + {offset})") };
        let index = if size > element { format!("[{}]", offset / element) } else { String::new() };
        let path = self.module.path_to(ty, if size > element { offset % element } else { offset });
        match path.contains('+') || offset >= size {
            true => format!("(void *)((char *)&{name} + {offset})"),
            false if offset == 0 && (!index.is_empty() || self.is_array(ty)) => match exactly {
                true => format!("&{name}{index}{path}"),
                false => name.to_owned(),
            },
            // A record's first member has its address.
            false if offset == 0 && !exactly => format!("&{name}"),
            false => format!("&{name}{index}{path}"),
        }
    }

    /// A string of the test's.
    fn literal(&mut self, memory: &Memory, pointer: Pointer) -> Result<Written, String> {
        let contents = &memory.object(pointer.object).contents;
        let mut text = String::from("\"");
        for offset in 0..contents.len() {
            match contents.byte(offset) {
                Byte::Concrete(0) if offset + 1 == contents.len() => {}
                Byte::Concrete(byte) => text.push_str(&escaped(byte)),
                Byte::Undefined | Byte::OfCell { .. } | Byte::Initial => {
                    return Err("it gets a constant that is no text".to_owned());
                }
            }
        }
        text.push('"');
        Ok(Written { text: moved(Template::text(text), pointer.offset), holder: None })
    }

    /// A pointer that is read from memory: from an object of the client's, or from what it knows leads further.
    fn through(&self, memory: &Memory, wanted: Pointer) -> Option<Written> {
        for own in &self.own {
            let object = memory.object(own.object);
            for (from, pointer) in object.contents.pointers() {
                if pointer.object == wanted.object && object.is_live() {
                    let place = self.within(own.variable, object, (from as i64, true)).text;
                    let text = read_through(place);
                    return Some(Written {
                        text: moved(text, wanted.offset - pointer.offset),
                        holder: Some(own.variable),
                    });
                }
            }
        }
        // From what calls returned, breadth first.
        let mut results: Vec<(ObjId, VariableId, i64)> =
            self.results.iter().map(|(object, (variable, at))| (*object, *variable, *at)).collect();
        results.sort_unstable_by_key(|(_, variable, _)| *variable);
        let mut seen: BTreeSet<ObjId> = results.iter().map(|(object, ..)| *object).collect();
        let mut level: Vec<(ObjId, VariableId, Template, i64)> = results
            .into_iter()
            .map(|(object, variable, at)| (object, variable, Template::variable(variable), at))
            .collect();
        for _ in 0..4 {
            let mut next = Vec::new();
            for (id, variable, text, at) in &level {
                let object = memory.object(*id);
                for (from, pointer) in object.contents.pointers() {
                    let place = moved(text.clone(), from as i64 - at).around("*(void **)(", ")");
                    if pointer.object == wanted.object {
                        return Some(Written { text: moved(place, wanted.offset - pointer.offset), holder: None });
                    }
                    if seen.insert(pointer.object) {
                        next.push((pointer.object, *variable, place, pointer.offset));
                    }
                }
            }
            level = next;
        }
        None
    }

    /// What the test has written to an object of its own since the client's was like it.
    fn stores(&mut self, memory: &Memory, at: usize, unknown: &mut Option<String>) -> Vec<(VariableId, Template)> {
        let Own { object: id, variable, ref image } = self.own[at];
        let object = memory.object(id).clone();
        let image = image.clone();
        let now = &object.contents;
        let old = |offset: usize| match &image {
            Some(image) => image.byte(offset),
            // Static objects begin with zeros.
            None if self.script.variables[variable.index()].allocated.is_none() => Byte::Concrete(0),
            None => Byte::Undefined,
        };
        let differs: Vec<bool> = (0..now.len())
            .map(|offset| match (now.byte(offset), old(offset)) {
                (Byte::Undefined, _) => false,
                (byte, old) => byte != old,
            })
            .collect();
        self.own[at].image = Some(now.clone());
        let mut statements = Vec::new();
        let pointers: FxHashMap<u64, Pointer> = now.pointers().collect();
        let mut offset = 0;
        while offset < differs.len() {
            if !differs[offset] {
                offset += 1;
                continue;
            }
            // A pointer is stored whole.
            if let Byte::OfCell { size, index, .. } = now.byte(offset) {
                let start = offset - index as usize;
                if let Some(&pointer) = pointers.get(&(start as u64)) {
                    match self.pointer(memory, pointer) {
                        Ok(value) => {
                            let place = read_through(self.within(variable, &object, (start as i64, true)).text);
                            let text = place.0.into_iter().chain([Part::Text(" = ".to_owned())]).chain(value.text.0);
                            let text = text.chain([Part::Text(";".to_owned())]).collect();
                            statements.push((variable, Template(text)));
                        }
                        Err(why) => drop(unknown.get_or_insert(why)),
                    }
                } else if let Some((statement, end)) = self.initialise(variable, &object, offset) {
                    statements.push((variable, statement));
                    offset = end;
                    continue;
                } else {
                    unknown.get_or_insert_with(|| "it sees a value that the test does not determine".to_owned());
                }
                offset = start + size as usize;
                continue;
            }
            let (statement, end) = self.store_bytes(variable, &object, offset, &differs);
            statements.push((variable, statement));
            offset = end;
        }
        statements
    }

    /// Writes the scalar around a byte, or as many bytes as differ.
    fn store_bytes(
        &self,
        variable: VariableId,
        object: &memory::Object,
        offset: usize,
        differs: &[bool],
    ) -> (Template, usize) {
        let byte = |offset: usize| match object.contents.byte(offset) {
            Byte::Concrete(byte) => Some(byte),
            _ => None,
        };
        let element = object.ty.and_then(|ty| self.module.size_of(ty)).filter(|&size| size > 0);
        if let (Some(ty), Some(element)) = (object.ty, element) {
            let base = offset as u64 / element * element;
            let scalar = self.module.scalar_at(ty, offset as u64 - base);
            if let Some(scalar) = scalar
                && scalar.size <= 8
                && scalar.size > 1
            {
                let start = (base + scalar.offset) as usize;
                let bytes: Option<Vec<u8>> = (start..start + scalar.size as usize).map(byte).collect();
                if let Some(bytes) = bytes {
                    let word = bytes.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
                    let place = read_through(self.within(variable, object, (start as i64, true)).text);
                    let text = number(self.module, Some(scalar.ty), word);
                    let statement = place.around("", &format!(" = {text};"));
                    return (statement, start + scalar.size as usize);
                }
            }
        }
        let mut end = offset;
        let mut text = String::new();
        while end < differs.len()
            && let Some(value) = byte(end)
            && (differs[end] || end - offset < 64 && differs[end..].iter().take(8).any(|&differs| differs))
        {
            text.push_str(&escaped(value));
            end += 1;
        }
        let place = self.within(variable, object, (offset as i64, false)).text;
        (place.around("memcpy(", &format!(", \"{text}\", {});", end - offset)), end.max(offset + 1))
    }
}
