//! Finding and running clang.
//!
//! What the lowering needs (debug information, nothing optimised) comes after the user's flags and wins; flags that would
//! instrument the code or ask for another output are left out with a notice.

use crate::cache::Key;
use crate::error::{Failure, Kind};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NAME: &str = "clang-22";
/// Where Debian's packages put the tools.
const DEBIAN: &str = "/usr/lib/llvm-22/bin";

/// What the lowering relies on. Static functions that nothing calls are kept: they may be operations. No pass of clang's own runs: it would
/// put functions that are always inlined into their callers, whose blocks and variables are then no longer the source's.
const REQUIRED: [&str; 9] = [
    "-g",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-discard-value-names",
    "-fstandalone-debug",
    "-femit-all-decls",
];

/// With these, clang also emits inline definitions that are not external ones (C11 6.7.4p7), and the types of functions that
/// are only declared. Nothing is optimised by them.
const INLINE: [&str; 2] = ["-O1", "-U__OPTIMIZE__"];

/// The sides of a CUDA source. Each is a module of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Device,
    Host,
}

/// Of CUDA either side, with headers of raddle's own. What nobody calls is left out: those headers are full of it.
const CUDA: [&str; 8] = [
    "-nocudainc",
    "-nocudalib",
    // `extern __shared__` arrays may have a bound, as nvcc allows.
    "-fgpu-rdc",
    "-std=c++17",
    // Else `<<<>>>` is taken for what it was before CUDA 9.2.
    "-Xclang",
    "-target-sdk-version=12.0",
    "-include",
    "raddle_cuda.h",
];

/// The backend for devices knows no newer architecture without newer PTX.
const DEVICE: [&str; 2] = ["--cuda-device-only", "--cuda-feature=+ptx70"];

/// Of the host exceptions are not caught: to throw one ends in the ledger.
const HOST: [&str; 2] = ["--cuda-host-only", "-fignore-exceptions"];

/// What CUDA is compiled for where the user does not say: the first architecture whose threads are independent.
const ARCHITECTURE: &str = "--offload-arch=sm_70";

/// Of [`REQUIRED`], what is not for CUDA, in which it would keep all that headers have.
const NOT_FOR_CUDA: [&str; 2] = ["-fstandalone-debug", "-femit-all-decls"];

/// The headers of the 64-bit C library. They serve both, but for those of the kernel clang looks in the other's directory
/// only, which Debian's package for 32-bit programs does not have.
const HEADERS: &str = "/usr/include/x86_64-linux-gnu";

/// What the C library is compiled with besides: its loops must not become calls of itself, and no path of this machine may
/// show.
pub(crate) const LIBRARY: [&str; 5] =
    ["-std=c11", "-ffreestanding", "-fno-builtin", "-fdebug-compilation-dir=/raddle", "-Wall"];

/// How sources are compiled.
#[derive(Clone)]
pub(crate) struct Driver {
    clang: PathBuf,
    includes: Vec<PathBuf>,
    flags: Vec<String>,
    declarations: bool,
    /// Raddle's headers for CUDA, if that is what it compiles, and which side of it.
    cuda: Option<(PathBuf, Side)>,
    /// Where it runs, if not here.
    directory: Option<PathBuf>,
}

impl Side {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Side::Device => &DEVICE,
            Side::Host => &HOST,
        }
    }
}

/// Looks for clang on `PATH`, then where Debian puts it.
pub(crate) fn find_clang() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(NAME))
        .chain([Path::new(DEBIAN).join(NAME), Path::new(DEBIAN).join("clang")])
        .find(|candidate| candidate.is_file())
}

/// First line of `clang --version`.
pub(crate) fn clang_version(clang: &Path) -> Option<String> {
    let output = Command::new(clang).arg("--version").output().ok().filter(|o| o.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

impl Driver {
    /// `notice` gets a line for each flag that is left out.
    pub(crate) fn new(
        includes: Vec<PathBuf>,
        flags: Vec<String>,
        mut notice: impl FnMut(String),
    ) -> Result<Self, Failure> {
        let clang = find_clang().ok_or_else(|| {
            let message = format!("{NAME} was found neither on PATH nor in {DEBIAN}; install it: apt install {NAME}");
            Failure::new(Kind::ClangMissing, message)
        })?;
        Ok(Self {
            clang,
            includes,
            flags: accepted(flags, &mut notice),
            declarations: false,
            cuda: None,
            directory: None,
        })
    }

    /// One whose modules have the types of functions that are only declared.
    #[must_use]
    pub(crate) fn with_declarations(self) -> Self {
        Self { declarations: true, ..self }
    }

    /// One for a side of CUDA.
    #[must_use]
    pub(crate) fn for_cuda(self, headers: PathBuf, side: Side) -> Self {
        Self { cuda: Some((headers, side)), ..self }
    }

    /// One that runs in another directory. What it makes names the source as if it ran here.
    #[must_use]
    pub(crate) fn within(self, directory: PathBuf) -> Self {
        Self { directory: Some(directory), ..self }
    }

    /// A driver for code that comes without flags of a user's.
    pub(crate) fn plain() -> Result<Self, Failure> {
        Self::new(Vec::new(), Vec::new(), |_| {})
    }

    /// Compiles a part of the C library, given on standard input under the path `name`; `short`: for pointers of 32 bits.
    pub(crate) fn compile_library(&self, name: &str, text: &str, short: bool, bitcode: &Path) -> Result<(), Failure> {
        let mut command = Command::new(&self.clang);
        command
            .args(short.then_some("-m32"))
            .args(REQUIRED)
            .args(LIBRARY)
            .args(["-emit-llvm", "-c", "-x", "c", "-", "-o"])
            .arg(bitcode);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let ran = command.spawn().and_then(|mut child| {
            if let Some(mut input) = child.stdin.take() {
                input.write_all(text.as_bytes())?;
            }
            child.wait_with_output()
        });
        match ran {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(Failure::new(Kind::Compile, format!("raddle's own {name} does not compile: {said}")))
            }
            Err(error) => {
                let message = format!("{} could not be run: {error}", self.clang.display());
                Err(Failure::new(Kind::ClangMissing, message))
            }
        }
    }

    /// Identifies the compiler without running it: path, size and time of its binary.
    pub(crate) fn identity(&self) -> String {
        let path = std::fs::canonicalize(&self.clang).unwrap_or_else(|_| self.clang.clone());
        file_identity(&path)
    }

    /// Every argument that can change the outcome, and where clang runs.
    pub(crate) fn arguments_for(&self, source: &Path) -> Vec<OsString> {
        let mut arguments = self.arguments();
        arguments.extend(self.names(source));
        arguments.extend(self.directory.as_deref().map(|directory| directory.into()));
        arguments
    }

    /// Flags that keep the names of a source that is compiled elsewhere: it is given by its whole path there.
    fn names(&self, source: &Path) -> Vec<OsString> {
        // By this number both sides of a source know each other's static kernels and variables, and no other source's.
        let number = self.cuda.as_ref().map(|_| {
            let mut key = Key::new();
            key.add(source.as_os_str().as_encoded_bytes());
            OsString::from(format!("-cuid={}", key.name()))
        });
        let mut names: Vec<OsString> = number.into_iter().collect();
        if self.directory.is_none() {
            return names;
        }
        let mut prefix = OsString::from("-ffile-prefix-map=");
        prefix.push(whole(source));
        prefix.push("=");
        prefix.push(source);
        let mut compilation = OsString::from("-fdebug-compilation-dir=");
        compilation.push(std::env::current_dir().unwrap_or_default());
        names.extend([prefix, compilation]);
        names
    }

    fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        for include in &self.includes {
            arguments.push("-I".into());
            arguments.push(include.into());
        }
        if let Some((headers, side)) = &self.cuda {
            arguments.push("-I".into());
            arguments.push(headers.into());
            arguments.extend(CUDA.iter().map(OsString::from));
            arguments.extend(side.flags().iter().map(OsString::from));
            let is_architecture = |flag: &String| flag.contains("-arch=") || flag.contains("-arch-");
            if *side == Side::Device && !self.flags.iter().any(is_architecture) {
                arguments.push(ARCHITECTURE.into());
            }
        }
        arguments.extend(self.flags.iter().map(OsString::from));
        if is_short(&self.flags) && Path::new(HEADERS).is_dir() {
            arguments.push("-idirafter".into());
            arguments.push(HEADERS.into());
        }
        let is_wanted = |flag: &&&str| self.cuda.is_none() || !NOT_FOR_CUDA.contains(flag);
        arguments.extend(REQUIRED.iter().filter(is_wanted).map(OsString::from));
        arguments.extend(INLINE.iter().filter(|_| self.declarations).map(OsString::from));
        arguments
    }

    /// The source after preprocessing, line markers included.
    pub(crate) fn preprocess(&self, source: &Path) -> Result<Vec<u8>, Failure> {
        // Of a source that was preprocessed before clang prints nothing.
        if source.extension().is_some_and(|extension| extension == "i") {
            let given = if self.directory.is_some() { whole(source) } else { source.to_owned() };
            let failed = |e| Failure::new(Kind::MissingFile, format!("{} cannot be read: {e}", source.display()));
            return std::fs::read(given).map_err(failed);
        }
        let output = self.run(source, |c| c.arg("-E").arg("-Wno-everything"))?;
        Ok(output.stdout)
    }

    /// Compiles to bitcode; returns clang's warnings.
    pub(crate) fn compile(&self, source: &Path, bitcode: &Path) -> Result<String, Failure> {
        let output = self.run(source, |c| c.arg("-emit-llvm").arg("-c").arg("-o").arg(bitcode))?;
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// As [`Driver::compile`], with definitions of inline functions that have no external definition there.
    pub(crate) fn compile_with_inline(&self, source: &Path, bitcode: &Path) -> Result<(), Failure> {
        self.run(source, |c| c.args(INLINE).args(["-w", "-emit-llvm", "-c", "-o"]).arg(bitcode)).map(drop)
    }

    fn run(&self, source: &Path, how: impl FnOnce(&mut Command) -> &mut Command) -> Result<Output, Failure> {
        let mut command = Command::new(&self.clang);
        command.args(self.arguments()).args(self.names(source)).arg("-fno-color-diagnostics");
        let given = if self.directory.is_some() { whole(source) } else { source.to_owned() };
        how(&mut command).arg("--").arg(&given);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let output = command
            .output()
            .map_err(|e| Failure::new(Kind::ClangMissing, format!("{} could not be run: {e}", self.clang.display())))?;
        if output.status.success() {
            return Ok(output);
        }
        let mut message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if given != source {
            message = message.replace(&*given.to_string_lossy(), &source.to_string_lossy());
        }
        if output.status.code().is_none() || message.is_empty() {
            message.push_str(&format!("\nclang ended with {}", output.status));
        }
        if is_short(&self.flags) && lacks_headers(&message) {
            message.push_str(
                "\nthe C library's headers for 32-bit programs seem to be missing; install them: apt install libc6-dev-i386",
            );
        }
        let failure = Failure::new(Kind::Compile, message.trim_start()).in_file(source.to_string_lossy());
        Err(failure.with_first_position())
    }
}

/// Whether flags ask for pointers of 32 bits. The last one wins, as for clang.
fn is_short(flags: &[String]) -> bool {
    let mut short = false;
    let mut before = "";
    for flag in flags {
        let target = flag.strip_prefix("--target=").or((before == "-target").then_some(flag.as_str()));
        match flag.as_str() {
            "-m32" => short = true,
            "-m64" | "-mx32" => short = false,
            _ => short = target.map_or(short, |target| target.starts_with('i')),
        }
        before = flag;
    }
    short
}

/// Whether clang misses a header that comes with the C library's own: those lie in a directory of the target's.
fn lacks_headers(message: &str) -> bool {
    let parts = ["'bits/", "'gnu/", "'sys/", "'asm/", "'stdio.h'", "'stdlib.h'", "'pthread.h'"];
    message.contains("file not found") && parts.iter().any(|part| message.contains(part))
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Path, size and modification time of a file, as one text.
pub(crate) fn file_identity(path: &Path) -> String {
    let found = std::fs::metadata(path).ok();
    let time =
        found.as_ref().and_then(|m| m.modified().ok()).and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{} {:?} {:?}", path.display(), found.map(|m| m.len()), time)
}

/// The user's flags without those that work against the lowering.
fn accepted(flags: Vec<String>, notice: &mut impl FnMut(String)) -> Vec<String> {
    let mut kept = Vec::new();
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        let reason = match flag.as_str() {
            "-o" => {
                flags.next();
                continue;
            }
            "-c" | "-S" | "-E" | "-emit-llvm" => continue,
            "-O0" | "-Og" => None,
            f if f.starts_with("-O") => {
                Some("races are between the accesses that the source has, so nothing is optimised")
            }
            f if f.starts_with("-fsanitize") || f.starts_with("-fprofile") || f == "--coverage" || f == "-coverage" => {
                Some("instrumentation is not part of the program")
            }
            "-ffast-math" | "-funsafe-math-optimizations" => {
                Some("floating-point numbers are computed as IEEE 754 has it, subnormal ones too")
            }
            f if f.starts_with("-flto") => Some("the sources are linked by raddle"),
            // Only the linker reads these; clang would warn.
            f if f.starts_with("-l") || f.starts_with("-L") || f.starts_with("-Wl,") => continue,
            _ => None,
        };
        match reason {
            Some(reason) => notice(format!("`{flag}` is ignored: {reason}")),
            None => kept.push(flag),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_flag_for_the_target_wins() {
        let short = |flags: &str| is_short(&flags.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(short("-m32") && short("-DX -target i386-linux-gnu") && short("--target=i686-linux-gnu -g"));
        assert!(!short("-m32 -m64") && !short("-DX") && !short("--target=x86_64-linux-gnu"));
    }

    #[test]
    fn flags_against_the_lowering_are_left_out() {
        let mut notices = Vec::new();
        let flags = ["-O2", "-DX=1", "-o", "x.o", "-c", "-pthread", "-lm", "-fsanitize=thread", "-O0"];
        let kept = accepted(flags.map(str::to_owned).to_vec(), &mut |n| notices.push(n));
        assert_eq!(kept, ["-DX=1", "-pthread", "-O0"]);
        assert_eq!(notices.len(), 2);
        assert!(notices[0].contains("`-O2`"), "{notices:?}");
    }
}
