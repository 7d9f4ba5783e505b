//! The suite of `raddle cover`: each test as a witness, and as a C program that follows its schedule natively.

use super::cover::{Place, outcome_in_words, place};
use super::emitted;
use super::label::Label;
use super::session::Session;
use crate::folder::{Built, Contents, Suite, TestFolder};
use crate::out;
use explore::{CoverTest, Coverage, Way, caught};
use machine::{LossKind, LossSite, Remedy};
use report::{CoverEntry, Report};
use std::collections::BTreeSet;
use std::path::Path;
use witness::format::Command;
use witness::{Concrete, Confirmed, Setting, TakenWay, Witness};

/// What such a folder holds.
pub(super) const CONTENTS: Contents = Contents { flag: "--tests", is_own };

const SUITE: Suite = Suite {
    project: "suite",
    ends: "Each test ends with 0 when its schedule was followed: then it has taken its ways. With 66 if the program failed behind that.",
    judges: "case $$? in 0) echo \"$$test: taken\";; 66) echo \"$$test: taken, and then the program failed\";; \
             *) echo \"$$test: not reached\";; esac",
    more: COVERAGE,
    made: " *.o *.profraw suite.profdata native.info",
};

/// The program that calls a library's operations, on which the tests are built.
pub(super) const CALLERS: &str = "callers.c";

/// What clang's own coverage says of it. Counters that are not atomic are none of the program's accesses.
const COVERAGE: &str = "\
LOOKS = -instr-profile=suite.profdata '-ignore-filename-regex=/t[0-9]*\\.c$$' $(addprefix -object ,$(TESTS))

# What clang's own coverage says: native.info, and a summary.
coverage:
\trm -f $(TESTS) *.profraw
\tCCC_OVERRIDE_OPTIONS='# +-fprofile-instr-generate +-fcoverage-mapping +-fprofile-update=single' $(MAKE) all
\t@for test in $(TESTS); do LLVM_PROFILE_FILE=$$test.profraw ./$$test >/dev/null 2>&1; done
\tllvm-profdata-22 merge -o suite.profdata *.profraw
\tllvm-cov-22 export -format=lcov $(LOOKS) > native.info
\tllvm-cov-22 report -show-branch-summary $(LOOKS)
\trm -f $(TESTS)

";

/// How the witness of a test is called, behind the test's name: what a later `--baseline` reads.
pub(super) const WITNESS: &str = "witness.json";

/// `t01`, `t01.c`, `t01.witness.json`, `t01.profraw`, and what else builds leave.
fn is_own(name: &str) -> bool {
    let (stem, rest) = name.split_once('.').unwrap_or((name, ""));
    let number = stem.strip_prefix('t').filter(|number| !number.is_empty());
    let is_test = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let ends = ["", "c", "profraw", WITNESS].contains(&rest) || rest.ends_with(".o") || rest == "o";
    is_test && ends || ["suite.profdata", "native.info", CALLERS].contains(&name)
}

/// Writes the witnesses of all tests, and C tests where there is a folder for them. Fills the entries' files; a way of which the test does
/// not take it any more has none.
pub(super) fn write(
    session: &mut Session,
    setting: &Setting,
    coverage: &Coverage,
    folder: Option<&TestFolder>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut witnesses = Vec::new();
    for (index, test) in coverage.tests.iter().enumerate() {
        let witness = replayed(session, setting, coverage, test)?;
        witnesses.push(witness.map(|witness| (out::witness_name(&id(index)), index, witness)));
    }
    write_witnesses(session, witnesses.iter().flatten(), report);
    let Some(folder) = folder else { return Ok(()) };
    let mut built = Vec::new();
    for (_, index, witness) in witnesses.iter().flatten() {
        let program = format!("t{:02}", index + 1);
        let file = folder.path.join(format!("{program}.c"));
        let shown = folder.shown.join(format!("{program}.c"));
        let emitted = emitted::check(witness, &file)
            .and_then(|()| emitted::emit(&session.engine.program.module, witness, &shown, &file));
        // What keeps one from being a C test keeps all; what was covered is told all the same.
        let emitted = match emitted {
            Ok(emitted) => emitted,
            Err(why) => {
                session.lose(&shown, &why.to_string());
                return Ok(());
            }
        };
        let kept = Label::numbered(id(*index)).file(witness).map_err(|e| std::io::Error::other(e.to_string()));
        let written = kept.and_then(|text| folder.write(&format!("{program}.{WITNESS}"), &text));
        match written.and_then(|()| folder.write(&format!("{program}.c"), &emitted.text)) {
            Ok(()) => built.push(Built { program, build: emitted.build }),
            Err(e) => {
                session.lose(&shown, &e.to_string());
                continue;
            }
        }
        name(report, *index, shown.display().to_string());
    }
    if let Err(e) = folder.write_builds(&built, &SUITE) {
        session.lose(&folder.shown.join("Makefile"), &e.to_string());
    }
    Ok(())
}

/// The id of a test.
pub(super) fn id(index: usize) -> String {
    format!("T{}", index + 1)
}

/// Of what a test is for, its file.
fn name(report: &mut Report, index: usize, file: String) {
    let id = id(index);
    let branches = report.branches.iter_mut().flatten().map(|branch| &mut branch.test);
    let pairs = report.pairs_def_use.iter_mut().flatten().map(|pair| &mut pair.test);
    for test in branches.chain(pairs).filter(|test| test.as_ref() == Some(&id)) {
        *test = Some(file.clone());
    }
    if let Some(entry) = report.tests.iter_mut().flatten().nth(index) {
        entry.file = Some(file);
    }
}

/// A test, replayed: what it takes of what it is for. None if that is nothing.
fn replayed(
    session: &mut Session,
    setting: &Setting,
    coverage: &Coverage,
    test: &CoverTest,
) -> anyhow::Result<Option<Witness>> {
    let concrete = Concrete {
        heap: Default::default(),
        symbols: test.symbols.clone(),
        first_picks: test.first_picks.clone(),
        turns: test.turns.clone(),
        ending: Vec::new(),
        depends_on: None,
    };
    let spurious = session.parameters.spurious;
    session.engine.config = session.modes().together;
    session.engine.visible = coverage.sites.iter().copied().collect();
    let engine = &mut session.engine;
    let ran = caught(|| witness::retake(engine, setting, &concrete));
    let (ran, taken) = match ran {
        Ok(ran) => ran,
        Err(fault) => {
            session.failed(Some(fault));
            return Ok(None);
        }
    };
    let (ways, lost): (Vec<Way>, Vec<Way>) = test.ways.iter().partition(|way| taken.contains(way));
    if !lost.is_empty() {
        let at = lost.first().and_then(|way| place(&session.engine.program, way.0)).unwrap_or_default();
        let site = LossSite::Search(format!("{}:{}", at.file, at.line));
        let remedy = if session.exhausted().is_some() { Remedy::Time } else { Remedy::BugReport };
        session.engine.note(LossKind::NotReplayed, site, remedy);
    }
    if ways.is_empty() && test.pairs.is_empty() {
        return Ok(None);
    }
    let concrete = Concrete { first_picks: ran.first_picks.clone(), turns: ran.turns(), ..concrete };
    let confirmed = Confirmed { concrete, ran };
    let program = session.files.program_ref.clone();
    let mut witness = witness::witness(&mut session.engine, setting, &confirmed, program, spurious);
    witness.command = Command::Cover;
    witness.failure.kind = "coverage".to_owned();
    witness.failure.detail = match (ways.len(), test.pairs.len()) {
        (1, 0) => "takes 1 way at branches".to_owned(),
        (ways, 0) => format!("takes {ways} ways at branches"),
        (_, 1) => "1 read returns what another thread wrote".to_owned(),
        (_, pairs) => format!("{pairs} reads return what another thread wrote"),
    };
    let taken = |&(site, way): &Way| {
        let Place { file, line, column, function } = place(&session.engine.program, site)?;
        let degree = coverage.covered.get(&(site, way))?.degree;
        let outcome = outcome_in_words(&session.engine.program, site, way)?;
        Some(TakenWay { branch: site.index() as u32, way, file, line, column, function, outcome, degree })
    };
    witness.takes = ways.iter().filter_map(taken).collect();
    Ok(Some(witness))
}

fn write_witnesses<'w>(
    session: &Session,
    witnesses: impl Iterator<Item = &'w (String, usize, Witness)>,
    report: &mut Report,
) {
    let (mut files, mut indices) = (Vec::new(), Vec::new());
    for (name, index, witness) in witnesses {
        match Label::numbered(id(*index)).file(witness) {
            Ok(text) => {
                files.push((name.clone(), text));
                indices.push(*index);
            }
            Err(e) => session.lose(&session.files.folder.shown(name), &e.to_string()),
        }
    }
    let written = session.files.folder.write_all(&files);
    for ((index, (name, _)), written) in indices.into_iter().zip(&files).zip(written) {
        match written {
            Ok(path) => {
                if let Some(CoverEntry { witness, .. }) = report.tests.iter_mut().flatten().nth(index) {
                    *witness = Some(path.display().to_string());
                }
            }
            Err(e) => session.lose(&session.files.folder.shown(name), &e.to_string()),
        }
    }
}

/// Where a suite can go, before a search that would be lost otherwise.
pub(super) fn open(folder: Option<&Path>, start: &Path) -> anyhow::Result<Option<TestFolder>> {
    folder.map(|folder| TestFolder::open(folder, start, &CONTENTS)).transpose()
}

/// Of a witness, the ways that its run takes, and whether these are all.
pub(super) fn retaken(witness: &Witness, taken: &BTreeSet<Way>) -> (Vec<TakenWay>, bool) {
    let is_taken = |way: &&TakenWay| taken.contains(&(concurrency::Site::new(way.branch as usize), way.way));
    let found: Vec<TakenWay> = witness.takes.iter().filter(is_taken).cloned().collect();
    let all = found.len() == witness.takes.len();
    (found, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_raddle_writes_is_its_own() {
        for name in
            ["t01", "t01.c", "t117.c", "t01.witness.json", "t01.profraw", "t01.0.o", "suite.profdata", "native.info"]
        {
            assert!(is_own(name), "{name}");
        }
        for name in ["test.c", "t.c", "t1x.c", "t01.txt", "a.o", "notes", ""] {
            assert!(!is_own(name), "{name}");
        }
    }
}
