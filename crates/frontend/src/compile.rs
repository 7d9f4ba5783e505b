//! From source files to the bytes of a module.

use crate::bitcode;
use crate::cache::{Cache, Entry, Key, write_output};
use crate::crash;
use crate::driver::{Driver, Side, file_identity};
use crate::error::{Failure, Kind};
use crate::inline;
use crate::library::Library;
use crate::link::{self, Input};
use crate::llvm;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `raddle-frontend compile` was asked for.
pub(crate) struct Request {
    pub(crate) output: PathBuf,
    pub(crate) cache: Option<PathBuf>,
    /// Raddle's headers for CUDA, where that is accepted.
    pub(crate) cuda: Option<PathBuf>,
    /// Of CUDA with a `main` both sides are wanted.
    pub(crate) host: bool,
    /// Where the bitcode of all sources but the first is kept: other requests of the same run have them, too.
    pub(crate) beside: Option<PathBuf>,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) sources: Vec<Source>,
    /// For sources without flags of their own.
    pub(crate) flags: Vec<String>,
    /// With the types of functions that are only declared.
    pub(crate) declarations: bool,
}

/// A source, and how it is to be compiled.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Its own flags.
    pub(crate) own: Option<Vec<String>>,
    /// Where its compiler runs, if not here.
    pub(crate) directory: Option<PathBuf>,
}

/// A source with its compiler, if it takes one.
struct Job {
    path: PathBuf,
    language: Language,
    /// Of CUDA.
    side: Option<Side>,
    driver: Option<Arc<Driver>>,
}

/// What a source file is, by its extension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cuda,
    Assembly,
    Bitcode,
}

/// Compiles, links, lowers and writes. Notices and clang's warnings go to standard error.
pub(crate) fn run(request: Request) -> Result<(), Failure> {
    let how = Common {
        includes: request.includes,
        cuda: request.cuda,
        host: request.host,
        flags: request.flags,
        declarations: request.declarations,
    };
    let jobs = jobs(request.sources, &how)?;
    let cache = request.cache.map(Cache::new);
    let entry = match (&cache, &request.beside) {
        (Some(cache), None) => {
            let key = key(&jobs)?;
            match cache.read(&key) {
                Some(entry) => entry,
                None => {
                    let entry = build(&jobs, Some(cache), None)?;
                    if let Err(e) = cache.write(&key, &entry) {
                        notice(&format!("nothing is cached: {e}"));
                    }
                    entry
                }
            }
        }
        (cache, beside) => build(&jobs, cache.as_ref(), beside.as_deref())?,
    };
    eprint!("{}", entry.warnings);
    write_output(&request.output, &entry.module)
}

/// How sources are compiled that have no flags of their own.
struct Common {
    includes: Vec<PathBuf>,
    cuda: Option<PathBuf>,
    host: bool,
    flags: Vec<String>,
    declarations: bool,
}

/// Looks at the sources, and for the compilers that they need: one for all that have no flags of their own.
fn jobs(sources: Vec<Source>, how: &Common) -> Result<Vec<Job>, Failure> {
    let Common { includes, cuda, host, flags, declarations } = how;
    let mut found = Vec::new();
    for source in sources {
        let language = language(&source.path, cuda.is_some())?;
        found.push((source, language));
    }
    if found.is_empty() {
        return Err(Failure::new(Kind::Usage, "no source file was given"));
    }
    for (source, language) in &found {
        check_readable(&source.path, *language)?;
    }
    let mut notices = BTreeSet::new();
    let mut common: Option<Arc<Driver>> = None;
    let mut jobs = Vec::new();
    for (Source { path, own, directory }, language) in found {
        let mut new = |flags: &[String]| {
            Driver::new(includes.clone(), flags.to_vec(), |n| {
                if notices.insert(n.clone()) {
                    notice(&n);
                }
            })
            .map(|driver| if *declarations { driver.with_declarations() } else { driver })
        };
        let driver = match (language, own, directory) {
            (Language::Assembly | Language::Bitcode, ..) => None,
            (Language::C, None, None) => match &common {
                Some(known) => Some(Arc::clone(known)),
                None => Some(Arc::clone(common.insert(Arc::new(new(flags)?)))),
            },
            (Language::C | Language::Cuda, own, directory) => {
                let driver = new(own.as_deref().unwrap_or(flags))?;
                let driver = match directory {
                    Some(directory) => driver.within(directory),
                    None => driver,
                };
                Some(Arc::new(match cuda {
                    Some(headers) if language == Language::Cuda => driver.for_cuda(headers.clone(), Side::Device),
                    _ => driver,
                }))
            }
        };
        let side = (language == Language::Cuda).then_some(Side::Device);
        jobs.push(Job { path, language, side, driver });
    }
    if *host && let Some(headers) = cuda {
        let hosts = hosts(&jobs, headers)?;
        jobs.extend(hosts);
    }
    Ok(jobs)
}

/// The host's sides of CUDA sources, if one of them may have a `main`.
fn hosts(jobs: &[Job], headers: &Path) -> Result<Vec<Job>, Failure> {
    let mut has_main = false;
    let mut hosts = Vec::new();
    for Job { path, language, side, driver } in jobs.iter().filter(|job| job.side.is_some()) {
        let Some(driver) = driver else { continue };
        has_main |= mentions_main(&String::from_utf8_lossy(&driver.preprocess(path)?));
        let driver = Driver::clone(driver).for_cuda(headers.to_owned(), Side::Host);
        let side = side.map(|_| Side::Host);
        hosts.push(Job { path: path.clone(), language: *language, side, driver: Some(Arc::new(driver)) });
    }
    Ok(if has_main { hosts } else { Vec::new() })
}

/// Whether a preprocessed source may define `main`.
fn mentions_main(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(is_part) && text[at + word.len()..].trim_start().starts_with('(')
    })
}

fn notice(text: &str) {
    eprintln!("raddle: notice: {text}");
}

/// `cuda`: that is accepted.
fn language(path: &Path, cuda: bool) -> Result<Language, Failure> {
    let name = path.to_string_lossy().into_owned();
    let refuse = |what: &str| {
        let message = format!("{name}: {what} is not supported yet; raddle takes .c, .i, .ll and .bc");
        Err(Failure::new(Kind::UnsupportedSource, message).in_file(name.as_str()))
    };
    match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "c" | "i" => Ok(Language::C),
        "ll" => Ok(Language::Assembly),
        "bc" => Ok(Language::Bitcode),
        "cpp" | "cc" | "cxx" | "C" | "c++" | "hpp" => refuse("C++"),
        "cu" if cuda => Ok(Language::Cuda),
        "cu" => refuse("CUDA, but by `raddle gpu`,"),
        "cuh" => refuse("a header of CUDA's on its own"),
        "rs" => refuse("Rust"),
        "h" => refuse("a header on its own"),
        "s" | "S" => refuse("machine assembly"),
        "o" | "a" | "so" => refuse("machine code"),
        "" => refuse("a file without an extension"),
        other => refuse(&format!("a file of type .{other}")),
    }
}

/// Finds what LLVM's and clang's messages would bury.
fn check_readable(path: &Path, language: Language) -> Result<(), Failure> {
    let name = path.to_string_lossy().into_owned();
    let failed = |kind, message: String| Err(Failure::new(kind, message).in_file(name.as_str()));
    if path.is_dir() {
        return failed(Kind::MissingFile, format!("{name} is a directory"));
    }
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return failed(Kind::MissingFile, format!("{name}: no such file"));
        }
        Err(e) => return failed(Kind::MissingFile, format!("{name} cannot be read: {e}")),
    };
    if language != Language::Bitcode {
        return Ok(());
    }
    if !bitcode::is_bitcode(&bytes) {
        return failed(Kind::BitcodeDamaged, format!("{name} is no LLVM bitcode"));
    }
    let (ours, _, _) = llvm::library_version();
    match bitcode::producer(&bytes) {
        Some(producer) if bitcode::major_version(&producer).is_some_and(|v| v != ours) => failed(
            Kind::BitcodeVersion,
            format!(
                "{name} was written by {}; raddle reads bitcode of LLVM {ours} (compile with clang-{ours})",
                producer.replacen("LLVM", "LLVM ", 1)
            ),
        ),
        _ => Ok(()),
    }
}

fn key(jobs: &[Job]) -> Result<Key, Failure> {
    let mut key = Key::new();
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    key.add(&ir::binary::VERSION.to_le_bytes());
    // A rebuilt raddle may lower differently under the same version.
    let program = std::env::current_exe().map(|p| file_identity(&p)).unwrap_or_default();
    key.add(program.as_bytes());
    key.add(format!("{:?}", llvm::library_version()).as_bytes());
    // Debug information names the directory that the compiler ran in.
    key.add(std::env::current_dir().unwrap_or_default().as_os_str().as_encoded_bytes());
    for Job { path, driver, .. } in jobs {
        key.add(path.as_os_str().as_encoded_bytes());
        if let Some(driver) = driver {
            key.add(driver.identity().as_bytes());
            let arguments = driver.arguments_for(path);
            key.add(&arguments.len().to_le_bytes());
            arguments.iter().for_each(|argument| key.add(argument.as_encoded_bytes()));
        }
        let contents = match driver {
            Some(driver) => driver.preprocess(path)?,
            None => std::fs::read(path).map_err(|e| {
                let name = path.to_string_lossy().into_owned();
                Failure::new(Kind::MissingFile, format!("{name} cannot be read: {e}")).in_file(name)
            })?,
        };
        key.add(&contents);
    }
    Ok(key)
}

/// `beside`: where bitcode of all sources but the first is kept.
fn build(sources: &[Job], cache: Option<&Cache>, beside: Option<&Path>) -> Result<Entry, Failure> {
    let scratch = tempfile::tempdir()
        .map_err(|e| Failure::new(Kind::Output, format!("no temporary directory can be made: {e}")))?;
    let mut warnings = String::new();
    let mut inputs = Vec::new();
    let compiled = std::thread::scope(|scope| {
        let jobs: Vec<_> = sources
            .iter()
            .enumerate()
            .map(|(i, Job { path, driver, .. })| {
                driver.as_ref().map(|driver| {
                    let kept = beside.filter(|_| i > 0).map(|directory| directory.join(bitcode_of(path, driver)));
                    let bitcode = kept.clone().unwrap_or_else(|| scratch.path().join(format!("{i}.bc")));
                    let to = bitcode.clone();
                    (scope.spawn(move || compile(driver, path, &to, kept.is_some())), bitcode)
                })
            })
            .collect();
        // In the order of the sources, so that messages do not depend on timing.
        jobs.into_iter().map(|job| job.map(|(job, bitcode)| (job.join(), bitcode))).collect::<Vec<_>>()
    });
    for (Job { path, language, side, .. }, job) in sources.iter().zip(compiled) {
        let read_from = match job {
            Some((Ok(result), bitcode)) => {
                let said = result?;
                // Of both sides it is the same.
                if *side != Some(Side::Host) {
                    warnings.push_str(&said);
                }
                bitcode
            }
            Some((Err(_), _)) => return Err(Failure::new(Kind::Lower, "the thread that ran clang failed")),
            None => path.clone(),
        };
        inputs.push(Input {
            name: path.to_string_lossy().into_owned(),
            read_from,
            from_c: matches!(language, Language::C | Language::Cuda),
            side: *side,
            is_bitcode: *language == Language::Bitcode,
        });
    }
    let size = |input: &Input| std::fs::metadata(&input.read_from).map_or(0, |file| file.len());
    crash::bound(inputs.iter().map(size).sum());
    let context = llvm::Context::new();
    let driver = sources.iter().find_map(|job| job.driver.as_deref());
    let library = Library { driver, cache, scratch: scratch.path() };
    let missing = link::missing(&context, &inputs)?;
    for (number, (input, job)) in inputs.iter_mut().zip(sources).enumerate() {
        if let (Some(driver), false) = (&job.driver, missing.is_empty() || job.language == Language::Cuda) {
            let to = scratch.path().join(format!("{number}.inline.bc"));
            inline::supply(input, &job.path, driver, &missing, &to)?;
        }
    }
    let linked = link::load(&context, &inputs, &library)?;
    let lowered = crate::lower::lower(&linked.module, linked.has_device)?;
    let module = ir::binary::write(&lowered)
        .map_err(|e| Failure::new(Kind::Lower, format!("the module cannot be encoded: {e}")))?;
    Ok(Entry { warnings, module })
}

/// What the bitcode of a source is called among others.
fn bitcode_of(path: &Path, driver: &Driver) -> String {
    let mut key = Key::new();
    key.add(file_identity(path).as_bytes());
    driver.arguments_for(path).iter().for_each(|argument| key.add(argument.as_encoded_bytes()));
    format!("{}.bc", key.name())
}

/// Compiles a source. `is_kept`: unless that was done before. What clang printed.
fn compile(driver: &Driver, path: &Path, to: &Path, is_kept: bool) -> Result<String, Failure> {
    if !is_kept {
        return driver.compile(path, to);
    }
    if to.is_file() {
        return Ok(String::new());
    }
    // Another request may write it at the same time; each writes a whole file.
    let own = to.with_extension(format!("{}.bc", std::process::id()));
    let warnings = driver.compile(path, &own)?;
    std::fs::rename(&own, to).map_err(|e| Failure::new(Kind::Output, format!("cannot write {}: {e}", to.display())))?;
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_is_found() {
        assert!(mentions_main("int main() {}") && mentions_main("int\nmain (void)"));
        assert!(!mentions_main("int domain(void); int main_loop(); int x = main;"));
    }
}
