//! Flags for clang that would keep it from compiling the C sources, refused before it runs.
//!
//! Guarantee: what is refused is named. Flags that the front end can leave out (`-o`, `-O2`, `-fsanitize=...`) are its
//! business; whatever else clang makes of a flag is clang's own error.

use crate::errors::UsageError;
use std::path::Path;

/// Flags whose value is the next word.
const WITH_VALUE: [&str; 32] = [
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-idirafter",
    "-imacros",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-mllvm",
    "-o",
    "-target",
    "-x",
];

/// Flags with which clang prints something, or makes something else than code, and exits without a word of complaint.
const NO_CODE: [&str; 19] = [
    "-###",
    "--analyze",
    "--help",
    "--help-hidden",
    "--precompile",
    "--version",
    "-M",
    "-MM",
    "-ast-dump",
    "-ast-print",
    "-dM",
    "-dumpmachine",
    "-dumpversion",
    "-emit-ast",
    "-emit-pch",
    "-fdriver-only",
    "-fsyntax-only",
    "-help",
    "-rewrite-objc",
];

/// Files that clang would read beside the sources.
const INPUTS: [&str; 16] = ["C", "S", "a", "bc", "c", "cc", "cpp", "cu", "cxx", "h", "i", "ll", "m", "o", "s", "so"];

/// # Errors
/// For the first flag that cannot be used.
pub fn check(flags: &[String]) -> Result<(), UsageError> {
    let mut rest = flags.iter().map(String::as_str);
    let mut before = "";
    while let Some(flag) = rest.next() {
        if no_code(flag) {
            return refuse(flag, "clang would not compile anything");
        }
        if flag == "--" {
            return refuse(flag, "flags for clang stand behind one `--`");
        }
        // Behind a long flag that is not known here it may be the value.
        if flag == "-" || is_input(flag) && !before.starts_with("--") {
            return Err(UsageError::new(
                "clang_flag",
                format!("`{flag}` is no flag for clang; sources stand before `--`"),
            ));
        }
        before = flag;
        let value = if WITH_VALUE.contains(&flag) { rest.next() } else { None };
        match (flag, value) {
            ("-Xclang", Some(value)) if no_code(value) => return refuse(value, "clang would not compile anything"),
            ("-x", Some(language)) => language_is_c(&format!("-x {language}"), language)?,
            _ => {}
        }
        if let Some(language) = flag.strip_prefix("--language=").or_else(|| flag.strip_prefix("-x")) {
            // `-x` itself was looked at together with its value.
            if !language.is_empty() {
                language_is_c(flag, language)?;
            }
        }
    }
    Ok(())
}

/// A name that clang would take for a source or for something to link.
fn is_input(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
    !word.starts_with(['-', '@']) && extension.is_some_and(|extension| INPUTS.contains(&extension))
}

fn no_code(flag: &str) -> bool {
    NO_CODE.contains(&flag) || flag.starts_with("-print-") || flag.starts_with("--print-")
}

fn language_is_c(flag: &str, language: &str) -> Result<(), UsageError> {
    match language {
        "c" | "none" => Ok(()),
        other => refuse(flag, &format!("raddle compiles C, not `{other}`")),
    }
}

fn refuse(flag: &str, why: &str) -> Result<(), UsageError> {
    Err(UsageError::new("clang_flag", format!("the clang flag `{flag}` cannot be used: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(words: &str) -> String {
        let flags: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        check(&flags).map_or_else(|e| e.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn ordinary_flags_are_accepted() {
        for words in [
            "",
            "-DX=1 -D Y -I include -Iother -include pre.h -std=c11 -Wall -O2 -g -pthread -lm -l m -fsanitize=thread",
            "-x c -xc -Xclang -disable-O0-optnone -mllvm -x86-asm-syntax=intel -target x86_64-linux-gnu -MD -MF d",
            "@flags -o other.c -c -S -E -v",
            "--sysroot root.c --param x y -unknown value",
        ] {
            assert_eq!(checked(words), "accepted", "{words}");
        }
    }

    #[test]
    fn flags_without_code_are_named() {
        for (words, flag) in [
            ("-DX -fsyntax-only", "`-fsyntax-only`"),
            ("--version", "`--version`"),
            ("-x c++", "`-x c++`"),
            ("-xc++", "`-xc++`"),
            ("--language=c++", "`--language=c++`"),
            ("-Xclang -ast-dump", "`-ast-dump`"),
            ("-print-resource-dir", "`-print-resource-dir`"),
            ("-MM", "`-MM`"),
            ("-- -DX", "`--`"),
            ("-DX other.c", "`other.c` is no flag"),
            ("-", "`-` is no flag"),
        ] {
            let refusal = checked(words);
            assert!(refusal.contains(flag) && !refusal.contains('\n'), "{words}: {refusal}");
        }
    }
}
