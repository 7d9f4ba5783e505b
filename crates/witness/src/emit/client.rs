//! Clients as C programs: the calls that build a heap, and two threads on it.

use super::heap::is_stream_type;
use super::{EmittedTest, callbacks, command, tables};
use crate::format::ProgramRef;
use clients::{Client, ClientArgument, ClientCall, Root};
use ir::{DebugType, FuncId, IntKind, Leaf, Module, TypeId, c_type};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Makes a C program of a client, to be stored at `output`, and the command that builds it for ThreadSanitizer. `plan`: one of
/// [`client_plans`]. `title`: what it is for, in one line. None where some type that it
/// has to name has no name.
pub fn emit_client(
    module: &Module,
    client: &Client,
    (program, plan): (&ProgramRef, &ClientPlan),
    (output, includes): (&Path, &[PathBuf]),
    title: &str,
) -> Option<EmittedTest> {
    let build = command::build_client(program, &plan.included, output, includes);
    let writer = Writer::new(module, client);
    let mut text = format!("// build: {build}\n//\n// {title}\n\n");
    beginning(module, plan, (writer.allocates, writer.has_streams()), &mut text)?;
    writer.callbacks(&mut text);
    writer.roots(&mut text)?;
    for (number, call) in client.threads.iter().enumerate() {
        let _ = write!(text, "\nstatic void *thread{number}(void *unused)\n{{\n    (void)unused;\n");
        writer.call(call, &mut text)?;
        text.push_str("    return NULL;\n}\n");
    }
    text.push_str("\nint main(void)\n{\n");
    writer.calls(&mut text)?;
    text.push_str("    return 0;\n}\n");
    Some(EmittedTest { source: text, build })
}

/// The command that builds a client of this program, to be stored at `output`, which includes none of its sources.
pub fn client_build(program: &ProgramRef, output: &Path, includes: &[PathBuf]) -> String {
    command::build_client(program, &[], output, includes)
}

/// Headers, and the library.
fn beginning(
    module: &Module,
    plan: &ClientPlan,
    (allocates, has_streams): (bool, bool),
    text: &mut String,
) -> Option<()> {
    text.push_str("#include <pthread.h>\n#include <stddef.h>\n#include <stdint.h>\n");
    text.push_str(if has_streams { "#include <stdio.h>\n" } else { "" });
    text.push_str(if allocates { "#include <stdlib.h>\n\n" } else { "\n" });
    let has_main = module.functions_named("main").any(|id| !module[id].is_declaration());
    if has_main {
        text.push_str("#define main main_of_the_program\n");
    }
    for source in &plan.included {
        let _ = writeln!(text, "#include {}", tables::string(source));
    }
    if has_main {
        text.push_str("#undef main\n");
    }
    text.push('\n');
    for &function in &plan.declared {
        let _ = writeln!(text, "{};", prototype(module, function)?);
    }
    Some(())
}

/// Makes one C program of many clients: which of them it is, is an input, and so is each number that they pass. `plan`: one of [`client_plans`]
/// of [`all_calls`]. None where some type that it has to name has no name.
pub fn emit_callers(module: &Module, clients: &[Client], plan: &ClientPlan, title: &str) -> Option<String> {
    let all = all_calls(clients);
    let allocates = may_free(module, &all);
    let mut text = format!("// {title}\n\n#include <raddle.h>\n");
    let has_streams = clients.iter().any(|client| Writer::new(module, client).has_streams());
    beginning(module, plan, (allocates, has_streams), &mut text)?;
    Writer::new(module, &all).callbacks(&mut text);
    let mut choices = String::new();
    for (number, client) in clients.iter().enumerate() {
        let writer = Writer { module, client, allocates, prefix: format!("caller{number}_"), inputs: true };
        writer.caller(number, &mut text)?;
        let _ = write!(choices, "    case {number}:\n        caller{number}();\n        break;\n");
    }
    let _ = write!(
        text,
        "\nint main(void)\n{{\n    unsigned caller;\n    raddle_symbolic(&caller, sizeof caller, \"caller\");\n    switch (caller) {{\n\
         {choices}    }}\n    return 0;\n}}\n"
    );
    Some(text)
}

/// All calls of some clients, as if they were one's.
pub fn all_calls(clients: &[Client]) -> Client {
    let calls = clients.iter().flat_map(|client| client.calls.iter().chain(&client.threads)).cloned().collect();
    Client { roots: Vec::new(), calls, threads: Vec::new() }
}

/// What a client does, as C has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClientStory {
    /// What it holds: declarations.
    pub holds: Vec<String>,
    /// Its calls, one after the other.
    pub before: Vec<String>,
    /// The calls that it makes at once then, by thread.
    pub at_once: Vec<String>,
}

/// Tells what a client does. None where some type has no name.
pub fn client_story(module: &Module, client: &Client) -> Option<ClientStory> {
    let writer = Writer::new(module, client);
    let mut roots = String::new();
    writer.roots(&mut roots)?;
    let in_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let calls = |calls: &[ClientCall]| {
        let one = |call: &ClientCall| {
            let mut text = String::new();
            writer.call(call, &mut text)?;
            Some(in_line(&text))
        };
        calls.iter().map(one).collect::<Option<Vec<String>>>()
    };
    let mut before = calls(&client.calls)?;
    before.splice(0..0, writer.made());
    let holds = roots.lines().map(in_line).collect();
    Some(ClientStory { holds, before, at_once: calls(&client.threads)? })
}

/// How a client's program comes to the functions that it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientPlan {
    /// Sources that become part of it.
    pub included: Vec<String>,
    /// Functions that it declares itself.
    declared: Vec<FuncId>,
}

/// The ways in which a client's program may come to the functions that it calls, the first choice first. Sources become part of
/// it because functions of them may be static, or have types of their own; as few as can be, since what is static in two
/// may have the same name. What the others have, a header declares as a rule.
pub fn client_plans(module: &Module, client: &Client, program: &ProgramRef) -> Vec<ClientPlan> {
    let (mut all, mut needed) = (Vec::new(), Vec::new());
    let calls = client.calls.iter().chain(&client.threads);
    for function in calls.clone().map(|call| call.function) {
        let Some(source) = source_of(module, function, program) else { continue };
        let uses = if module[function].external { [Some(&mut all), None] } else { [Some(&mut all), Some(&mut needed)] };
        for known in uses.into_iter().flatten() {
            if !known.contains(source) {
                known.push(source.clone());
            }
        }
    }
    let few: Vec<Vec<String>> = match needed.len() {
        0 => all.iter().map(|source| vec![source.clone()]).collect(),
        _ => vec![needed],
    };
    let elsewhere = |included: &[String]| -> Vec<FuncId> {
        let functions: BTreeSet<FuncId> = calls.clone().map(|call| call.function).collect();
        let is_there = |id: &FuncId| source_of(module, *id, program).is_some_and(|source| included.contains(source));
        functions.into_iter().filter(|id| !is_there(id)).collect()
    };
    let plain = few.iter().map(|included| ClientPlan { included: included.clone(), declared: Vec::new() });
    let declaring = few.iter().map(|included| ClientPlan { included: included.clone(), declared: elsewhere(included) });
    let mut plans: Vec<ClientPlan> = Vec::new();
    for plan in plain.chain(declaring).chain([ClientPlan { included: all.clone(), declared: Vec::new() }]) {
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    plans
}

/// A declaration of a function.
fn prototype(module: &Module, function: FuncId) -> Option<String> {
    let function = &module[function];
    let returns = function.return_type.map_or_else(|| "void".to_owned(), |ty| c_type(module, ty));
    let params: Option<Vec<String>> =
        function.source_params.iter().map(|param| named_type(&c_type(module, param.ty)).map(str::to_owned)).collect();
    let params = match params?.join(", ") {
        none if none.is_empty() => "void".to_owned(),
        some => some,
    };
    Some(format!("{} {}({params})", named_type(&returns)?, function.name))
}

fn source_of<'p>(module: &Module, function: FuncId, program: &'p ProgramRef) -> Option<&'p String> {
    let file = &module[module[function].file?];
    let typed = program.typed.iter().position(|typed| *typed == file.path);
    let absolute = Path::new(&file.directory).join(&file.path);
    typed
        .and_then(|at| program.sources.get(at))
        .or_else(|| program.sources.iter().find(|source| Path::new(source) == absolute))
}

/// What a pointer leads to that a call gives a client.
fn given_by(module: &Module, call: &ClientCall, root: usize) -> Option<TypeId> {
    if call.makes == Some(root) {
        let returned = module.scalars_of(module[call.function].return_type?)?;
        return module.pointee(returned.first()?.ty);
    }
    let &(argument, _) = call.sets.iter().find(|&&(_, set)| set == root)?;
    module.pointee(module.pointee(module.leaves(call.function)?.get(argument)?.ty)?)
}

fn named_type(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn pointer_to(name: &str) -> Option<String> {
    named_type(name).map(|name| format!("{name} *"))
}

/// Whether the library may free what it is given.
fn may_free(module: &Module, client: &Client) -> bool {
    let functions = client.calls.iter().chain(&client.threads).map(|call| call.function);
    ir::may_call(module, functions, |name| matches!(name, "free" | "realloc" | "reallocarray"))
}

struct Writer<'a> {
    module: &'a Module,
    client: &'a Client,
    /// The client's own objects are allocated, since the library may free them.
    allocates: bool,
    /// Of the names of what it holds.
    prefix: String,
    /// Numbers that it passes are inputs.
    inputs: bool,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module, client: &'a Client) -> Self {
        Writer { module, client, allocates: may_free(module, client), prefix: String::new(), inputs: false }
    }

    /// A client as a function.
    fn caller(&self, number: usize, text: &mut String) -> Option<()> {
        text.push('\n');
        self.roots(text)?;
        for (thread, call) in self.client.threads.iter().enumerate() {
            let prefix = &self.prefix;
            let _ = write!(text, "\nstatic void *{prefix}thread{thread}(void *unused)\n{{\n    (void)unused;\n");
            self.call(call, text)?;
            text.push_str("    return NULL;\n}\n");
        }
        let _ = write!(text, "\nstatic void caller{number}(void)\n{{\n");
        self.calls(text)?;
        text.push_str("}\n");
        Some(())
    }

    /// The calls that it makes one after the other, and then those at once.
    fn calls(&self, text: &mut String) -> Option<()> {
        let prefix = &self.prefix;
        for statement in self.made() {
            let _ = writeln!(text, "    {statement}");
        }
        for call in &self.client.calls {
            self.call(call, text)?;
            // What a caller did not get it does not pass.
            let given = call.makes.into_iter().chain(call.sets.iter().map(|(_, root)| *root));
            for root in given.filter(|_| self.inputs) {
                let _ = writeln!(text, "    if (!{})\n        return;", self.root(root));
            }
        }
        let count = self.client.threads.len();
        if count > 0 {
            let _ = writeln!(text, "\n    pthread_t threads[{count}];");
        }
        for number in 0..count {
            let _ = writeln!(text, "    pthread_create(&threads[{number}], NULL, {prefix}thread{number}, NULL);");
        }
        for number in 0..count {
            let _ = writeln!(text, "    pthread_join(threads[{number}], NULL);");
        }
        Some(())
    }

    /// What it calls something that it holds.
    fn root(&self, number: usize) -> String {
        format!("{}root{number}", self.prefix)
    }

    /// Defines the functions of its own that the client passes.
    fn callbacks(&self, text: &mut String) {
        let arguments = self.client.calls.iter().chain(&self.client.threads).flat_map(|call| &call.arguments);
        let function = |argument: &ClientArgument| match *argument {
            ClientArgument::Function(function) => Some(&*self.module[function].name),
            _ => None,
        };
        let passed: BTreeSet<&str> = arguments.filter_map(function).collect();
        passed.into_iter().filter_map(callbacks::in_client).for_each(|definition| text.push_str(&definition));
    }

    /// Declares what the client holds.
    fn roots(&self, text: &mut String) -> Option<()> {
        for (number, root) in self.used() {
            let named = c_type(self.module, root.named);
            let maker = self.client.calls.iter().find(|call| call.gives(number));
            let _ = match maker {
                Some(maker) => {
                    let made = pointer_to(&c_type(self.module, given_by(self.module, maker, number)?))?;
                    writeln!(text, "static {made}{};", self.root(number))
                }
                None if self.is_made(root) => writeln!(text, "static {}{};", pointer_to(&named)?, self.root(number)),
                None => writeln!(text, "static {} {};", named_type(&named)?, self.root(number)),
            };
        }
        Some(())
    }

    /// Roots that a call makes or takes.
    fn used(&self) -> impl Iterator<Item = (usize, &Root)> {
        let is_used = |number| {
            let mut calls = self.client.calls.iter().chain(&self.client.threads);
            calls.any(|call| call.gives(number) || call.arguments.contains(&ClientArgument::Root(number)))
        };
        self.client.roots.iter().enumerate().filter(move |(number, _)| is_used(*number))
    }

    /// Whether the client makes an object of its own at run time, and has a pointer to it.
    fn is_made(&self, root: &Root) -> bool {
        root.is_object && (self.allocates || self.is_stream(root))
    }

    /// Whether it is a stream of the client's own.
    fn is_stream(&self, root: &Root) -> bool {
        root.is_object && is_stream_type(&c_type(self.module, self.module.strip(root.named)))
    }

    fn has_streams(&self) -> bool {
        self.used().any(|(_, root)| self.is_stream(root))
    }

    /// Makes the objects of the client's own that it makes at run time: statements. Of a stream nothing is known but that it is open.
    fn made(&self) -> impl Iterator<Item = String> {
        self.used().filter(|(_, root)| self.is_made(root)).map(|(number, root)| {
            let it = self.root(number);
            if self.is_stream(root) { format!("{it} = tmpfile();") } else { format!("{it} = calloc(1, sizeof *{it});") }
        })
    }

    /// A call as statements, with the objects that are made for it alone.
    fn call(&self, call: &ClientCall, text: &mut String) -> Option<()> {
        let function = &self.module[call.function];
        let leaves = self.module.leaves(call.function)?;
        let mut own = String::new();
        let mut scalars = Vec::new();
        for (index, (leaf, argument)) in leaves.iter().zip(&call.arguments).enumerate() {
            let value = match call.sets.iter().find(|(set, _)| *set == index) {
                Some((_, root)) => format!("&{}", self.root(*root)),
                None if self.inputs && matches!(argument, ClientArgument::Number(_)) => {
                    let param = function.source_params.get(leaf.param).map_or("", |param| &*param.name);
                    self.input(leaf.ty, (index, &format!("{}.{param}", function.name)), &mut own)
                }
                None => self.scalar(leaf.ty, argument, (index, &mut own))?,
            };
            scalars.push((leaf, value));
        }
        let mut arguments = Vec::new();
        for (param, source) in function.source_params.iter().enumerate() {
            let mut parts = scalars.iter().filter(|(leaf, _)| leaf.param == param);
            arguments.push(if self.module.is_record(source.ty) {
                let member = |(leaf, value): &(&Leaf, String)| {
                    format!("{} = {value}", self.module.path_to(source.ty, leaf.offset))
                };
                let members: Vec<String> = parts.map(member).collect();
                format!("({}){{ {} }}", named_type(&c_type(self.module, source.ty))?, members.join(", "))
            } else {
                parts.next()?.1.clone()
            });
        }
        let made = call.makes.map_or_else(String::new, |root| format!("{} = ", self.root(root)));
        // Of a structure its first member is held.
        let returned = function.return_type.filter(|&ty| call.makes.is_some() && self.module.is_record(ty));
        let member = returned.map_or_else(String::new, |ty| self.module.path_to(ty, 0));
        let statement = format!("{made}{}({}){member};", function.name, arguments.join(", "));
        let _ = match own.is_empty() {
            true => writeln!(text, "    {statement}"),
            false => writeln!(text, "    {{\n{own}        {statement}\n    }}"),
        };
        Some(())
    }

    /// A scalar that a call gets; `own`: which one, and where objects are declared that are made for it alone.
    fn scalar(&self, ty: TypeId, argument: &ClientArgument, (index, own): (usize, &mut String)) -> Option<String> {
        Some(match *argument {
            ClientArgument::Root(root) => {
                let is_variable = self.client.roots.get(root).map(|root| root.is_object && !self.is_made(root))?;
                let address = if is_variable { "&" } else { "" };
                format!("{}{address}{}", self.converted(root, ty), self.root(root))
            }
            ClientArgument::Number(bits) => number(self.module, ty, bits),
            ClientArgument::Null => "NULL".to_owned(),
            ClientArgument::Opaque => self.own(index, "char ", 1, own),
            ClientArgument::Bytes(many) => self.own(index, "char ", many, own),
            ClientArgument::Function(function) => match &self.module[function] {
                // Of any type.
                own if machine::is_client_function(own) => format!("(void *){}", own.name),
                known => known.name.clone(),
            },
            ClientArgument::Fresh(ty) => self.own_of(ty, (index, 1), own)?,
            ClientArgument::Several(ty, many) => self.own_of(ty, (index, many), own)?,
            ClientArgument::Text(ty, many) => self.text(ty, (index, many), own)?,
        })
    }

    /// The cast by which what is held goes where this type is taken: a structure for its first member, or bytes of another sign.
    fn converted(&self, root: usize, ty: TypeId) -> String {
        let module = self.module;
        let maker = self.client.calls.iter().find(|call| call.gives(root));
        let held = match maker {
            Some(maker) => given_by(module, maker, root),
            None => self.client.roots.get(root).map(|root| root.named),
        };
        let is_void = |ty: TypeId| matches!(module[module.strip(ty)], DebugType::Void);
        match held.zip(module.pointee(ty)) {
            Some((held, to)) if !is_void(held) && !is_void(to) && !module.same_type(held, to) => {
                named_type(&c_type(module, ty)).map_or_else(String::new, |name| format!("({name})"))
            }
            _ => String::new(),
        }
    }

    /// Declares a number for one parameter of one call that is an input of this name, and returns what is passed.
    fn input(&self, ty: TypeId, (parameter, name): (usize, &str), text: &mut String) -> String {
        let number = format!("number{parameter}");
        let of = match c_type(self.module, ty) {
            // An enumeration without a name.
            none if none.is_empty() => format!("int{}_t ", 8 * self.module.size_of(ty).unwrap_or(4)),
            some => format!("{some} "),
        };
        let _ = writeln!(text, "        {of}{number};");
        let _ = writeln!(text, "        raddle_symbolic(&{number}, sizeof {number}, {});", tables::string(name));
        number
    }

    fn own_of(&self, ty: TypeId, (parameter, many): (usize, u64), text: &mut String) -> Option<String> {
        Some(self.own(parameter, &format!("{} ", named_type(&c_type(self.module, ty))?), many, text))
    }

    /// Declares a string for one parameter of one call, and returns what is passed.
    fn text(&self, ty: TypeId, (parameter, many): (usize, u64), text: &mut String) -> Option<String> {
        let name = c_type(self.module, ty);
        let of = named_type(&name)?;
        let first = char::from(explore::TEXT);
        if self.allocates {
            let passed = self.own_of(ty, (parameter, many), text)?;
            let _ = writeln!(text, "        {passed}[0] = '{first}';");
            return Some(passed);
        }
        let _ = writeln!(text, "        static {of} own{parameter}[{many}] = {{ '{first}' }};");
        Some(format!("own{parameter}"))
    }

    /// Declares so many objects for one parameter of one call, and returns what is passed. What the library keeps a pointer to has to
    /// stay.
    fn own(&self, parameter: usize, of: &str, many: u64, text: &mut String) -> String {
        let name = format!("own{parameter}");
        let _ = match (self.allocates, many) {
            (true, _) => writeln!(text, "        {of}*{name} = calloc({many}, sizeof *{name});"),
            (false, 1) => {
                let _ = writeln!(text, "        static {of}{name};");
                return format!("&{name}");
            }
            (false, _) => writeln!(text, "        static {of}{name}[{many}];"),
        };
        name
    }
}

/// A floating-point number, of which C writes finite ones with digits alone. `fraction`: of a NaN, whether it is quiet, and the suffix of its
/// type.
fn floating(value: f64, (fraction, quiet, suffix): (u64, bool, &str), finite: impl Fn() -> String) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let signals = if quiet { "" } else { "s" };
    match () {
        () if value.is_nan() => format!("{sign}__builtin_nan{signals}{suffix}(\"{fraction:#x}\")"),
        () if value.is_infinite() => format!("{sign}__builtin_inf()"),
        () => finite(),
    }
}

/// A number as C writes it.
fn number(module: &Module, ty: TypeId, bits: u128) -> String {
    match &module[module.strip(ty)] {
        DebugType::Int { size, kind: IntKind::Signed, .. } if *size <= 8 => {
            let shift = 128 - 8 * *size as u32;
            match ((bits << shift) as i128) >> shift {
                least if least == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
                least if least == i128::from(i32::MIN) => "INT32_MIN".to_owned(),
                value => value.to_string(),
            }
        }
        DebugType::Float { size: 4, .. } => {
            let value = f32::from_bits(bits as u32);
            let fraction = (bits as u64 & 0x3f_ffff, bits >> 22 & 1 == 1, "f");
            floating(f64::from(value), fraction, || format!("{value:?}f"))
        }
        DebugType::Float { size: 8, .. } => {
            let value = f64::from_bits(bits as u64);
            let fraction = (bits as u64 & 0x7_ffff_ffff_ffff, bits >> 51 & 1 == 1, "");
            floating(value, fraction, || format!("{value:?}"))
        }
        _ if bits > i64::MAX as u128 => format!("{bits}u"),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_their_types_have_them() {
        let mut module = Module::default();
        let mut int = |size: u64, kind: IntKind| {
            module.types.push(DebugType::Int { name: "number".to_owned(), size, kind });
            TypeId::new(module.types.len() - 1)
        };
        let (signed, wide, unsigned) = (int(4, IntKind::Signed), int(8, IntKind::Signed), int(8, IntKind::Unsigned));
        assert_eq!(number(&module, signed, 0xffff_ffff), "-1");
        assert_eq!(number(&module, signed, 0x8000_0000), "INT32_MIN");
        assert_eq!(number(&module, signed, 7), "7");
        assert_eq!(number(&module, wide, 0x8000_0000), "2147483648");
        assert_eq!(number(&module, unsigned, u128::from(u64::MAX)), "18446744073709551615u");
    }
}
