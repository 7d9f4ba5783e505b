//! The data structures of `bench/ssrd` with their annotated races: `cargo xtask tables` and `cargo xtask oracle`.

mod build;
mod heaps;
mod oracle;
mod pairs;
mod raddle;
mod reuse;
mod revisions;
mod stress;
mod table;
mod tables;

pub(crate) use heaps::{Limits, Oracle};
pub(crate) use oracle::{OracleOptions, run as run_oracle};
pub(crate) use revisions::{Revision, cases, revisions};
pub(crate) use tables::{TablesOptions, run as run_tables};
