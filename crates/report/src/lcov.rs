//! Which ways at branches are covered, as LCOV has it (the tracefile of `geninfo`): other tools draw it.

use crate::{BranchEntry, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The tracefile. Paths are absolute; those of the report start in `directory`. Lines are those with branches: of others nothing is known.
pub fn render_lcov(report: &Report, directory: &Path) -> String {
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
        let groups = branches.chunk_by(|one, other| (one.line, one.column) == (other.line, other.column));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BranchOutcome;

    #[test]
    fn ways_are_grouped_by_their_branch() {
        let way = |line, column, holds, degree| BranchEntry {
            file: "a.c".to_owned(),
            line,
            column,
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
