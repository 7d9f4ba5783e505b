//! Reading the inputs and linking them into one module.

use crate::driver::Side;
use crate::error::{Failure, Kind};
use crate::library::{self, Library};
use crate::llvm::{Context, Module, ParseError, Value, is_gpu};
use llvm_sys::LLVMLinkage;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// One source, as LLVM is to read it.
pub(crate) struct Input {
    /// What the user typed.
    pub(crate) name: String,
    pub(crate) read_from: PathBuf,
    /// Compiled by us, from C or from CUDA.
    pub(crate) from_c: bool,
    /// Given as bitcode.
    pub(crate) is_bitcode: bool,
    /// Of CUDA that we compiled.
    pub(crate) side: Option<Side>,
}

/// What all inputs come to.
pub(crate) struct Linked<'c> {
    pub(crate) module: Module<'c>,
    /// Some of it is a GPU's code.
    pub(crate) has_device: bool,
}

/// Reads, prepares and links all inputs, then promotes local variables. Of CUDA each side is linked by itself, then both together.
pub(crate) fn load<'c>(context: &'c Context, inputs: &[Input], library: &Library) -> Result<Linked<'c>, Failure> {
    let (hosts, others): (Vec<&Input>, Vec<&Input>) = inputs.iter().partition(|input| input.side == Some(Side::Host));
    let mut module = link_all(context, &others)?;
    let has_device = is_gpu(&module.target());
    if !hosts.is_empty() && has_device {
        let mut host = link_all(context, &hosts)?;
        host.adopt(module).map_err(|e| Failure::new(Kind::Link, format!("the sides of a program: {e}")))?;
        module = host;
    }
    // The C library's sources are for processors. What a device has of it, the machine has models for.
    if !is_gpu(&module.target()) {
        library.supply(context, &mut module)?;
    }
    module.promote().map_err(|e| Failure::new(Kind::Lower, format!("mem2reg failed: {e}")))?;
    Ok(Linked { module, has_device })
}

/// Reads, prepares and links inputs for one target.
fn link_all<'c>(context: &'c Context, inputs: &[&Input]) -> Result<Module<'c>, Failure> {
    let mut linked: Option<Module<'c>> = None;
    let mut definitions: BTreeMap<String, String> = BTreeMap::new();
    let mut target: Option<(&Input, u32, String)> = None;
    for &input in inputs {
        let mut module = context.parse(&input.read_from).map_err(|e| rejected(input, &e))?;
        check_target(&module, input)?;
        let (own, size) = (module.target(), module.layout().pointer_size());
        // Without a triple a module is for any processor with such pointers.
        let differs = |known: &str| !own.is_empty() && !known.is_empty() && machine(known) != machine(&own);
        match &target {
            Some((first, width, known)) if *width != size || differs(known) => {
                let message = format!(
                    "{} is for target `{known}` and {} for `{own}`; a program has one target",
                    first.name, input.name
                );
                return Err(Failure::new(Kind::Link, message).in_file(&input.name));
            }
            Some((.., known)) if !known.is_empty() => {}
            _ => target = Some((input, size, own)),
        }
        for symbol in module.functions().chain(module.globals()).filter(|v| is_strong(*v)) {
            if let Some(other) = definitions.insert(symbol.name(), input.name.clone()) {
                let message = format!("`{}` is defined in both {other} and {}", symbol.name(), input.name);
                return Err(Failure::new(Kind::Link, message).in_file(&input.name));
            }
        }
        let inline = |f: &Value<'_>| f.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage;
        module.functions().filter(inline).for_each(Value::make_optional);
        module.mark_uninitialised(input.from_c);
        if input.from_c {
            module.mark_lifetimes();
        }
        match &mut linked {
            None => linked = Some(module),
            Some(all) => all.link(module).map_err(|e| Failure::new(Kind::Link, e).in_file(&input.name))?,
        }
    }
    linked.ok_or_else(|| Failure::new(Kind::Usage, "no source file was given"))
}

/// Functions that are called and that no input defines, but for LLVM's own and those that raddle's library has.
///
/// # Errors
/// When LLVM rejects an input.
pub(crate) fn missing(context: &Context, inputs: &[Input]) -> Result<BTreeSet<String>, Failure> {
    let (mut declared, mut defined) = (BTreeSet::new(), BTreeSet::new());
    for input in inputs {
        let module = context.parse(&input.read_from).map_err(|e| rejected(input, &e))?;
        for function in module.functions() {
            let known = if function.is_declaration() { &mut declared } else { &mut defined };
            known.insert(function.name());
        }
    }
    let is_known = |name: &String| defined.contains(name) || name.starts_with("llvm.") || library::has(name);
    Ok(declared.into_iter().filter(|name| !is_known(name)).collect())
}

/// A definition that no other may stand beside.
fn is_strong(symbol: Value<'_>) -> bool {
    matches!(symbol.linkage(), LLVMLinkage::LLVMExternalLinkage) && !symbol.is_declaration()
}

fn rejected(input: &Input, error: &ParseError) -> Failure {
    let message = error.to_string().replace(&*input.read_from.to_string_lossy(), &input.name);
    let message = message.trim_end();
    let failure = match (error, input.is_bitcode) {
        (ParseError::Path | ParseError::Unreadable(_), _) => Failure::new(Kind::MissingFile, message),
        (ParseError::Rejected(_), true) => Failure::new(Kind::BitcodeDamaged, {
            let said = message.strip_prefix(&format!("{}: error: ", input.name)).unwrap_or(message);
            format!("{} is damaged: {said}", input.name)
        }),
        (ParseError::Rejected(_), false) if input.from_c => {
            Failure::new(Kind::Lower, format!("LLVM rejects what clang made of {}: {message}", input.name))
        }
        (ParseError::Rejected(_), false) => Failure::new(Kind::Compile, message),
    };
    failure.in_file(&input.name).with_first_position()
}

/// raddle knows little-endian targets with pointers of 64 bits, and i386: of other targets with short pointers it knows
/// neither how arguments are passed nor how the C library's objects lie.
fn check_target(module: &Module<'_>, input: &Input) -> Result<(), Failure> {
    let layout = module.layout();
    if layout.is_little_endian()
        && (layout.pointer_size() == 8 || layout.pointer_size() == 4 && is_i386(&module.target()))
    {
        return Ok(());
    }
    let message = format!(
        "{} is for target `{}`; raddle supports 64-bit little-endian targets and i386 only",
        input.name,
        module.target()
    );
    Err(Failure::new(Kind::Lower, message).in_file(&input.name))
}

/// The processor that a target triple names; those that are an i386 count as one.
fn machine(triple: &str) -> &str {
    if is_i386(triple) { "i386" } else { triple.split('-').next().unwrap_or_default() }
}

/// Whether a target triple is that of an i386 or a successor with 32 bits (`i686-pc-linux-gnu`).
fn is_i386(triple: &str) -> bool {
    let machine = triple.split('-').next().unwrap_or_default();
    matches!(machine.as_bytes(), [b'i', b'3'..=b'9', b'8', b'6'])
}
