//! How a kernel's test is built and run, and how it comes to the kernel's source.

use super::super::command::{program_of, quoted, user_flags};
use super::super::tables::string;
use super::Plan;
use machine::Sched;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// Commands that concern a test.
pub(super) struct Commands {
    /// Builds it with clang.
    pub(super) clang: String,
    /// Builds it with NVIDIA's compiler.
    pub(super) nvcc: String,
    /// Flags that NVIDIA's compiler was not given: it has none such.
    pub(super) not_for_nvcc: Vec<String>,
    /// The program.
    pub(super) program: String,
    /// Has raddle look at it.
    pub(super) raddle: String,
}

/// Where the toolkit is that clang builds with; its C++ library has a folder of its own since CUDA 13.
const TOOLKIT: &str = "${CUDA_PATH:-/usr/local/cuda}";
/// Line numbers for the tools; nothing optimised, so that accesses stay apart; products and sums rounded each by itself, as raddle has it.
const CLANG: &str = "-x cuda -g -O0 -w -ffp-contract=off";
const NVCC: &str = "-g -G -w -fmad=false";

impl Commands {
    pub(super) fn new(plan: &Plan, output: &Path, includes: &[PathBuf]) -> Self {
        let witness = &plan.witness.program;
        let test = output.to_string_lossy();
        let program = program_of(output).to_string_lossy().into_owned();
        let flags = user_flags(&witness.flags, &witness.directory);
        let words = |words: &[String]| words.iter().map(|word| format!(" {}", quoted(word))).collect::<String>();
        let includes: Vec<String> =
            includes.iter().flat_map(|dir| ["-I".to_owned(), dir.to_string_lossy().into_owned()]).collect();
        let named =
            |separate: &[&str]| separate.iter().map(|source| format!(" {}", quoted(source))).collect::<String>();
        let (sources, end) = (named(&plan.separate), format!("-o {}", quoted(&program)));
        // Clang takes `extern __shared__` arrays with a bound only so.
        let is_relocatable = !plan.separate.is_empty() || plan.program.dynamic > 0;
        let relocatable = if is_relocatable { " -fgpu-rdc" } else { "" };
        let standard = if flags.iter().any(|flag| flag.starts_with("-std=")) { "" } else { " -std=c++17" };
        let architecture = flags.iter().any(|flag| flag.contains("-arch="));
        let native = if architecture { "" } else { " --offload-arch=native" };
        let clang = format!(
            "clang-22 {CLANG}{standard} --cuda-path={TOOLKIT} -I {TOOLKIT}/include/cccl{native}{relocatable}{}{} {}{sources} {end} -L{TOOLKIT}/lib64 -lcudart",
            words(&includes),
            words(&flags),
            quoted(&test)
        );
        let (known, not_for_nvcc) = for_nvcc(&flags);
        let native = if architecture { "" } else { " -arch=native" };
        let relocatable = if plan.separate.is_empty() { "" } else { " -rdc=true" };
        let nvcc = format!(
            "nvcc {NVCC}{standard}{native}{relocatable}{}{} {}{sources} {end}",
            words(&includes),
            words(&known),
            quoted(&test)
        );
        let mut raddle = format!("raddle gpu {}{sources}", quoted(&test));
        if plan.launch.warp != 32 {
            let _ = write!(raddle, " --warp {}", plan.launch.warp);
        }
        if plan.launch.sched == Sched::Lockstep {
            raddle += " --sched lockstep";
        }
        if !flags.is_empty() {
            let _ = write!(raddle, " --{}", words(&flags));
        }
        Commands { clang, nvcc, not_for_nvcc, program: quoted(&program), raddle }
    }
}

/// Flags that NVIDIA's compiler knows as well, by its own names, and those that it does not.
fn for_nvcc(flags: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let with_next = ["-I", "-D", "-U", "-L", "-include", "-isystem"].contains(&flag.as_str());
        if with_next {
            known.push(flag.clone());
            known.extend(flags.next().cloned());
        } else if let Some(standard) = flag.strip_prefix("-std=") {
            known.push(format!("-std={}", standard.replace("gnu++", "c++")));
        } else if let Some((_, architecture)) = flag.split_once("-arch=") {
            known.push(format!("-arch={architecture}"));
        } else if ["-I", "-D", "-U", "-L", "-l"].iter().any(|prefix| flag.starts_with(prefix)) {
            known.push(flag.clone());
        } else {
            others.push(flag.clone());
        }
    }
    (known, others)
}

/// Macros of the command line, with what they are if that is a number.
fn macros(flags: &[String]) -> Vec<(&str, Option<i64>)> {
    let following =
        flags.iter().zip(flags.iter().skip(1)).filter(|(flag, _)| *flag == "-D").map(|(_, next)| next.as_str());
    let joined = flags.iter().filter_map(|flag| flag.strip_prefix("-D"));
    let mut macros: Vec<(&str, Option<i64>)> = joined
        .chain(following)
        .filter(|definition| !definition.is_empty())
        .map(|definition| match definition.split_once('=') {
            Some((name, value)) => (name, value.parse().ok()),
            None => (definition, Some(1)),
        })
        .filter(|(name, _)| !name.contains('('))
        .collect();
    macros.sort_unstable();
    macros.dedup();
    macros
}

/// A test that is built without the program's macros is another one: it does not compile.
pub(super) fn guards(plan: &Plan) -> String {
    let guard = |(name, value): (&str, Option<i64>)| {
        let is = value.map_or_else(String::new, |value| format!(" || {name} != {value}"));
        format!(
            "#if !defined {name}{is}\n#error \"build it as the first lines say: with the program's macro {name}\"\n#endif\n"
        )
    };
    macros(&plan.witness.program.flags).into_iter().map(guard).collect()
}

/// How a file is named in another that stands here: by the way from there, if they have a folder in common, else whole.
fn way(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<Component>, Vec<Component>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    if common < 2 {
        return to.iter().collect();
    }
    from[common..].iter().map(|_| Component::ParentDir).chain(to[common..].iter().copied()).collect()
}

/// What the rest needs. raddle has headers of its own, and ends by itself what does not end.
const HEADERS: &str = "#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef RADDLE_CUDA_H
#include <signal.h>
#include <unistd.h>
#endif
";

/// The kernel's source as part of the test. A `main` that it has is called otherwise.
pub(super) fn inclusion(plan: &Plan, output: &Path) -> String {
    let folder = output.parent().unwrap_or(Path::new("/"));
    let source = way(folder, Path::new(plan.included)).to_string_lossy().into_owned();
    let names = macros(&plan.witness.program.flags).into_iter().map(|(name, _)| name);
    // Names that begin with an underscore are for headers.
    let ended: String = names.filter(|name| !name.starts_with('_')).map(|name| format!("#undef {name}\n")).collect();
    format!("#define main raddle_main_of_the_program\n#include {}\n#undef main\n{HEADERS}{ended}\n", string(&source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_from_where_the_test_is() {
        let way = |from: &str, to: &str| way(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/b", "/a/b/k.cu"), "k.cu");
        assert_eq!(way("/a/tests/out", "/a/b/k.cu"), "../../b/k.cu");
        assert_eq!(way("/tmp", "/a/b/k.cu"), "/a/b/k.cu");
    }

    #[test]
    fn nvcc_is_given_what_it_knows() {
        let flags = ["-std=gnu++20", "--cuda-gpu-arch=sm_80", "-DN=2", "-I", "/a", "-fno-rtti"].map(str::to_owned);
        let (known, others) = for_nvcc(&flags);
        assert_eq!(known, ["-std=c++20", "-arch=sm_80", "-DN=2", "-I", "/a"]);
        assert_eq!(others, ["-fno-rtti"]);
    }

    #[test]
    fn macros_and_their_numbers() {
        let flags = ["-DN=2", "-D", "racy", "-DT=float", "-DF(x)=x", "-O1"].map(str::to_owned);
        assert_eq!(macros(&flags), [("N", Some(2)), ("T", None), ("racy", Some(1))]);
    }
}
