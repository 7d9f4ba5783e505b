//! `raddle.toml`, beside the first source.
//!
//! Everything in it has a flag that wins over it, `[shapes]` aside. A key that is not known is an error: it would be a
//! setting that silently does nothing.

use crate::errors::InputError;
use crate::options::Globals;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::io::ErrorKind;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

const NAME: &str = "raddle.toml";

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) operations: Vec<String>,
    pub(crate) valid: Option<String>,
    pub(crate) globals: Option<Globals>,
    pub(crate) bounds: ConfigBounds,
    pub(crate) shapes: ConfigShapes,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConfigBounds {
    #[serde(deserialize_with = "positive_u32")]
    pub(crate) depth: Option<NonZeroU32>,
    #[serde(deserialize_with = "positive_u64")]
    pub(crate) array: Option<NonZeroU64>,
    #[serde(deserialize_with = "positive_u32")]
    pub(crate) unroll: Option<NonZeroU32>,
    #[serde(deserialize_with = "positive_u32")]
    pub(crate) threads: Option<NonZeroU32>,
    pub(crate) preemptions: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConfigShapes {
    /// Owners may share what hangs on them.
    pub(crate) share_owners: bool,
}

/// As on the command line: 0 is refused in words that say what is wanted.
fn positive_u64<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroU64>, D::Error> {
    let number = u64::deserialize(from)?;
    NonZeroU64::new(number).map(Some).ok_or_else(|| D::Error::custom("must be at least 1"))
}

fn positive_u32<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroU32>, D::Error> {
    let number = u32::deserialize(from)?;
    NonZeroU32::new(number).map(Some).ok_or_else(|| D::Error::custom("must be at least 1"))
}

/// Reads the file beside the first source; without one, nothing is configured.
///
/// # Errors
/// When it is there and cannot be read or understood.
pub(crate) fn beside(sources: &[PathBuf]) -> Result<Config, InputError> {
    let Some(first) = sources.first() else { return Ok(Config::default()) };
    let path = first.with_file_name(NAME);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&path, &text),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Config::default()),
        Err(e) => Err(InputError::new("config", format!("{} cannot be read: {e}", path.display())).in_file(&path)),
    }
}

fn parse(path: &Path, text: &str) -> Result<Config, InputError> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        let name = path.display().to_string();
        let place = line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        let message = format!("{place}: {}", error.message().trim_end());
        InputError::new("config", message).at(Some(name), line.and_then(|line| line.try_into().ok()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(Path::new("lib/raddle.toml"), text).map_or_else(|e| e.to_string(), |c| format!("{c:?}"))
    }

    #[test]
    fn every_key_is_read() -> Result<(), InputError> {
        let text = "operations = [\"f\", \"a.c:g\"]\nvalid = \"ok\"\nglobals = \"initial\"\n\
                    [bounds]\ndepth = 4\narray = 3\nunroll = 9\nthreads = 2\npreemptions = 0\n\
                    [shapes]\nshare_owners = true\n";
        let config = parse(Path::new("raddle.toml"), text)?;
        let expected = Config {
            operations: vec!["f".into(), "a.c:g".into()],
            valid: Some("ok".into()),
            globals: Some(Globals::Initial),
            bounds: ConfigBounds {
                depth: NonZeroU32::new(4),
                array: NonZeroU64::new(3),
                unroll: NonZeroU32::new(9),
                threads: NonZeroU32::new(2),
                preemptions: Some(0),
            },
            shapes: ConfigShapes { share_owners: true },
        };
        assert_eq!(config, expected);
        assert_eq!(parse(Path::new("raddle.toml"), "")?, Config::default());
        Ok(())
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, what) in [
            ("operations = [\"f\"]\nvaild = \"ok\"\n", 2, "unknown field `vaild`"),
            ("[bounds]\ndepth = 0\n", 2, "must be at least 1"),
            ("[bounds]\n\narray = 0\n", 3, "must be at least 1"),
            ("[bounds]\n\ndeph = 3\n", 3, "unknown field `deph`"),
            ("globals = \"any\"\n", 1, "unknown variant `any`"),
            ("operations = \"f\"\n", 1, "expected"),
            ("valid = \n", 1, ""),
        ] {
            let error = error(text);
            assert!(error.starts_with(&format!("lib/raddle.toml:{line}: ")) && error.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn it_is_looked_for_beside_the_first_source() -> anyhow::Result<()> {
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("a.c");
        assert_eq!(beside(std::slice::from_ref(&source))?, Config::default());
        std::fs::write(directory.path().join(NAME), "valid = \"ok\"")?;
        assert_eq!(beside(&[source.clone(), "b.c".into()])?.valid.as_deref(), Some("ok"));
        std::fs::write(directory.path().join(NAME), b"valid = \"\xff\"")?;
        assert!(beside(&[source]).is_err_and(|e| e.to_string().contains("cannot be read")));
        Ok(())
    }
}
