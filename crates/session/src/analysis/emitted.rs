//! Tests of witnesses, in C or CUDA: what `raddle test` writes, and what reports quote of it.

use crate::errors::{InputError, UsageError};
use crate::frontend::{Include, cache_directory};
use crate::options::EmittedTest;
use std::path::{Path, PathBuf};
use witness::Witness;

/// Whether the test is one in CUDA.
fn is_of_kernel(witness: &Witness) -> bool {
    witness.command == witness::format::Command::Gpu
}

/// What the name of its test ends in.
pub(super) fn suffix(witness: &Witness) -> &'static str {
    if is_of_kernel(witness) { "cu" } else { "c" }
}

/// Sees whether there can be a test at `output`, before the program is compiled.
///
/// # Errors
/// When there can be none of these sources or of this heap, the name is not one of such a test, or a source would be overwritten.
pub(super) fn check(witness: &Witness, output: &Path) -> anyhow::Result<()> {
    let suffix = suffix(witness);
    if output.extension().is_none_or(|extension| *extension != *suffix) {
        let what = if suffix == "cu" { "a kernel's test is in CUDA" } else { "a C test is written" };
        let message = format!("-o {}: {what}; give a name that ends in .{suffix}", output.display());
        return Err(UsageError::new("output", message).into());
    }
    let is_of_kernel = is_of_kernel(witness);
    if let Some(why) = is_of_kernel.then(|| witness::emit::cuda::refusal(witness)).flatten() {
        return Err(InputError::new("no_cuda_test", why).into());
    }
    let mut sources = witness.program.sources.iter().filter(|_| !is_of_kernel);
    if let Some(source) = sources.find(|s| !s.ends_with(".c") && !s.ends_with(".i")) {
        let error = InputError::new("not_c", format!("{source}: a C test is made from C sources only"));
        return Err(error.in_file(Path::new(source)).into());
    }
    let same = |source: &String| Path::new(source).canonicalize().ok().zip(output.canonicalize().ok());
    if witness.program.sources.iter().filter_map(same).any(|(source, output)| source == output) {
        let message = format!("-o {}: that is a source of the program; it stays", output.display());
        return Err(UsageError::new("output", message).into());
    }
    Ok(())
}

/// The test of a witness, which is named in errors as `shown`, for `output`; the module is the program that it was made for.
///
/// # Errors
/// When there can be no test of it.
pub(super) fn emit(module: &ir::Module, witness: &Witness, shown: &Path, output: &Path) -> anyhow::Result<EmittedTest> {
    if is_of_kernel(witness) {
        let emitted = witness::emit::cuda::emit(module, witness, output, &includes()?);
        let emitted = emitted.map_err(|why| InputError::new("no_cuda_test", why).in_file(shown))?;
        return Ok(EmittedTest { text: emitted.source, build: emitted.build, out_of_sight: None });
    }
    if module.pointer == ir::PointerSize::Four {
        let path = shown.display();
        let message = format!(
            "{path}: the program is for 32 bits, for which there is no ThreadSanitizer, and a build for 64 bits is another \
             program: no C test is written. `raddle replay {path}` shows the failure"
        );
        return Err(InputError::new("no_thread_sanitizer", message).in_file(shown).into());
    }
    if let Some((first, other)) = witness::emit::conflict(witness) {
        let message = format!(
            "{first} and {other} are compiled with different flags, and the test would call static functions, or use types, of \
             both: no C test is written"
        );
        return Err(InputError::new("different_flags", message).in_file(Path::new(other)).into());
    }
    let occurring = witness::emit::Occurring::of(module);
    let emitted = witness::emit::emit_test(witness, output, &includes()?, Some(&occurring));
    Ok(EmittedTest { text: emitted.source, build: emitted.build, out_of_sight: witness.out_of_sight() })
}

/// Where headers are looked for when a test is built.
fn includes() -> anyhow::Result<Vec<PathBuf>> {
    // A temporary directory would be gone before the test is built.
    Ok(match Include::create(cache_directory().as_deref())? {
        Include::Kept(path) => vec![path],
        Include::Temporary(_) => Vec::new(),
    })
}

/// As [`emit`], for a page: why there is none is a sentence.
pub(super) fn quoted(
    module: &ir::Module,
    witness: &Witness,
    shown: &Path,
    output: &Path,
) -> Result<report::Program, String> {
    let emitted = check(witness, output).and_then(|()| emit(module, witness, shown, output));
    let EmittedTest { text, build, .. } = emitted.map_err(|error| error.to_string())?;
    let (own, shared) = witness::emit::own_and_shared(&text);
    let shared_from = (!shared.is_empty()).then_some(own.len());
    Ok(report::Program { source: text, file: output.display().to_string(), build, shared_from })
}
