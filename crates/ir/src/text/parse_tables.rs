//! Parsing of a module's tables.

use super::lex::Token;
use super::numbered;
use super::parse::{Parsed, Parser, fail_at};
use super::parse_body::Body;
use crate::{
    Address, DebugType, Field, FileId, FuncId, Function, Global, GlobalId, Init, IntKind, Location, Module, Param,
    Piece, PointerSize, Qualifier, SourceFile, SourceParam, Space,
};

impl Parser<'_> {
    pub(super) fn module(mut self) -> Parsed<Module> {
        let mut module = Module::default();
        self.advance()?;
        while self.token != Token::End {
            self.item(&mut module)?;
        }
        Ok(module)
    }

    fn item(&mut self, module: &mut Module) -> Parsed<()> {
        match self.token {
            Token::Word("pointers") => {
                self.advance()?;
                self.word("of")?;
                let at = self.at;
                module.pointer = match self.number("a number of bytes")? {
                    4u64 => PointerSize::Four,
                    8 => PointerSize::Eight,
                    _ => return fail_at(at, "4 or 8"),
                };
                self.word("bytes")?;
            }
            Token::Word("loc") => {
                self.advance()?;
                let at = self.at;
                let found = self.eat_location()?.map(crate::LocId::index);
                in_order(at, "!", found, module.locations.len())?;
                let location = self.location()?;
                module.locations.push(location);
            }
            Token::Word("global") => {
                self.advance()?;
                self.table_id("g", module.globals.len())?;
                let global = self.global()?;
                module.globals.push(global);
            }
            Token::Word("fn") => {
                self.advance()?;
                self.table_id("f", module.functions.len())?;
                let function = self.function()?;
                module.functions.push(function);
            }
            Token::Word(word) if numbered("T", word).is_some() => {
                self.table_id("T", module.types.len())?;
                self.mark("=")?;
                let ty = self.debug_type()?;
                module.types.push(ty);
            }
            Token::Word(word) if numbered("w", word).is_some() => {
                self.table_id("w", module.wide.len())?;
                self.mark("=")?;
                let value = self.number("a number")?;
                module.wide.push(value);
            }
            Token::Word(word) if numbered("file", word).is_some() => {
                self.table_id("file", module.files.len())?;
                self.mark("=")?;
                let path = self.string("a quoted path")?;
                self.word("in")?;
                let directory = self.string("a quoted directory")?;
                module.files.push(SourceFile { path, directory });
            }
            _ => return self.fail("`fn`, `global`, `loc`, or an entry of a table such as `T0 =`"),
        }
        Ok(())
    }

    /// The id of a table's next entry: entries stand in order.
    fn table_id(&mut self, prefix: &'static str, next: usize) -> Parsed<()> {
        let at = self.at;
        let found = self.eat_id(prefix)?;
        in_order(at, prefix, found, next)
    }

    fn file_id(&mut self) -> Parsed<FileId> {
        self.id("file", "a file such as `file0`").map(FileId::new)
    }

    fn location(&mut self) -> Parsed<Location> {
        self.mark("=")?;
        let file = self.file_id()?;
        self.mark(":")?;
        let line = self.number("a line")?;
        self.mark(":")?;
        let column = self.number("a column")?;
        self.word("in")?;
        let function = self.name()?;
        let inlined_at = match self.eat_word("at")? {
            false => None,
            true => match self.eat_location()? {
                None => return self.fail("a position such as `!3`"),
                found => found,
            },
        };
        let assembly = self.eat_word("asm")?;
        Ok(Location { file, line, column, function, inlined_at, assembly })
    }

    fn debug_type(&mut self) -> Parsed<DebugType> {
        if let Some(kind) = self.eat_keyword::<IntKind>()? {
            return Ok(DebugType::Int { name: self.name()?, size: self.number("a size")?, kind });
        }
        if let Some(qualifier) = self.eat_keyword::<Qualifier>()? {
            return Ok(DebugType::Qualified { qualifier, to: self.type_id()? });
        }
        if let Some(of) = self.eat_type_id()? {
            self.mark("[")?;
            let count = if self.token == Token::Mark("]") { None } else { Some(self.number("a number of elements")?) };
            self.mark("]")?;
            return Ok(DebugType::Array { of, count });
        }
        let Token::Word(word) = self.token else { return self.fail("a debug type") };
        if !matches!(word, "void" | "floating" | "enum" | "ptr" | "struct" | "union" | "fn" | "typedef" | "opaque") {
            return self.fail("a debug type");
        }
        self.advance()?;
        Ok(match word {
            "void" => DebugType::Void,
            "floating" => DebugType::Float { name: self.name()?, size: self.number("a size")? },
            "ptr" => DebugType::Pointer { to: self.type_id()? },
            "typedef" => DebugType::Typedef { name: self.name()?, to: self.type_id()? },
            "opaque" => DebugType::Opaque { name: self.name()? },
            "enum" => {
                let (name, size) = (self.name()?, self.number("a size")?);
                self.mark("{")?;
                let values = self.list_until("}", |p| {
                    let label = p.name()?;
                    p.mark("=")?;
                    Ok((label, p.signed()?))
                })?;
                DebugType::Enum { name, size, values }
            }
            "fn" => {
                self.mark("(")?;
                let (params, variadic) = self.params(Self::type_id)?;
                self.mark("->")?;
                DebugType::Function { ret: self.type_id()?, params, variadic }
            }
            _ => {
                let (name, size) = (self.name()?, self.number("a size")?);
                self.mark("{")?;
                let fields = self.list_until("}", Self::field)?;
                DebugType::Record { name, size, union: word == "union", fields }
            }
        })
    }

    fn field(&mut self) -> Parsed<Field> {
        let offset = self.number("a byte offset")?;
        let name = self.name()?;
        self.mark(":")?;
        let ty = self.type_id()?;
        let bits = if self.eat_word("bits")? {
            let first = self.number("a bit")?;
            self.mark("+")?;
            Some((first, self.number("a number of bits")?))
        } else {
            None
        };
        Ok(Field { name, ty, offset, bits })
    }

    /// Parameters up to `)`, and whether `...` follows them.
    fn params<T>(&mut self, mut param: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<(Vec<T>, bool)> {
        let params = self.list_until(")", |p| if p.eat("...")? { Ok(None) } else { param(p).map(Some) })?;
        let count = params.len();
        let named: Vec<T> = params.into_iter().flatten().collect();
        match count - named.len() {
            0 => Ok((named, false)),
            1 => Ok((named, true)),
            _ => self.fail("one `...` only"),
        }
    }

    fn global(&mut self) -> Parsed<Global> {
        let name = self.name()?;
        self.mark(":")?;
        let size = self.number("a size")?;
        self.word("align")?;
        let align = self.number("an alignment")?;
        let ty = self.eat_type_id()?;
        let external = self.eat_word("external")?;
        let constant = self.eat_word("const")?;
        let thread_local = self.eat_word("thread_local")?;
        let library = self.eat_word("library")?;
        let guarded = self.eat_word("guarded")?;
        let mut space = Space::Ordinary;
        for known in Space::NAMED {
            if space == Space::Ordinary && self.eat_word(known.word().unwrap_or_default())? {
                space = known;
            }
        }
        let stands_for = self.eat_stands_for("g", "a global such as `g0`")?.map(GlobalId::new);
        self.mark("=")?;
        let init = self.init()?;
        let location = self.eat_location()?;
        Ok(Global {
            name,
            size,
            align,
            constant,
            thread_local,
            space,
            external,
            library,
            guarded,
            stands_for,
            ty,
            init,
            location,
        })
    }

    /// `for g0:name`
    fn eat_stands_for(&mut self, prefix: &'static str, what: &'static str) -> Parsed<Option<usize>> {
        if !self.eat_word("for")? {
            return Ok(None);
        }
        let id = self.id(prefix, what)?;
        self.skip_label()?;
        Ok(Some(id))
    }

    fn init(&mut self) -> Parsed<Init> {
        if self.eat_word("elsewhere")? {
            return Ok(Init::External);
        }
        if self.eat_word("zero")? {
            return Ok(Init::Zero);
        }
        let bytes = if self.eat_word("hex")? {
            let at = self.at;
            match bytes_of_hex(&self.quoted("a quoted string")?) {
                Some(bytes) => bytes,
                None => return fail_at(at, "pairs of hexadecimal digits"),
            }
        } else if self.eat_word("text")? {
            self.quoted("a quoted string")?
        } else {
            return self.fail("`zero`, `elsewhere`, `text` or `hex`");
        };
        let mut addresses = Vec::new();
        if self.eat("{")? {
            addresses = self.list_until("}", |p| {
                let offset = p.number("a byte offset")?;
                p.mark(":")?;
                Ok((offset, p.relocation()?))
            })?;
        }
        Ok(Init::Data { bytes, addresses })
    }

    fn relocation(&mut self) -> Parsed<Address> {
        if let Some(id) = self.eat_id("f")? {
            self.skip_label()?;
            return Ok(Address::Func(FuncId::new(id)));
        }
        match self.eat_global_address()? {
            Some((global, plus)) => Ok(Address::Global(global, plus)),
            None => self.fail("a global such as `g0` or a function such as `f0`"),
        }
    }

    /// `g0:name` or `(g0:name + 8)`.
    pub(super) fn eat_global_address(&mut self) -> Parsed<Option<(GlobalId, i64)>> {
        if !self.eat("(")? {
            let Some(id) = self.eat_id("g")? else { return Ok(None) };
            self.skip_label()?;
            return Ok(Some((GlobalId::new(id), 0)));
        }
        let id = self.id("g", "a global such as `g0`")?;
        self.skip_label()?;
        let negative = self.eat("-")?;
        if !negative {
            self.mark("+")?;
        }
        let plus = self.magnitude(negative)?;
        self.mark(")")?;
        Ok(Some((GlobalId::new(id), plus)))
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut body = Body::default();
        let name = self.name()?;
        self.mark("(")?;
        let (params, variadic) = self.params(|p| {
            let reg = p.definition(&mut body)?;
            let by_value = p.eat_by_value()?;
            Ok(Param { reg, by_value, returned_through: p.eat_word("sret")? })
        })?;
        let mut returns = Vec::new();
        if self.eat("->")? {
            returns.push(self.ty()?);
            while self.eat(",")? {
                returns.push(self.ty()?);
            }
        }
        let external = self.eat_word("external")?;
        let no_return = self.eat_word("noreturn")?;
        let address_taken = self.eat_word("address_taken")?;
        let library = self.eat_word("library")?;
        let kernel = self.eat_word("kernel")?;
        let most_threads = match self.eat_word("threads")? {
            true => {
                self.mark("(")?;
                let most = self.number("a number of threads")?;
                self.mark(")")?;
                Some(most)
            }
            false => None,
        };
        let device = self.eat_word("device")?;
        let excess_precision = self.eat_word("excess")?;
        let stands_for = self.eat_stands_for("f", "a function such as `f0`")?.map(FuncId::new);
        let file = self.eat_id("file")?.map(FileId::new);
        let location = self.eat_location()?;
        let return_type = if self.eat_word("returns")? { Some(self.type_id()?) } else { None };
        let mut source_params = Vec::new();
        if self.eat_word("source")? {
            self.mark("(")?;
            source_params = self.list_until(")", |p| {
                let name = p.name()?;
                p.mark(":")?;
                Ok(SourceParam { name, ty: p.type_id()? })
            })?;
        }
        let mut pieces = Vec::new();
        if self.eat_word("passes")? {
            self.mark("(")?;
            pieces = self.list_until(")", |p| {
                if p.eat_word("result")? {
                    return Ok(Piece::Result);
                }
                let source = p.number("a parameter's number")?;
                p.word("from")?;
                Ok(Piece::Of(source, p.number("a byte's number")?))
            })?;
        }
        if self.eat_word("unset")? {
            self.mark("(")?;
            self.list_until(")", |p| p.definition(&mut body))?;
        }
        body.returns = returns;
        let mut blocks = if self.eat("{")? { self.blocks(&mut body)? } else { Vec::new() };
        let registers = self.registers(&mut body, &mut blocks)?;
        Ok(Function {
            name,
            file,
            external,
            variadic,
            no_return,
            library,
            kernel,
            most_threads,
            device,
            stands_for,
            excess_precision,
            params,
            returns: body.returns,
            return_type,
            source_params,
            pieces,
            registers,
            address_taken,
            location,
            blocks,
        })
    }
}

fn in_order(at: usize, prefix: &str, found: Option<usize>, next: usize) -> Parsed<()> {
    if found == Some(next) { Ok(()) } else { fail_at(at, format!("`{prefix}{next}`, the next of its table")) }
}

fn bytes_of_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| Some((digit(*high)? * 16 + digit(*low)?) as u8)).collect())
        .flatten()
}
