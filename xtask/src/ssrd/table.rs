//! The figures of all revisions, of each structure and in total, as text and as JSON.

use super::pairs::Comparison;
use super::raddle::Explored;
use super::reuse::Reuse;
use super::tables::Row;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::finding::Race;

/// Figures of a revision, or the sum of several.
#[derive(Serialize, Default, Clone)]
struct Line {
    structure: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    revision: String,
    annotated: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    oracle: Option<Enumerated>,
    stress: Found,
    one_shape: Searched,
    all_shapes: Searched,
    guided: GuidedSums,
}

/// What the enumeration of heaps found.
#[derive(Serialize, Default, Clone)]
struct Enumerated {
    confirmed: usize,
    not_annotated: usize,
    exhaustive: bool,
}

#[derive(Serialize, Default, Clone)]
struct Found {
    found: usize,
    not_annotated: usize,
    seconds: f64,
    /// The pairs that were not found, and those that are not annotated; not in sums.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
}

#[derive(Serialize, Default, Clone)]
struct Searched {
    #[serde(flatten)]
    pairs: Found,
    /// How many runs were cut short by their time.
    cut: usize,
    paths: u64,
    executions: u64,
    shapes: u64,
}

/// What the guided search did, and what the solver took, in the runs with all shapes.
#[derive(Serialize, Default, Clone)]
struct GuidedSums {
    /// Annotated pairs that were found and that a client's program shows.
    reachable: usize,
    candidates: u64,
    unions: u64,
    adjustments: u64,
    infeasible: u64,
    /// The least, for a sum.
    first_race_seconds: Option<f64>,
    solver_seconds: f64,
    /// As raddle measures its own time.
    own_seconds: f64,
}

fn found(compared: &Comparison, seconds: f64) -> Found {
    let list = |races: &BTreeSet<Race>| races.iter().map(Race::to_string).collect();
    Found {
        found: compared.found.len(),
        not_annotated: compared.others.len(),
        seconds,
        missed: list(&compared.missed),
        others: list(&compared.others),
    }
}

fn line(row: &Row) -> Line {
    let searched = |(explored, compared): &(Explored, Comparison)| Searched {
        pairs: found(compared, explored.seconds),
        cut: usize::from(explored.cut),
        paths: explored.paths,
        executions: explored.executions,
        shapes: explored.shapes,
    };
    let (stressed, compared) = &row.stress;
    let (all, _) = &row.all_shapes;
    let guided = all.guided.as_ref();
    Line {
        structure: row.structure.clone(),
        revision: row.revision.clone(),
        annotated: row.annotated,
        oracle: row.oracle.as_ref().map(|(confirmed, compared)| Enumerated {
            confirmed: compared.found.len(),
            not_annotated: compared.others.len(),
            exhaustive: confirmed.exhaustive(),
        }),
        stress: found(compared, stressed.seconds),
        one_shape: searched(&row.one_shape),
        all_shapes: searched(&row.all_shapes),
        guided: GuidedSums {
            reachable: all.reached.intersection(&row.all_shapes.1.found).count(),
            candidates: guided.map_or(0, |g| g.candidates),
            unions: guided.map_or(0, |g| g.unions),
            adjustments: guided.map_or(0, |g| g.adjustments),
            infeasible: guided.map_or(0, |g| g.infeasible.values().sum()),
            first_race_seconds: all.first_race_seconds,
            solver_seconds: all.solver_seconds,
            own_seconds: all.own_seconds,
        },
    }
}

impl Found {
    fn add(&mut self, other: &Found) {
        self.found += other.found;
        self.not_annotated += other.not_annotated;
        self.seconds += other.seconds;
    }
}

impl Searched {
    fn add(&mut self, other: &Searched) {
        self.pairs.add(&other.pairs);
        self.cut += other.cut;
        self.paths += other.paths;
        self.executions += other.executions;
        self.shapes += other.shapes;
    }
}

fn sum(structure: &str, lines: &[Line]) -> Line {
    let mut total = Line { structure: structure.to_owned(), ..Line::default() };
    for line in lines {
        total.annotated += line.annotated;
        total.stress.add(&line.stress);
        total.one_shape.add(&line.one_shape);
        total.all_shapes.add(&line.all_shapes);
        if let Some(oracle) = &line.oracle {
            let all = total.oracle.get_or_insert(Enumerated { exhaustive: true, ..Enumerated::default() });
            all.confirmed += oracle.confirmed;
            all.not_annotated += oracle.not_annotated;
            all.exhaustive &= oracle.exhaustive;
        }
        let (guided, of) = (&mut total.guided, &line.guided);
        guided.reachable += of.reachable;
        guided.candidates += of.candidates;
        guided.unions += of.unions;
        guided.adjustments += of.adjustments;
        guided.infeasible += of.infeasible;
        guided.solver_seconds += of.solver_seconds;
        guided.own_seconds += of.own_seconds;
        let times = [guided.first_race_seconds, of.first_race_seconds];
        guided.first_race_seconds = times.into_iter().flatten().reduce(f64::min);
    }
    total
}

/// The lines of each structure, with their sum.
fn structures(lines: &[Line]) -> Vec<(&[Line], Line)> {
    lines
        .chunk_by(|one, other| one.structure == other.structure)
        .map(|own| (own, sum(&own[0].structure, own)))
        .collect()
}

/// One document: each revision, each structure, all.
pub(crate) fn json(rows: &[Row], second: &[Reuse]) -> Value {
    let lines: Vec<Line> = rows.iter().map(line).collect();
    let sums: Vec<Line> = structures(&lines).into_iter().map(|(_, sum)| sum).collect();
    json!({
        "schema": "raddle-tables/1",
        "revisions": lines,
        "structures": sums,
        "total": sum("all", &lines),
        "second_runs": second,
    })
}

/// Two tables: what was found, and how the guided search went.
pub(crate) fn text(rows: &[Row]) -> String {
    let lines: Vec<Line> = rows.iter().map(line).collect();
    let enumerated = lines.iter().any(|line| line.oracle.is_some());
    let mut head = vec!["structure", "revision", "pairs"];
    if enumerated {
        head.push("oracle");
    }
    head.extend(["(a) TSan", "s", "(b) one shape", "s", "paths", "exec."]);
    head.extend(["(c) all shapes", "s", "paths", "exec.", "shapes"]);
    let found = grid(&head, &lines, |line| found_cells(line, enumerated));
    let head = [
        "structure",
        "revision",
        "reachable",
        "candidates",
        "unions",
        "adjusted",
        "infeasible",
        "first race s",
        "solver %",
    ];
    let guided = grid(&head, &lines, guided_cells);
    format!(
        "Annotated pairs that were found; +N: pairs that are not annotated; ~: out of time{}\n{found}\n\n\
         (c): pairs that clients reach, the guided search, and the solver's share of the time\n{guided}",
        if enumerated { "; *: not all schedules" } else { "" }
    )
}

fn grid(head: &[&str], lines: &[Line], cells: impl Fn(&Line) -> Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    for (own, sum) in structures(lines) {
        for line in own {
            table.add_row(cells(line));
        }
        if own.len() > 1 {
            table.add_row(cells(&sum));
        }
    }
    table.add_row(cells(&sum("all", lines)));
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn names(line: &Line) -> Vec<String> {
    let revision = if line.revision.is_empty() { "total" } else { &line.revision };
    vec![line.structure.clone(), revision.to_owned()]
}

fn pairs(found: &Found) -> String {
    let others = if found.not_annotated == 0 { String::new() } else { format!(" +{}", found.not_annotated) };
    format!("{}{others}", found.found)
}

fn found_cells(line: &Line, enumerated: bool) -> Vec<String> {
    let mut cells = names(line);
    cells.push(line.annotated.to_string());
    if enumerated {
        cells.push(line.oracle.as_ref().map_or(String::new(), |oracle| {
            let others = if oracle.not_annotated == 0 { String::new() } else { format!(" +{}", oracle.not_annotated) };
            format!("{}{others}{}", oracle.confirmed, if oracle.exhaustive { "" } else { "*" })
        }));
    }
    let seconds =
        |searched: &Searched| format!("{}{:.1}", if searched.cut > 0 { "~" } else { "" }, searched.pairs.seconds);
    cells.extend([pairs(&line.stress), format!("{:.1}", line.stress.seconds)]);
    let (one, all) = (&line.one_shape, &line.all_shapes);
    cells.extend([pairs(&one.pairs), seconds(one), one.paths.to_string(), one.executions.to_string()]);
    cells.extend([pairs(&all.pairs), seconds(all), all.paths.to_string(), all.executions.to_string()]);
    cells.push(all.shapes.to_string());
    cells
}

fn guided_cells(line: &Line) -> Vec<String> {
    let guided = &line.guided;
    let mut cells = names(line);
    cells.push(format!("{} of {}", guided.reachable, line.all_shapes.pairs.found));
    let counts = [guided.candidates, guided.unions, guided.adjustments, guided.infeasible];
    cells.extend(counts.map(|count| count.to_string()));
    cells.push(guided.first_race_seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")));
    // Of a run that took no time there is no share.
    let share = 100.0 * guided.solver_seconds / guided.own_seconds;
    cells.push(if guided.own_seconds > 0.0 { format!("{share:.1}") } else { "-".to_owned() });
    cells
}
