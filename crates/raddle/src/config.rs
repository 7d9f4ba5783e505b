//! `raddle.toml`, beside the first source.
//!
//! Everything in it has a flag that wins over it, `[shapes]` and `[[suppress]]` aside. A key that is not known is an error: it would be a
//! setting that silently does nothing.

use report::{FindingKind, SuppressedPlace, Suppression};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use session::errors::InputError;
use session::options::{Contracts, Globals, PrivateParameter};
use std::io::ErrorKind;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use toml::Spanned;

const NAME: &str = "raddle.toml";

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) operations: Vec<String>,
    pub(crate) valid: Option<String>,
    pub(crate) globals: Option<Globals>,
    pub(crate) client_calls: Option<u32>,
    pub(crate) bounds: ConfigBounds,
    pub(crate) shapes: ConfigShapes,
    pub(crate) parameters: ConfigParameters,
    pub(crate) contracts: ConfigContracts,
    /// What `[parameters]` has, checked.
    #[serde(skip)]
    pub(crate) private: Vec<PrivateParameter>,
    /// Findings that do not count.
    #[serde(rename = "suppress")]
    pub(crate) entries: Vec<Spanned<Entry>>,
    /// These, checked.
    #[serde(skip)]
    pub(crate) suppressions: Vec<Suppression>,
}

/// A table `[[suppress]]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Entry {
    kind: Option<String>,
    place: Option<String>,
    field: Option<String>,
    function: Option<String>,
    reason: Option<String>,
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
    #[serde(deserialize_with = "positive_u32")]
    pub(crate) calls: Option<NonZeroU32>,
    pub(crate) preemptions: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConfigShapes {
    /// Owners may share what hangs on them.
    pub(crate) share_owners: bool,
    /// Pointers to scalars lead to members of any kind.
    pub(crate) any_member: bool,
    /// Static variables that no code writes may hold anything.
    pub(crate) any_static: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConfigParameters {
    /// Each call has an object of its own: `function.parameter`, `*.parameter`.
    private: Vec<Spanned<String>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConfigContracts {
    /// Never called while another operation runs.
    exclusive: Vec<String>,
    /// Groups of which never two are called at once.
    serial: Vec<Group>,
    /// Called at once with others, whatever the code looks like.
    concurrent: Vec<String>,
}

/// One operation, or several.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of an operation, or a list of names")]
enum Group {
    One(String),
    Several(Vec<String>),
}

impl ConfigContracts {
    pub(crate) fn contracts(&self) -> Contracts {
        let group = |group: &Group| match group {
            Group::One(name) => vec![name.clone()],
            Group::Several(names) => names.clone(),
        };
        Contracts {
            exclusive: self.exclusive.clone(),
            serial: self.serial.iter().map(group).collect(),
            concurrent: self.concurrent.clone(),
            configured: *self != ConfigContracts::default(),
        }
    }
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
    let failed = |start: Option<usize>, message: &str| {
        let line = start.and_then(|start| line_of(text, start));
        let name = path.display().to_string();
        let place = line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        InputError::new("config", format!("{place}: {}", message.trim_end())).at(Some(name), line)
    };
    let mut config: Config =
        toml::from_str(text).map_err(|error| failed(error.span().map(|span| span.start), error.message()))?;
    for entry in &config.entries {
        let start = entry.span().start;
        let mut checked =
            suppression(entry.get_ref()).map_err(|why| failed(Some(start), &format!("[[suppress]]: {why}")))?;
        checked.file = path.display().to_string();
        checked.line = line_of(text, start).unwrap_or_default();
        config.suppressions.push(checked);
    }
    for entry in &config.parameters.private {
        let start = entry.span().start;
        let named = PrivateParameter::parse(entry.get_ref());
        let mut named = named.map_err(|why| failed(Some(start), &format!("[parameters]: {why}")))?;
        named.place = Some((path.display().to_string(), line_of(text, start).unwrap_or_default()));
        config.private.push(named);
    }
    Ok(config)
}

/// Counted from 1.
fn line_of(text: &str, start: usize) -> Option<u32> {
    let before = text.get(..start)?;
    u32::try_from(before.matches('\n').count() + 1).ok()
}

/// # Errors
/// What is wrong with an entry, in words.
fn suppression(entry: &Entry) -> Result<Suppression, String> {
    let Entry { kind, place, field, function, reason } = entry;
    let given = [("kind", kind), ("place", place), ("field", field), ("function", function)];
    for (key, value) in given.into_iter().chain([("reason", reason)]) {
        if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
            return Err(format!("`{key}` is empty"));
        }
    }
    if given.iter().all(|(_, value)| value.is_none()) {
        return Err("it would suppress everything; give one or more of `kind`, `place`, `field`, `function`".to_owned());
    }
    let kinds = || FindingKind::ALL.map(|kind| format!("`{}`", kind.name())).join(", ");
    let named =
        |name: &String| FindingKind::named(name).ok_or_else(|| format!("no kind `{name}`; there are {}", kinds()));
    let parsed = |text: &String| {
        let wanted = || format!("place `{text}` is not of the form `FILE:LINE` or `FILE:LINE:COLUMN`");
        SuppressedPlace::parse(text).ok_or_else(wanted)
    };
    let text = given.iter().filter_map(|(key, value)| Some(format!("{key} = \"{}\"", value.as_ref()?)));
    Ok(Suppression {
        kind: kind.as_ref().map(named).transpose()?,
        place: place.as_ref().map(parsed).transpose()?,
        field: field.clone(),
        function: function.clone(),
        reason: reason.clone().ok_or("`reason` is missing: say why the finding does not count")?,
        text: text.collect::<Vec<_>>().join(", "),
        ..Suppression::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        parse(Path::new("lib/raddle.toml"), text).map_or_else(|e| e.to_string(), |c| format!("{c:?}"))
    }

    #[test]
    fn every_key_is_read() -> Result<(), InputError> {
        let text = "operations = [\"f\", \"a.c:g\"]\nvalid = \"ok\"\nglobals = \"initial\"\n\
                    [bounds]\ndepth = 4\narray = 3\nunroll = 9\nthreads = 2\ncalls = 3\npreemptions = 0\n\
                    [shapes]\nshare_owners = true\n\
                    [contracts]\nexclusive = [\"reset\"]\nserial = [\"put\", [\"get\", \"peek\"]]\n";
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
                calls: NonZeroU32::new(3),
                preemptions: Some(0),
            },
            shapes: ConfigShapes { share_owners: true, ..ConfigShapes::default() },
            contracts: ConfigContracts {
                exclusive: vec!["reset".into()],
                serial: vec![Group::One("put".into()), Group::Several(vec!["get".into(), "peek".into()])],
                concurrent: Vec::new(),
            },
            ..Config::default()
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
            ("\n[[suppress]]\nkind = \"data_race\"\n", 2, "`reason` is missing"),
            ("\n[[suppress]]\nreason = \"x\"\n", 2, "would suppress everything"),
            ("[[suppress]]\n", 1, "would suppress everything"),
            ("[[suppress]]\nkind = \"race\"\nreason = \"x\"\n", 1, "no kind `race`; there are `assertion`"),
            ("[[suppress]]\nplace = \"a.c\"\nreason = \"x\"\n", 1, "place `a.c` is not of the form"),
            ("[[suppress]]\nfield = \" \"\nreason = \"x\"\n", 1, "`field` is empty"),
            ("[[suppress]]\nfield = \"f\"\nreason = \"\"\n", 1, "`reason` is empty"),
            ("[[suppress]]\nfeild = \"f\"\nreason = \"\"\n", 2, "unknown field `feild`"),
            ("[parameters]\nprivate = [\n\"get\"]\n", 3, "[parameters]: `get` is not of the form `FUNCTION.PARAMETER`"),
            ("[parameters]\nprivate = [\"get.\"]\n", 2, "`get.` is not of the form"),
            ("[parameters]\nprivate = [\".out\"]\n", 2, "`.out` is not of the form"),
            ("[parameters]\nprivate = \"get.out\"\n", 2, "expected a sequence"),
            ("[parameters]\nshared = []\n", 2, "unknown field `shared`"),
            ("[suppress]\nfield = \"f\"\nreason = \"r\"\n", 1, "expected"),
        ] {
            let error = error(text);
            assert!(error.starts_with(&format!("lib/raddle.toml:{line}: ")) && error.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn suppressions_know_where_they_stand() -> Result<(), InputError> {
        let text = "valid = \"ok\"\n\n[[suppress]]\nplace = \"skiplist.c:26\"\nreason = \"a hint\"\n\n\
                    [[suppress]]\nkind = \"data_race\"\nfield = \"node.next\"\nfunction = \"f\"\nreason = \"b\"\n";
        let config = parse(Path::new("raddle.toml"), text)?;
        let [first, second] = config.suppressions.as_slice() else { panic!("{config:?}") };
        assert_eq!((first.line, first.text.as_str()), (3, "place = \"skiplist.c:26\""));
        assert_eq!(first.place, SuppressedPlace::parse("skiplist.c:26"));
        assert_eq!((second.line, second.kind, second.reason.as_str()), (7, Some(FindingKind::DataRace), "b"));
        assert_eq!(second.text, "kind = \"data_race\", field = \"node.next\", function = \"f\"");
        Ok(())
    }

    #[test]
    fn private_parameters_know_where_they_stand() -> Result<(), InputError> {
        let text = "[parameters]\nprivate = [\"get.out\",\n  \"*.value\", \"a.c:f.p\"]\n";
        let config = parse(Path::new("raddle.toml"), text)?;
        let have: Vec<_> =
            config.private.iter().map(|p| (p.function.as_deref(), p.parameter.as_str(), p.origin())).collect();
        let line = |line: u32, entry: &str| format!("raddle.toml:{line}: private `{entry}`");
        assert_eq!(
            have,
            [
                (Some("get"), "out", line(2, "get.out")),
                (None, "value", line(3, "*.value")),
                (Some("a.c:f"), "p", line(3, "a.c:f.p")),
            ]
        );
        Ok(())
    }

    /// A file with everything in it.
    const FULL: &str = "operations = [\"f\", \"a.c:g\"]\nvalid = \"ok\"\nglobals = \"initial\"\n[parameters]\nprivate = [\"f.p\"]\n[bounds]\ndepth = 4\n\
                        array = 3\nunroll = 9\n[shapes]\nshare_owners = true\n[[suppress]]\nkind = \"data_race\"\n\
                        place = \"a.c:3:4\"\nfield = \"node.next[0]\"\nfunction = \"f\"\nreason = \"known\"\n";

    /// Accepted, or refused with a place; never a panic.
    fn read_or_refused(text: &str) {
        if let Err(error) = parse(Path::new("raddle.toml"), text) {
            let message = error.to_string();
            let rest = message.strip_prefix("raddle.toml:").unwrap_or_else(|| panic!("no place: {message}"));
            let line = rest.split(':').next().and_then(|line| line.parse::<usize>().ok());
            // Past the last line end there is one more line.
            assert!(line.is_some_and(|line| line <= text.matches('\n').count() + 1), "{message}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            read_or_refused(&text);
        }

        #[test]
        fn damaged_files_are_read_or_refused(at in 0..FULL.len(), cut in 0usize..40, put in "[\\[\\]=\"\n.a-z0-9\u{0}é]{0,6}") {
            let mut bytes = FULL.as_bytes().to_vec();
            bytes.splice(at..(at + cut).min(FULL.len()), put.bytes());
            read_or_refused(&String::from_utf8_lossy(&bytes));
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
