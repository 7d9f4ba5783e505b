//! Under which launches a kernel is free of races. The JSON form's `condition`, field by field.

use serde::Serialize;

/// What came of looking for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// Under the assertion nothing races.
    Sufficient,
    /// No launch races.
    NotNeeded,
    /// Of no condition that was tried it was proved that nothing races.
    None,
    /// Not all of what threads do was seen.
    Unknown,
}

/// A launch condition that was inferred.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LaunchCondition {
    pub kernel: String,
    pub outcome: ConditionOutcome,
    /// In CUDA, to be put in front of the kernel's body.
    pub assertion: Option<String>,
    /// What it consists of.
    pub comparisons: Vec<ConditionComparison>,
    /// Of some comparison it was not shown that it takes it.
    pub sufficient_only: bool,
    /// The largest launch that was looked at, by dimension.
    pub most_grid: [u32; 3],
    pub most_block: [u32; 3],
    /// Threads in a block.
    pub most_threads: u64,
    /// Conjunctions that were thought of, and how many of them were not decided.
    pub candidates: u64,
    pub undecided: u64,
    /// Why it is unknown.
    pub reasons: Vec<String>,
    /// What it rests on.
    pub assumed: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ConditionComparison {
    pub text: String,
    /// A launch in which the others hold, this one does not, and threads race.
    pub without: Option<ShownLaunch>,
}

/// A launch in which something was found, and replayed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ShownLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub numbers: Vec<GivenNumber>,
    pub kind: crate::FindingKind,
    /// `file.cu:12`, of both accesses of a race.
    pub places: Vec<String>,
}

/// An integer that the kernel is given.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GivenNumber {
    pub name: String,
    pub value: i128,
}

fn sizes([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

impl ShownLaunch {
    /// `--grid 2 --block 4, n = 3: a data race, k.cu:5 with k.cu:7`
    pub(crate) fn in_words(&self) -> String {
        let numbers: String =
            self.numbers.iter().map(|number| format!(", {} = {}", number.name, number.value)).collect();
        let (grid, block) = (sizes(self.grid), sizes(self.block));
        let places = self.places.join(" with ");
        format!("--grid {grid} --block {block}{numbers}: {}, {places}", self.kind.title())
    }
}

impl LaunchCondition {
    /// Which launches were looked at.
    pub(crate) fn within(&self) -> String {
        let (grid, block) = (sizes(self.most_grid), sizes(self.most_block));
        let threads = self.most_threads;
        let one = |of: [u32; 3]| of[1] == 1 && of[2] == 1;
        let flat = if one(self.most_grid) && one(self.most_block) { "of one dimension, " } else { "" };
        format!("{flat}grids up to {grid}, blocks up to {block} and of {threads} threads at the most, any numbers")
    }

    /// The answer in a line, if it is no assertion.
    pub(crate) fn answer(&self) -> Option<String> {
        let undecided = match self.undecided {
            0 => String::new(),
            some => format!(" ({some} of them were too hard to decide)"),
        };
        match self.outcome {
            ConditionOutcome::Sufficient => None,
            ConditionOutcome::NotNeeded => Some("none needed: none of these launches races".to_owned()),
            ConditionOutcome::None => Some(format!(
                "none was found: of none of {} conditions that hold in some small launch was it proved that nothing races under it{undecided}",
                self.candidates
            )),
            ConditionOutcome::Unknown => Some(format!("not inferred: {}", self.reasons.join("; "))),
        }
    }
}

impl ConditionComparison {
    /// What is known of it.
    pub(crate) fn in_words(&self) -> String {
        match &self.without {
            Some(shown) => format!("without `{}`: {}", self.text, shown.in_words()),
            None => format!("`{}` is sufficient only: nothing was shown to race without it", self.text),
        }
    }
}
