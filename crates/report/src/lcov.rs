//! What is covered, as LCOV has it (the tracefile of `geninfo`): other tools draw it. After `cover` ways at branches, and lines with branches;
//! after `check` and `races` all lines too.

use crate::{BranchEntry, BranchOutcome, CodeCoverage, CoveredPlace, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The tracefile. Paths are absolute; those of the report start in `directory`. Lines are those with branches: of others nothing is known.
pub fn render_lcov(report: &Report, directory: &Path) -> String {
    if let Some(coverage) = &report.coverage {
        return of_code(coverage, directory);
    }
    let mut files: BTreeMap<&str, Vec<&BranchEntry>> = BTreeMap::new();
    for branch in report.branches.iter().flatten().filter(|branch| branch.line > 0) {
        files.entry(&branch.file).or_default().push(branch);
    }
    let mut text = String::from("TN:raddle\n");
    for (file, branches) in files {
        let path = directory.join(file);
        let path = std::path::absolute(&path).unwrap_or(path);
        let _ = writeln!(text, "SF:{}", path.display());
        let covered = |branch: &BranchEntry| branch.degree.is_some();
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        // Ways of one branch stand beside each other.
        let groups = branches
            .chunk_by(|one, other| (one.line, one.column, one.number) == (other.line, other.column, other.number));
        for (block, group) in groups.enumerate() {
            let was_reached = group.iter().any(|branch| covered(branch));
            for (number, branch) in group.iter().enumerate() {
                let taken = match (was_reached, covered(branch)) {
                    (false, _) => "-",
                    (true, false) => "0",
                    (true, true) => "1",
                };
                let _ = writeln!(text, "BRDA:{},{block},{number},{taken}", branch.line);
                *lines.entry(branch.line).or_default() |= was_reached;
            }
        }
        let taken = branches.iter().filter(|branch| covered(branch)).count();
        let _ = write!(text, "BRF:{}\nBRH:{taken}\n", branches.len());
        for (line, reached) in &lines {
            let _ = writeln!(text, "DA:{line},{}", u8::from(*reached));
        }
        let reached = lines.values().filter(|reached| **reached).count();
        let _ = write!(text, "LF:{}\nLH:{reached}\nend_of_record\n", lines.len());
    }
    text
}

/// Each line and each way.
fn of_code(coverage: &CodeCoverage, directory: &Path) -> String {
    let mut files: BTreeMap<&str, Vec<&CoveredPlace>> = BTreeMap::new();
    for place in &coverage.places {
        files.entry(&place.file).or_default().push(place);
    }
    let mut text = String::from("TN:raddle\n");
    for (file, places) in files {
        let path = directory.join(file);
        let path = std::path::absolute(&path).unwrap_or(path);
        let _ = writeln!(text, "SF:{}", path.display());
        let (lines, ways): (Vec<&CoveredPlace>, Vec<_>) = places.into_iter().partition(|place| place.outcome.is_none());
        let groups =
            ways.chunk_by(|one, other| (one.line, one.column, one.number) == (other.line, other.column, other.number));
        for (block, group) in groups.enumerate() {
            let was_reached = group.iter().any(|way| way.reached);
            for way in group {
                let number = match way.outcome {
                    Some(BranchOutcome::Holds(holds)) => u8::from(holds).to_string(),
                    Some(outcome) => outcome.to_string().replace(' ', "_"),
                    None => continue,
                };
                let taken = match (was_reached, way.reached) {
                    (false, _) => "-",
                    (true, false) => "0",
                    (true, true) => "1",
                };
                let _ = writeln!(text, "BRDA:{},{block},{number},{taken}", way.line);
            }
        }
        let taken = ways.iter().filter(|way| way.reached).count();
        let _ = write!(text, "BRF:{}\nBRH:{taken}\n", ways.len());
        for line in &lines {
            let _ = writeln!(text, "DA:{},{}", line.line, u8::from(line.reached));
        }
        let reached = lines.iter().filter(|line| line.reached).count();
        let _ = write!(text, "LF:{}\nLH:{reached}\nend_of_record\n", lines.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BranchOutcome;

    #[test]
    fn lines_and_ways_of_a_program() {
        let place = |line, column, outcome: Option<_>, reached| CoveredPlace {
            file: "a.c".to_owned(),
            line,
            column,
            number: u32::from(outcome.is_some()),
            outcome,
            reached,
        };
        let way = |holds, reached| place(3, 5, Some(BranchOutcome::Holds(holds)), reached);
        let places = vec![place(3, 0, None, true), place(4, 0, None, false), way(false, true), way(true, false)];
        let coverage = CodeCoverage { places, ..CodeCoverage::default() };
        let report = Report { coverage: Some(coverage), ..Report::new("check", Default::default()) };
        let expected = "TN:raddle\nSF:/src/a.c\nBRDA:3,0,0,1\nBRDA:3,0,1,0\nBRF:2\nBRH:1\nDA:3,1\nDA:4,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(render_lcov(&report, Path::new("/src")), expected);
    }

    #[test]
    fn ways_are_grouped_by_their_branch() {
        let way = |line, column, holds, degree| BranchEntry {
            file: "a.c".to_owned(),
            line,
            column,
            number: None,
            outcome: BranchOutcome::Holds(holds),
            degree,
            test: None,
            reason: None,
            for_all_k: false,
            function: "main".to_owned(),
        };
        let branches =
            vec![way(3, 5, false, Some(0)), way(3, 5, true, None), way(3, 9, false, None), way(7, 1, true, Some(2))];
        let report = Report { branches: Some(branches), ..Report::new("cover", Default::default()) };
        let expected = "TN:raddle\nSF:/src/a.c\nBRDA:3,0,0,1\nBRDA:3,0,1,0\nBRDA:3,1,0,-\nBRDA:7,2,0,1\nBRF:4\nBRH:2\n\
                        DA:3,1\nDA:7,1\nLF:2\nLH:2\nend_of_record\n";
        assert_eq!(render_lcov(&report, Path::new("/src")), expected);
    }
}
