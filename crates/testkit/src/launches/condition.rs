//! Conditions as they are printed: comparisons of products of sizes, `n` and numbers, with `&&` between.

use super::Launch;

/// A condition that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition(Vec<Comparison>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Comparison {
    left: Vec<Factor>,
    relation: String,
    right: Vec<Factor>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Factor {
    Blocks,
    Threads,
    N,
    Number(i64),
}

/// Reads a condition; none if it is something else.
pub fn parse(text: &str) -> Option<Condition> {
    text.split(" && ").map(comparison).collect::<Option<_>>().map(Condition)
}

fn comparison(text: &str) -> Option<Comparison> {
    let relation = ["==", "<=", ">=", "<", ">"].into_iter().find(|relation| text.contains(&format!(" {relation} ")))?;
    let (left, right) = text.split_once(&format!(" {relation} "))?;
    Some(Comparison { left: product(left)?, relation: relation.to_owned(), right: product(right)? })
}

fn product(text: &str) -> Option<Vec<Factor>> {
    let text = text.strip_prefix("(int)").unwrap_or(text);
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let factor = |text: &str| match text {
        "gridDim.x" => Some(Factor::Blocks),
        "blockDim.x" => Some(Factor::Threads),
        "n" => Some(Factor::N),
        number => number.parse().ok().map(Factor::Number),
    };
    text.split(" * ").map(factor).collect()
}

impl Condition {
    pub fn holds(&self, at: Launch) -> bool {
        self.0.iter().all(|comparison| comparison.holds(at))
    }

    /// Its comparisons, each by itself.
    pub fn each(&self) -> Vec<Condition> {
        self.0.iter().map(|comparison| Condition(vec![comparison.clone()])).collect()
    }
}

impl Comparison {
    fn holds(&self, at: Launch) -> bool {
        let value = |factors: &[Factor]| -> i64 {
            let factor = |factor: &Factor| match *factor {
                Factor::Blocks => at.blocks,
                Factor::Threads => at.threads,
                Factor::N => at.n,
                Factor::Number(number) => number,
            };
            factors.iter().map(factor).product()
        };
        let (left, right) = (value(&self.left), value(&self.right));
        match self.relation.as_str() {
            "==" => left == right,
            "<=" => left <= right,
            ">=" => left >= right,
            "<" => left < right,
            _ => left > right,
        }
    }
}
