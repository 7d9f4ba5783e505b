//! The table of what mends what.

use super::{Row, Times};

pub(super) fn print(rows: &[Row], times: &[Times]) {
    println!("| program | cause | remedy | patch |\n|---|---|---|---|");
    for row in rows {
        let patch = match (row.remedies.first(), row.verified) {
            (None, _) => "",
            (Some(_), None) => "in words",
            (Some(_), Some(true)) => "yes, verified",
            (Some(_), Some(false)) => "yes, LEAVES SOMETHING",
        };
        println!("| {} | {} | {} | {patch} |", row.program, row.cause, remedy(row));
    }
    let found = |kinds: &[&str]| {
        let is_of = |row: &&Row| row.remedies.first().is_some_and(|remedy| kinds.contains(&remedy.kind.as_str()));
        rows.iter().filter(is_of).count()
    };
    let narrow = found(&["moved", "section", "conditional", "atomic"]);
    println!(
        "\n{} causes: {narrow} with a remedy narrower than whole operations ({:.0} %; {} moved, {} sections, {} conditional, {} atomic), {} with one lock \
         around operations, {} with none; {} with patches, {} of them verified",
        rows.len(),
        100.0 * narrow as f64 / rows.len().max(1) as f64,
        found(&["moved"]),
        found(&["section"]),
        found(&["conditional"]),
        found(&["atomic"]),
        found(&["operations"]),
        rows.iter().filter(|row| row.remedies.is_empty()).count(),
        rows.iter().filter(|row| row.verified.is_some()).count(),
        rows.iter().filter(|row| row.verified == Some(true)).count(),
    );
    println!("\n| program | wall s | CPU s with remedies | without |\n|---|--:|--:|--:|");
    for time in times {
        let cut = if time.cut { "~" } else { "" };
        println!("| {} | {cut}{:.1} | {:.1} | {:.1} |", time.program, time.wall, time.with, time.without);
    }
    let sum = |of: fn(&Times) -> f64| times.iter().map(of).sum::<f64>();
    println!("| all | {:.1} | {:.1} | {:.1} |", sum(|t| t.wall), sum(|t| t.with), sum(|t| t.without));
}

/// The change without what is said of its trial.
fn remedy(row: &Row) -> String {
    match (row.remedies.first(), &row.refused) {
        (Some(remedy), _) => remedy.text.split("; tried").next().unwrap_or_default().to_owned(),
        (None, Some(refused)) => refused.clone(),
        (None, None) => "no candidate".to_owned(),
    }
}
