//! What raddle tells its user: the report as plain data, as JSON, as text for a terminal, and as a page.
//!
//! [`Report`] is filled by the analysis and closed by [`Report::finish`], which orders and numbers the findings and
//! derives the verdicts; [`render_json`] and [`render_text`] only show it.
//!
//! Guarantee: `safe` is never the verdict of a report that has a finding, a ledger line or an inconclusive pair; the same
//! report always renders to the same bytes.
//! Knows nothing of machines, solvers, or where the report goes.

mod baseline;
mod causes;
mod condition;
mod content;
mod coverage;
mod document;
mod finding;
mod finish;
mod guard;
mod heap;
mod html;
mod json;
mod junit;
mod lcov;
mod printable;
mod property;
mod sarif;
mod shortfalls;
mod source;
mod suppress;
mod svg;
mod text;
mod tree;
mod words;

pub use baseline::{Baseline, BaselineUse, Gone};
pub use causes::{Cause, CauseKind, Lifecycle, Remedy, RemedyKind, RemedyResults, Stage, field_class};
pub use condition::{ConditionComparison, ConditionOutcome, GivenNumber, LaunchCondition, ShownLaunch};
pub use coverage::{
    AccessPlace, BaselineTest, BranchEntry, BranchOutcome, CodeCoverage, CoverEntry, CoveredPlace, DefUseEntry,
    DegreeEntry, Share, Unreached,
};
pub use document::{
    Assumption, Claim, EffectKind, EntryVerdict, ErrorClass, ErrorReport, ExecutionsLeft, GuidedStats, LedgerLine,
    MatrixEntry, PairEntry, PairVerdict, RaceEffect, Reached, Report, SCHEMA, SamplingBound, SamplingStats, Sequential,
    SolverStages, Stats, StoreStats, SummaryStats, Tool, UnfoldingEvent, UnfoldingStats, Verdict,
};
pub use finding::{
    Access, AccessKind, Blocked, Client, EarlierAccess, EarlierRace, Finding, FindingKind, GpuAccess, GpuThread,
    HostLaunch, Input, InputValue, Launch, Location, Note, OutOfTurn, Program, Real, ScheduleStep, ShapeBasis,
    ThreadName, Touches, object_of,
};
pub use finish::exit_code;
pub use guard::{Guard, GuardOwner, Guarded, Guards};
pub use heap::{Content, Heap, HeapField, HeapObject, HeapRoot};
pub use html::render_html;
pub use json::render_json;
pub use junit::render_junit;
pub use lcov::render_lcov;
pub use printable::printable;
pub(crate) use printable::visible;
pub use property::{ERROR_LOCATION, Property};
pub use sarif::render_sarif;
pub use shortfalls::{FLAGS, Shortfall};
pub use source::{FileSources, NoSources, Sources};
pub use suppress::{Suppressed, SuppressedPlace, Suppression, SuppressionUse};
pub use svg::{render_svg, render_tree_svg, render_unfolding_svg};
pub use text::{TextOptions, render_finding, render_legend, render_text, render_tree_text};
pub use tree::{Effect, FunctionTree, Relation, TreeAccess, TreeLocation, TreeNode, TreeNodeKind};
