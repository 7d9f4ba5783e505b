//! `raddle races`: its own flags, and what they ask for.

use super::{Cluster, Extension, Files, Input, Kept, With};
use crate::config::Config;
use crate::numbers;
use clap::Args;
use session::errors::UsageError;
use session::options::{
    Bounds, Contracts, Extent, Globals, HeapRules, Heaps, PrivateParameter, RacesOptions, Required, Since,
};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Races {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) cluster: Cluster,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    files: Files,
    /// Write which lines and which ways at branches were reached, as LCOV has it
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// An operation by its C name, or `file.c:name` where several files have it; once for each. Default: of a program
    /// whose `main` starts threads, `main`, which is explored from its beginning as `check` does; of a library, every
    /// function that callers know by name or get by pointer, reaches shared memory and is not only called by other operations
    #[arg(long = "op", value_name = "FUNCTION")]
    pub(crate) operations: Vec<String>,
    /// What globals hold at the start: any value (constants, function tables and locks keep theirs), or what the source
    /// gives them [default: symbolic]
    #[arg(long, value_enum, value_name = "VALUES", hide_possible_values = false)]
    pub(crate) globals: Option<Globals>,
    /// On which heaps operations run: on every one within the bounds on which each by itself goes well, or on those that
    /// up to --client-calls public calls build, the ones at once included; both: on these first, in a third of --max-time
    /// and of fewer calls where there would be too many [default: both; with --valid, --calls, --changed-since,
    /// --client-calls 0, or a --search that is not complete: any]
    #[arg(long, value_enum, value_name = "HEAPS", hide_possible_values = false)]
    pub(crate) heaps: Option<Heaps>,
    /// Pointers to numbers and characters, those to untyped pointers, and those of the heap to arrays of pointers, lead into
    /// structures wherever a member is of their type; without it, only to arrays there and to members whose address the
    /// program stores or passes on
    #[arg(long)]
    pub(crate) any_member: bool,
    /// Static variables that no code writes hold anything at the start, not what the source gives them
    #[arg(long)]
    pub(crate) any_static: bool,
    /// A pointer parameter of which each call has an object of its own, which no other thread reaches at first: `get.out`,
    /// or `*.out` for all operations; once for each. Default: parameters of one type denote one object in all threads
    #[arg(long = "private", value_name = "FUNCTION.PARAMETER", value_parser = PrivateParameter::parse)]
    pub(crate) private: Vec<PrivateParameter>,
    /// An operation that no caller calls while another one runs; once for each. Constructors and destructors are so by
    /// default, where no operation is named
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) exclusive: Vec<String>,
    /// Operations of which no caller calls two at once, nor one of them twice, such as those of a single producer: `put`, or
    /// `put,flush`; once for each group
    #[arg(long, value_name = "FUNCTION,...", value_parser = group)]
    pub(crate) serial: Vec<Vec<String>>,
    /// A constructor or destructor that callers call at once with others all the same; once for each
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) concurrent: Vec<String>,
    /// How far to search: only for likely races, which takes little time and never says `safe`, for all there are, or
    /// in some executions at random, which never says `safe` either [default: complete]
    #[arg(long, value_enum, value_name = "EXTENT", hide_possible_values = false)]
    pub(crate) search: Option<Extent>,
    /// Calls of a client that leads to a race, the two that race included: which calls of the library's public functions
    /// build such a heap is looked for, and written as a C program; 0: not [default: 8]
    #[arg(long, value_name = "N", value_parser = numbers::natural_u32, allow_negative_numbers = true)]
    pub(crate) client_calls: Option<u32>,
    /// Sequential tests of the library (programs, `test_...` functions, tests of Check, Unity, cmocka and MinUnit): what they do is what clients
    /// do, and two operations are called at once behind it, before calls are searched for
    #[arg(long, value_name = "TEST", num_args = 1..)]
    pub(crate) tests: Vec<PathBuf>,
    /// What the heap of a finding has to rest on for the finding to count [default: assumed]
    #[arg(long, value_enum, value_name = "BASIS", hide_possible_values = false)]
    pub(crate) require: Option<Required>,
    /// Only combinations of which some code has changed since a revision of the git repository, for pull requests: the others
    /// are left out, and so are their findings
    #[arg(long, value_name = "REV", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) changed_since: Option<String>,
    #[command(flatten)]
    pub(crate) kept: Kept,
}

/// # Errors
/// When a name is empty.
fn group(text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    match names.iter().any(String::is_empty) {
        true => Err(format!("`{text}` is not of the form `FUNCTION` or `FUNCTION,FUNCTION,...`")),
        false => Ok(names),
    }
}

/// Calls of a client, if nobody says how many.
pub(super) const CLIENT_CALLS: u32 = 8;

/// The same where all that clients build is explored.
pub(super) const REACHING_CALLS: u32 = 5;

/// More would not come to an end.
const MOST_THREADS: u32 = 32;

impl Races {
    /// What is written beside the report.
    pub(crate) fn files(&self) -> Files {
        Files { lcov: self.lcov.clone(), ..self.files.clone() }
    }
}

impl With<Races> {
    /// # Errors
    /// When the claim asked for is one that raddle cannot check.
    pub(crate) fn options(&self, config: &Config) -> Result<RacesOptions, UsageError> {
        let bounds = self.search.bounds(config);
        if !(2..=MOST_THREADS).contains(&bounds.threads) {
            let threads = bounds.threads;
            let named = match self.search.threads {
                Some(_) => format!("--threads {threads}"),
                None => format!("`threads = {threads}` in raddle.toml"),
            };
            let message = format!(
                "{named}: operations run in at least 2 threads, for a race takes two, and at most {MOST_THREADS}"
            );
            return Err(UsageError::new("unsupported_threads", message));
        }
        let extent = self.own.search.unwrap_or_default();
        let bounds = Bounds { sampling: self.search.sampling(|depth| extent.sampler(depth), &bounds)?, ..bounds };
        if extent == Extent::Guided && !bounds.is_pair() {
            let message = "--search guided looks at two threads that make one call each: leave it out, or --threads and \
                           --calls (raddle.toml may set them as well)";
            return Err(UsageError::new("unsupported_search", message));
        }
        let private = if self.own.private.is_empty() { &config.private } else { &self.own.private }.clone();
        for (index, entry) in private.iter().enumerate() {
            if let Some(earlier) = private[..index].iter().find(|earlier| earlier.text == entry.text) {
                let before = earlier.place.as_ref().map_or_else(String::new, |(_, line)| format!(": see line {line}"));
                let message = format!("{} is given twice{before}; leave one out", entry.origin());
                return Err(UsageError::new("repeated_parameter", message));
            }
        }
        let valid = self.search.valid.clone().or_else(|| config.valid.clone());
        let given = self.own.client_calls.or(config.client_calls);
        let reaching_calls = given.unwrap_or(REACHING_CALLS);
        let heaps = self.own.heaps.unwrap_or_else(|| {
            let looks_for_clients = bounds.calls == 1 && reaching_calls >= bounds.threads;
            // A predicate says which heaps there are, and what has changed or is likely is a question of its own.
            let asks_otherwise = valid.is_some() || extent != Extent::Complete || self.own.changed_since.is_some();
            if looks_for_clients && !asks_otherwise { Heaps::Both } else { Heaps::Any }
        });
        // Where all that clients build is explored, nobody looks for what else leads there.
        let client_calls = if heaps == Heaps::Reached { reaching_calls } else { given.unwrap_or(CLIENT_CALLS) };
        if !self.own.tests.is_empty() && !bounds.is_pair() {
            let message = "--tests: clients make two calls at once, in two threads: leave it out, or --threads and --calls (raddle.toml may \
                           set them as well)";
            return Err(UsageError::new("unsupported_tests", message));
        }
        if !self.own.tests.is_empty() && self.own.changed_since.is_some() {
            let message = "--tests and --changed-since: clients are made for all combinations of operations, changed or not; leave one of the \
                           two out";
            return Err(UsageError::new("unsupported_tests", message));
        }
        self.refuse_what_cannot_be_met(client_calls, valid.is_some())?;
        self.refuse_other_heaps(heaps, &bounds, reaching_calls)?;
        Ok(RacesOptions {
            bounds,
            operations: if self.own.operations.is_empty() { &config.operations } else { &self.own.operations }.clone(),
            operations_configured: self.own.operations.is_empty(),
            valid,
            valid_configured: self.search.valid.is_none() && config.valid.is_some(),
            roots: self.search.roots.unwrap_or_default(),
            globals: self.own.globals.or(config.globals).unwrap_or_default(),
            heaps,
            reaching_calls,
            client_calls,
            changed_since: self.own.changed_since.clone().map(|name| Since { name, commit: None }),
            require: self.own.require,
            external: self.search.external,
            extent,
            rules: HeapRules {
                share_owners: config.shapes.share_owners,
                any_member: self.own.any_member || config.shapes.any_member,
                any_static: self.own.any_static || config.shapes.any_static,
            },
            private,
            contracts: self.contracts(config),
            tests: self.own.tests.clone(),
        })
    }

    /// # Errors
    /// When clients cannot be what is asked for.
    fn refuse_other_heaps(&self, heaps: Heaps, bounds: &Bounds, calls: u32) -> Result<(), UsageError> {
        let option = match heaps {
            Heaps::Any => return Ok(()),
            Heaps::Reached => "--heaps reached",
            Heaps::Both => "--heaps both",
        };
        let refuse = |message: String| Err(UsageError::new("unsupported_heaps", message));
        if bounds.calls > 1 {
            return refuse(format!("{option}: threads of a client make one call each; leave --calls out"));
        }
        if calls < bounds.threads {
            let threads = bounds.threads;
            return refuse(format!(
                "{option}: a client of {threads} threads makes {threads} calls at least, and --client-calls is {calls}"
            ));
        }
        if let (Heaps::Reached, Some(predicate)) = (heaps, &self.search.valid) {
            return refuse(format!(
                "{option} looks at the heaps that clients build, whatever `{predicate}` says of them: leave --valid out, or --heaps any"
            ));
        }
        if self.own.search == Some(Extent::Guided) {
            return refuse(format!("{option} explores all schedules; leave --search guided out"));
        }
        Ok(())
    }

    fn contracts(&self, config: &Config) -> Contracts {
        let Races { exclusive, serial, concurrent, .. } = &self.own;
        let given = Contracts {
            exclusive: exclusive.clone(),
            serial: serial.clone(),
            concurrent: concurrent.clone(),
            configured: false,
        };
        if given.is_empty() { config.contracts.contracts() } else { given }
    }

    /// What the file says of callers, and the command line says otherwise.
    pub(crate) fn overridden_contracts(&self, config: &Config) -> bool {
        !self.contracts(config).configured && !config.contracts.contracts().is_empty()
    }

    /// # Errors
    /// When findings have to rest on what is not looked for, so that none could count.
    fn refuse_what_cannot_be_met(&self, client_calls: u32, has_predicate: bool) -> Result<(), UsageError> {
        let (required, instead) = match self.own.require {
            Some(Required::Reachable) => ("reachable", "leave one of the two out"),
            Some(Required::Valid) if !has_predicate => {
                ("valid", "name a predicate with --valid, or leave one of the two out")
            }
            Some(Required::Valid | Required::Assumed) | None => return Ok(()),
        };
        if client_calls > 0 || !self.own.tests.is_empty() {
            return Ok(());
        }
        let none = match self.own.client_calls {
            Some(_) => "--client-calls 0",
            None => "`client_calls = 0` in raddle.toml",
        };
        let message = format!(
            "--require {required} and {none}: without clients no finding could meet that, and none would count; {instead}"
        );
        Err(UsageError::new("unmeetable_requirement", message))
    }
}
