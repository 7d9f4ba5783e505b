//! Statements, functions and the whole program.

use std::fmt::Write as _;

use super::expr::{ARITHMETIC, Expr, TYPES, Type, constant};
use super::number::{Numbers, PRELUDE};
use super::scope::{Item, Place, Struct, declare_field, draw_struct, place};
use crate::rng::Rng;

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signature {
    /// `int32_t f(int32_t, int32_t)`: fits the table of function pointers.
    Plain,
    /// A result and two parameters of these types.
    Mixed(Type, [Type; 2]),
    /// `struct sN f(struct sN, int32_t)`.
    ByValue(usize),
    /// `void f(struct sN *, T *)`.
    ByPointer(usize, Type),
    /// `uint64_t f(uint32_t n, uint64_t x)`, calling itself `n` times; `n` at most 7.
    Recursive,
    /// `int64_t f(int n, ...)` over `n` pairs of an `int` and an `int64_t`.
    Variadic,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    signature: Signature,
}

pub(super) struct Writer {
    rng: Rng,
    pub(super) source: String,
    indent: usize,
    defs: Vec<Struct>,
    functions: Vec<Function>,
    /// What is in scope, globals first.
    items: Vec<Item>,
    next_name: u32,
    loops: u32,
    /// Calls that the function being written may still make.
    calls_left: u32,
    in_main: bool,
    table: bool,
}

impl Writer {
    pub(super) fn new(rng: Rng) -> Writer {
        Writer {
            rng,
            source: String::new(),
            indent: 0,
            defs: Vec::new(),
            functions: Vec::new(),
            items: Vec::new(),
            next_name: 0,
            loops: 0,
            calls_left: 0,
            in_main: false,
            table: false,
        }
    }

    pub(super) fn program(&mut self) {
        for header in ["stdarg", "stdint", "stdio", "string"] {
            self.line(&format!("#include <{header}.h>"));
        }
        self.line("");
        self.line("static uint64_t trail = 14695981039346656037ul;");
        self.line("static void note(uint64_t value) { trail = (trail ^ value) * 1099511628211ul; }");
        PRELUDE.iter().for_each(|line| self.line(line));
        self.line("enum { RED, GREEN = 5, BLUE };");
        self.line("union view { uint64_t w; uint8_t b[8]; int16_t h[4]; struct { int32_t low; uint32_t high; } d; };");
        for number in 0..self.rng.between(1, 3) as usize {
            let def = draw_struct(&mut self.rng, number);
            let fields: Vec<String> =
                def.fields.iter().enumerate().map(|(number, field)| declare_field(field, number)).collect();
            self.line(&format!("struct s{number} {{ {} }};", fields.join(" ")));
            self.defs.push(def);
        }
        self.globals();
        for _ in 0..2 {
            self.function(Signature::Plain);
        }
        let names: Vec<&str> = self.functions.iter().map(|function| function.name.as_str()).collect();
        let table = format!("static int32_t (*const table[2])(int32_t, int32_t) = {{ {} }};", names.join(", "));
        self.line(&table);
        self.table = true;
        for _ in 0..self.rng.between(2, 4) {
            let signature = self.signature();
            self.function(signature);
        }
        self.main();
    }

    fn signature(&mut self) -> Signature {
        let def = self.rng.below(self.defs.len());
        match self.rng.below(6) {
            0 => Signature::Recursive,
            1 => Signature::Variadic,
            2 => Signature::ByValue(def),
            3 => Signature::ByPointer(def, self.rng.pick(&TYPES[1..])),
            _ => {
                let types = [self.rng.pick(&TYPES), self.rng.pick(&TYPES)];
                Signature::Mixed(self.rng.pick(&TYPES), types)
            }
        }
    }

    fn globals(&mut self) {
        for _ in 0..self.rng.between(2, 4) {
            let name = self.name("g");
            let ty = self.rng.pick(&TYPES);
            match self.rng.below(4) {
                0 => {
                    let value = constant(&mut self.rng, ty).text;
                    self.line(&format!("static {} {name} = {value};", ty.name()));
                    self.items.push(Item::Scalar { name, ty, writable: true });
                }
                1 => {
                    let values = self.constants(ty, 4);
                    self.line(&format!("static const {} {name}[4] = {{ {values} }};", ty.name()));
                    self.items.push(Item::Array { name, ty, len: 4, writable: false });
                }
                2 => {
                    self.line(&format!("static {} {name}[2][4];", ty.name()));
                    self.items.push(Item::Matrix { name, ty, rows: 2, columns: 4 });
                }
                _ => {
                    let def = self.rng.below(self.defs.len());
                    self.line(&format!("static struct s{def} {name};"));
                    self.items.push(Item::Struct { access: format!("{name}."), name, def });
                }
            }
        }
    }

    fn constants(&mut self, ty: Type, count: u32) -> String {
        let values: Vec<String> = (0..count).map(|_| constant(&mut self.rng, ty).text).collect();
        values.join(", ")
    }

    fn line(&mut self, text: &str) {
        let width = if text.is_empty() { 0 } else { 4 * self.indent };
        // Writing to a string cannot fail.
        let _ = writeln!(self.source, "{:width$}{text}", "");
    }

    fn open(&mut self, text: &str) -> usize {
        self.line(text);
        self.indent += 1;
        self.items.len()
    }

    /// Ends a block; what was declared in it goes out of scope.
    fn close(&mut self, scope: usize, text: &str) {
        self.items.truncate(scope);
        self.indent -= 1;
        self.line(text);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn scalar(&mut self, name: &str, ty: Type, writable: bool) {
        self.items.push(Item::Scalar { name: name.to_owned(), ty, writable });
    }

    fn function(&mut self, signature: Signature) {
        let name = self.name("fn");
        self.line("");
        self.calls_left = 2;
        let scope = match signature {
            Signature::Plain => self.mixed(&name, Type::I32, [Type::I32; 2]),
            Signature::Mixed(result, parameters) => self.mixed(&name, result, parameters),
            Signature::ByValue(def) => {
                let scope = self.open(&format!("static struct s{def} {name}(struct s{def} s, int32_t a) {{"));
                self.items.push(Item::Struct { name: "s".to_owned(), access: "s.".to_owned(), def });
                self.scalar("a", Type::I32, true);
                self.block(4);
                self.line("return s;");
                scope
            }
            Signature::ByPointer(def, ty) => {
                let scope = self.open(&format!("static void {name}(struct s{def} *s, {} *p) {{", ty.name()));
                self.items.push(Item::Struct { name: "(*s)".to_owned(), access: "s->".to_owned(), def });
                self.items.push(Item::Pointer { name: "p".to_owned(), ty, len: 1 });
                self.block(4);
                scope
            }
            Signature::Recursive => {
                let scope = self.open(&format!("static uint64_t {name}(uint32_t n, uint64_t x) {{"));
                self.scalar("n", Type::U32, false);
                self.scalar("x", Type::U64, true);
                let last = self.expr(2).text;
                self.line(&format!("if (n == 0) return (uint64_t){last};"));
                self.block(2);
                let (sign, argument) = (self.rng.pick(&ARITHMETIC), self.expr(2).text);
                self.line(&format!("return x {sign} {name}(n - 1, (uint64_t){argument});"));
                scope
            }
            Signature::Variadic => {
                let scope = self.open(&format!("static int64_t {name}(int n, ...) {{"));
                for line in [
                    "va_list arguments;",
                    "uint64_t sum = 0;",
                    "va_start(arguments, n);",
                    "for (int i = 0; i < n; i++) {",
                    "    sum = sum * 31 + (uint64_t)va_arg(arguments, int);",
                    "    sum ^= (uint64_t)va_arg(arguments, int64_t);",
                    "}",
                    "va_end(arguments);",
                    "return (int64_t)sum;",
                ] {
                    self.line(line);
                }
                scope
            }
        };
        self.close(scope, "}");
        self.functions.push(Function { name, signature });
    }

    fn mixed(&mut self, name: &str, result: Type, [a, b]: [Type; 2]) -> usize {
        let (r, a_name, b_name) = (result.name(), a.name(), b.name());
        let scope = self.open(&format!("static {r} {name}({a_name} a, {b_name} b) {{"));
        self.scalar("a", a, true);
        self.scalar("b", b, true);
        if self.rng.chance(30) {
            self.line("static uint32_t calls = 3;");
            self.line("calls++;");
            self.scalar("calls", Type::U32, true);
        }
        self.block(4);
        let value = self.expr(3).text;
        self.line(&format!("return ({r}){value};"));
        scope
    }

    fn main(&mut self) {
        self.line("");
        self.calls_left = 12;
        self.in_main = true;
        let scope = self.open("int main(void) {");
        for part in 0..self.rng.between(5, 8) {
            self.block(5);
            for _ in 0..4 {
                if let Some(place) = self.some_place() {
                    self.line(&format!("note((uint64_t){});", place.value.text));
                }
            }
            self.line(&format!("printf(\"{part}: %016llx\\n\", (unsigned long long)trail);"));
        }
        self.line("return (int)(trail & 63);");
        self.close(scope, "}");
    }

    /// Between one and `most` statements in the present scope.
    fn block(&mut self, most: i64) {
        for _ in 0..self.rng.between(1, most) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let nested = self.indent < 4;
        match self.rng.below(26) {
            0..3 => self.assign(),
            3..5 => self.compound(),
            5 => self.step(),
            6..8 => self.declare_scalar(),
            8 => self.declare_array(),
            9 => self.declare_struct(),
            10 => self.declare_pointer(),
            11 => self.declare_union(),
            12 if nested => self.branch(),
            13 if nested && self.loops < 2 => self.counted_loop(),
            14 if nested && self.loops < 2 => self.while_loop(),
            15 if nested => self.switch(),
            16..20 if self.calls_left > 0 && self.loops < 2 => self.call(),
            20 if self.loops > 0 => self.leave(),
            21 => self.print(),
            22 if nested => self.jump(),
            23 => self.library_call(),
            24 if nested => self.numbers(),
            _ => {
                let value = self.expr(3).text;
                self.line(&format!("note((uint64_t){value});"));
            }
        }
    }

    /// A block of floating-point numbers and wide integers.
    fn numbers(&mut self) {
        // The expressions are drawn first: they draw from the same stream.
        let mut drawn: Vec<Expr> = (0..24).map(|_| self.expr(1)).collect();
        let mut integer = |_: &mut Rng| drawn.pop().unwrap_or_else(|| Expr::literal(Type::I32, 3));
        let lines = Numbers::default().block(&mut self.rng, &mut integer);
        let scope = self.open("{");
        lines.iter().for_each(|line| self.line(line));
        self.close(scope, "}");
    }

    // Expressions.

    fn some_place(&mut self) -> Option<Place> {
        if self.items.is_empty() {
            return None;
        }
        let item = self.items[self.rng.below(self.items.len())].clone();
        // An index is a constant or a variable, not another element: that is deep enough.
        let scalars: Vec<Expr> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Scalar { name, ty, .. } => Some(Expr::any(name, *ty)),
                _ => None,
            })
            .collect();
        let mut index = |rng: &mut Rng, len: u32| match scalars.len() {
            0 => rng.below(len as usize).to_string(),
            _ if rng.chance(40) => rng.below(len as usize).to_string(),
            count => scalars[rng.below(count)].index(len),
        };
        Some(place(&mut self.rng, &self.defs, &item, &mut index))
    }

    fn writable_place(&mut self) -> Option<Expr> {
        (0..6).find_map(|_| self.some_place().filter(|place| place.writable)).map(|place| place.value)
    }

    fn leaf(&mut self) -> Expr {
        if self.rng.chance(75)
            && let Some(place) = self.some_place()
        {
            return place.value;
        }
        match self.rng.below(8) {
            0 => Expr::between("\"raddle\"[2]", Type::I32, 0, 127),
            1 => Expr::between("'x'", Type::I32, 120, 120),
            2 => Expr::between("BLUE", Type::I32, 6, 6),
            3 => {
                let ty = self.rng.pick(&TYPES);
                Expr::between(format!("sizeof({})", ty.name()), Type::U64, 1, 8)
            }
            _ => {
                let ty = self.rng.pick(&TYPES);
                constant(&mut self.rng, ty)
            }
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.rng.chance(20) {
            return self.leaf();
        }
        let a = self.expr(depth - 1);
        match self.rng.below(16) {
            0..5 => {
                let b = self.expr(depth - 1);
                a.wrapping(self.rng.pick(&ARITHMETIC), b)
            }
            5 => {
                let b = self.expr(depth - 1);
                let negative = self.rng.chance(30);
                a.divide(self.rng.pick(&["/", "%"]), b, negative)
            }
            6..8 => {
                let b = self.leaf();
                a.shift(self.rng.pick(&["<<", ">>"]), b)
            }
            8..10 => {
                let b = self.expr(depth - 1);
                a.bitwise(self.rng.pick(&["&", "|", "^"]), b)
            }
            10..12 => {
                let b = self.expr(depth - 1);
                a.truth(self.rng.pick(&["==", "!=", "<", "<=", ">", ">=", "&&", "||"]), b)
            }
            12 => {
                let ty = self.rng.pick(&TYPES);
                a.cast(ty)
            }
            13 => a.complement(),
            14 => {
                if self.rng.chance(50) {
                    a.negate()
                } else {
                    a.not()
                }
            }
            _ => {
                let (then, otherwise) = (self.expr(depth - 1), self.expr(depth - 1));
                a.select(then, otherwise)
            }
        }
    }

    // Statements.

    fn assign(&mut self) {
        let Some(to) = self.writable_place() else { return };
        let value = self.expr(3).text;
        self.line(&format!("{} = {value};", to.text));
    }

    fn compound(&mut self) {
        let Some(to) = self.writable_place() else { return };
        let value = self.expr(2);
        let sign = self.rng.pick(&["+", "-", "*", "&", "|", "^"]);
        if ARITHMETIC.contains(&sign) && to.arithmetic(sign, &value).is_none() {
            let text = to.clone().wrapping(sign, value).text;
            self.line(&format!("{} = {text};", to.text));
        } else {
            self.line(&format!("{} {sign}= {};", to.text, value.text));
        }
    }

    fn step(&mut self) {
        let Some(to) = self.writable_place() else { return };
        let one = Expr::literal(Type::I32, 1);
        let text = match self.rng.below(4) {
            // A step down from a false `_Bool` is true; there is nothing unusual to see.
            0 if to.arithmetic("-", &one).is_some() => format!("{}--;", to.text),
            1 if to.arithmetic("+", &one).is_some() => format!("note((uint64_t){}++);", to.text),
            2 if to.arithmetic("+", &one).is_some() => format!("note((uint64_t)++{});", to.text),
            _ => format!("{} ^= 1;", to.text),
        };
        self.line(&text);
    }

    fn declare_scalar(&mut self) {
        let (name, ty) = (self.name("v"), self.rng.pick(&TYPES));
        let value = self.expr(3).text;
        self.line(&format!("{} {name} = {value};", ty.name()));
        self.scalar(&name, ty, true);
    }

    fn declare_array(&mut self) {
        let (name, ty, len) = (self.name("a"), self.rng.pick(&TYPES), 1 << self.rng.between(1, 3));
        let values: Vec<String> = (0..2).map(|_| format!("({}){}", ty.name(), self.expr(1).text)).collect();
        // The rest is zero (C11 6.7.9p21).
        self.line(&format!("{} {name}[{len}] = {{ {} }};", ty.name(), values.join(", ")));
        self.items.push(Item::Array { name, ty, len, writable: true });
    }

    fn declare_struct(&mut self) {
        let (name, def) = (self.name("s"), self.rng.below(self.defs.len()));
        let same = self.struct_of(Some(def));
        let value = same.filter(|_| self.rng.chance(60)).unwrap_or_else(|| "{ 0 }".to_owned());
        self.line(&format!("struct s{def} {name} = {value};"));
        let access = format!("{name}.");
        if self.rng.chance(40) {
            let pointer = self.name("ps");
            self.line(&format!("struct s{def} *{pointer} = &{name};"));
            let access = format!("{pointer}->");
            self.items.push(Item::Struct { name: format!("(*{pointer})"), access, def });
        }
        self.items.push(Item::Struct { name, access, def });
    }

    /// The name of some structure of this type, or of any.
    fn struct_of(&mut self, wanted: Option<usize>) -> Option<String> {
        let names: Vec<String> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Struct { name, def, .. } if wanted.is_none_or(|wanted| wanted == *def) => Some(name.clone()),
                _ => None,
            })
            .collect();
        if names.is_empty() { None } else { Some(names[self.rng.below(names.len())].clone()) }
    }

    /// The address of the first of at least `len` elements of this type.
    fn address(&mut self, ty: Type, len: u32) -> Option<String> {
        let candidates: Vec<String> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Scalar { name, ty: other, writable: true } if *other == ty && len == 1 => {
                    Some(format!("&{name}"))
                }
                Item::Array { name, ty: other, len: has, writable: true } if *other == ty && *has >= len => {
                    Some(if *has > len { format!("&{name}[{}]", has - len) } else { name.clone() })
                }
                Item::Matrix { name, ty: other, columns, .. } if *other == ty && *columns >= len => {
                    Some(format!("{name}[1]"))
                }
                Item::Pointer { name, ty: other, len: has } if *other == ty && *has >= len => {
                    Some(format!("{name} + {}", has - len))
                }
                _ => None,
            })
            .collect();
        if candidates.is_empty() { None } else { Some(candidates[self.rng.below(candidates.len())].clone()) }
    }

    fn declare_pointer(&mut self) {
        let (start, len) = (self.rng.below(TYPES.len()), 1 << self.rng.below(3));
        let found = (0..TYPES.len()).find_map(|step| {
            let ty = TYPES[(start + step) % TYPES.len()];
            self.address(ty, len).map(|address| (ty, address))
        });
        let Some((ty, address)) = found else { return self.declare_array() };
        let name = self.name("p");
        self.line(&format!("{} *{name} = {address};", ty.name()));
        if self.rng.chance(40) {
            let outer = self.name("pp");
            self.line(&format!("{} **{outer} = &{name};", ty.name()));
            if let Some(address) = self.address(ty, len) {
                self.line(&format!("*{outer} = {address};"));
            }
            self.items.push(Item::PointerPointer { name: outer, ty, len });
        }
        self.items.push(Item::Pointer { name, ty, len });
    }

    fn declare_union(&mut self) {
        let name = self.name("u");
        let value = self.expr(2).text;
        self.line(&format!("union view {name} = {{ .w = (uint64_t){value} }};"));
        self.items.push(Item::Union { name });
    }

    fn branch(&mut self) {
        let condition = self.expr(3).text;
        let scope = self.open(&format!("if ({condition}) {{"));
        self.block(3);
        if self.rng.chance(50) {
            self.close(scope, "} else {");
            self.indent += 1;
            self.block(3);
        }
        self.close(scope, "}");
    }

    fn counted_loop(&mut self) {
        let (name, times) = (self.name("i"), self.rng.between(1, 4));
        let scope = self.open(&format!("for (int32_t {name} = 0; {name} < {times}; {name}++) {{"));
        self.scalar(&name, Type::I32, false);
        self.loops += 1;
        self.block(4);
        self.loops -= 1;
        self.close(scope, "}");
    }

    /// Counts down first, so that `continue` cannot skip it.
    fn while_loop(&mut self) {
        let (name, times) = (self.name("w"), self.rng.between(1, 4));
        self.line(&format!("uint32_t {name} = {times};"));
        let until = self.rng.chance(50);
        let condition = self.leaf().truth("||", Expr::literal(Type::I32, 1)).text;
        let scope = self.open(&if until { "do {".to_owned() } else { format!("while ({name} > 0 && {condition}) {{") });
        self.line(&format!("{name}--;"));
        self.scalar(&name, Type::U32, false);
        self.loops += 1;
        self.block(4);
        self.loops -= 1;
        self.close(scope, &if until { format!("}} while ({name} > 0);") } else { "}".to_owned() });
    }

    fn switch(&mut self) {
        let value = self.expr(2).text;
        let scope = self.open(&format!("switch ({value} & 7) {{"));
        for case in [0, 1, 3, 6] {
            let inner = self.open(&format!("case {case}: {{"));
            self.block(2);
            // Some cases fall into the next.
            let leaves = self.rng.chance(65);
            self.close(inner, if leaves { "} break;" } else { "} // falls through" });
        }
        let inner = self.open("default: {");
        self.block(2);
        self.close(inner, "}");
        self.close(scope, "}");
    }

    /// `break` or `continue`, inside a loop and outside a `switch` of its own.
    fn leave(&mut self) {
        let condition = self.expr(2).text;
        let what = self.rng.pick(&["break", "continue"]);
        self.line(&format!("if ({condition}) {what};"));
    }

    /// A forward jump over a block.
    fn jump(&mut self) {
        let (label, condition) = (self.name("skip"), self.expr(2).text);
        self.line(&format!("if ({condition}) goto {label};"));
        let scope = self.open("{");
        self.block(3);
        self.close(scope, "}");
        self.line(&format!("{label}:;"));
    }

    fn call(&mut self) {
        if self.functions.is_empty() {
            return;
        }
        self.calls_left -= 1;
        let Function { name, signature } = self.functions[self.rng.below(self.functions.len())].clone();
        match signature {
            Signature::Plain | Signature::Mixed(..) => {
                let (a, b) = (self.expr(2).text, self.expr(2).text);
                let through_table = self.table && signature == Signature::Plain && self.rng.chance(60);
                let callee =
                    if through_table { format!("table[{} & 1]", self.expr(1).cast(Type::U32).text) } else { name };
                self.assign_call(&format!("{callee}({}, {})", cast_to(signature, 0, &a), cast_to(signature, 1, &b)));
            }
            Signature::Recursive => {
                let (count, x) = (self.expr(1).text, self.expr(2).text);
                self.assign_call(&format!("{name}({count} & 7, (uint64_t){x})"));
            }
            Signature::Variadic => {
                let pairs = self.rng.below(4);
                let values: String = (0..pairs)
                    .map(|_| format!(", (int){}, (int64_t){}", self.expr(1).text, self.expr(1).text))
                    .collect();
                self.assign_call(&format!("{name}({pairs}{values})"));
            }
            Signature::ByValue(def) => {
                let value = self.expr(2).text;
                if let (Some(to), Some(from)) = (self.struct_of(Some(def)), self.struct_of(Some(def))) {
                    self.line(&format!("{to} = {name}({from}, (int32_t){value});"));
                }
            }
            Signature::ByPointer(def, ty) => {
                if let (Some(whole), Some(part)) = (self.struct_of(Some(def)), self.address(ty, 1)) {
                    self.line(&format!("{name}(&{whole}, {part});"));
                }
            }
        }
    }

    fn assign_call(&mut self, call: &str) {
        if self.rng.chance(50) {
            return self.line(&format!("note((uint64_t){call});"));
        }
        let name = self.name("r");
        let ty = self.rng.pick(&TYPES);
        self.line(&format!("{} {name} = {call};", ty.name()));
        self.scalar(&name, ty, true);
    }

    fn print(&mut self) {
        let value = self.expr(2);
        let (format, wide) = match value.ty {
            Type::I64 => (self.rng.pick(&["%lld", "%5lld"]), "(long long)"),
            Type::U64 => (self.rng.pick(&["%llu", "%llx", "%08llx"]), "(unsigned long long)"),
            Type::U32 => (self.rng.pick(&["%u", "%x", "%#x", "%03u"]), ""),
            _ => (self.rng.pick(&["%d", "%i", "%4d", "%-4d|"]), ""),
        };
        match self.rng.below(6) {
            0 => {
                let letter = self.rng.pick(&["'a'", "'A'", "'0'"]);
                self.line(&format!("printf(\"%c%%\\n\", {letter} + (int)({} & 7));", value.text));
            }
            1 => self.line(&format!("printf(\"%s {format}\\n\", \"value\", {wide}{});", value.text)),
            _ => self.line(&format!("printf(\"{format}\\n\", {wide}{});", value.text)),
        }
    }

    /// Library functions that clang turns into intrinsics, a walk over a string, a copied structure.
    fn library_call(&mut self) {
        let arrays: Vec<(String, bool)> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Array { name, ty, len, writable: true } => Some((name.clone(), *len >= 4 && *ty != Type::Bool)),
                _ => None,
            })
            .collect();
        let array = if arrays.is_empty() { None } else { Some(arrays[self.rng.below(arrays.len())].clone()) };
        match (self.rng.below(4), array) {
            // Any byte is a value of an integer type, except for `_Bool`.
            (0, Some((name, true))) => {
                let byte = self.rng.below(256);
                self.line(&format!("memset({name}, {byte}, sizeof {name});"));
            }
            (1, Some((name, _))) => {
                let copy = self.name("m");
                self.line(&format!("uint8_t {copy}[sizeof {name}];"));
                self.line(&format!("memcpy({copy}, {name}, sizeof {name});"));
                self.line(&format!("note({copy}[sizeof {name} - 1]);"));
            }
            (2, _) => {
                let name = self.name("c");
                self.line(&format!("for (const char *{name} = \"warp\"; *{name}; {name}++) note((uint64_t)*{name});"));
            }
            _ => {
                if let Some(first) = self.struct_of(None)
                    && let Some(def) = self.items.iter().find_map(|item| match item {
                        Item::Struct { name, def, .. } if *name == first => Some(*def),
                        _ => None,
                    })
                    && let Some(second) = self.struct_of(Some(def))
                    && second != first
                {
                    self.line(&format!("{first} = {second};"));
                }
            }
        }
    }
}

fn cast_to(signature: Signature, parameter: usize, text: &str) -> String {
    let ty = match signature {
        Signature::Mixed(_, parameters) => parameters[parameter],
        _ => Type::I32,
    };
    format!("({}){text}", ty.name())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Output};

    use super::super::generate;

    fn build_and_run(folder: &Path, source: &str, args: &[&str]) -> Output {
        let (file, binary) = (folder.join("program.c"), folder.join("program"));
        fs::write(&file, source).expect("written");
        let built = Command::new("clang-22").args(args).arg("-w").arg(&file).arg("-lm").arg("-o").arg(&binary).status();
        assert!(built.expect("clang-22 runs").success(), "{source}");
        Command::new(&binary).output().expect("the program runs")
    }

    #[test]
    fn programs_are_defined_and_end() {
        let folder = tempfile::tempdir().expect("a folder");
        for seed in 0..8 {
            let source = generate(seed);
            assert_eq!(source, generate(seed));
            // Undefined behaviour would stop the first, and is likely to tell the two apart.
            let checked = ["-O0", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
            let plain = build_and_run(folder.path(), &source, &checked);
            let optimised = build_and_run(folder.path(), &source, &["-O2"]);
            assert!(plain.stderr.is_empty(), "seed {seed}: {}", String::from_utf8_lossy(&plain.stderr));
            assert_eq!(plain.stdout, optimised.stdout, "seed {seed}");
            assert_eq!(plain.status, optimised.status, "seed {seed}");
            assert!(plain.stdout.iter().filter(|&&byte| byte == b'\n').count() >= 5);
        }
    }

    #[test]
    fn every_feature_is_common() {
        let features = [
            ": 1",
            "->",
            "&&",
            "||",
            " ? ",
            "switch",
            "falls through",
            "goto",
            "break",
            "continue",
            "while (",
            "do {",
            "for (",
            "va_arg",
            "(n - 1",
            "table[",
            "union view u",
            "static const",
            "memset",
            "memcpy",
            "[2][4]",
            "**",
            "struct s0 s,",
            "*s,",
            "_Bool",
            "int8_t",
            "uint16_t",
            "int64_t",
            " / ",
            " % ",
            "<<",
            ">>",
            "calls++",
            "%c",
        ];
        let sources: Vec<String> = (0..300).map(generate).collect();
        for feature in features {
            let count = sources.iter().filter(|source| source.contains(feature)).count();
            assert!(count * 20 >= sources.len(), "{feature}: {count}");
        }
    }
}
