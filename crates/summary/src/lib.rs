//! What is known of code by itself, and stays known until the code changes.
//!
//! [`Content`] says what the code of a program is, wherever it stands in its files; [`Store`] keeps what was found out about it
//! under that name, from one run to the next. What was found out names places in files; [`Moved`] tells where these are now.
//!
//! Guarantee: what comes out of a store is what was put in, under the same key, by the same build.
//! Knows nothing of what it keeps, nor of how that is found out.

mod content;
mod store;
mod unit;

pub use content::{Content, Moved, Place};
pub use store::{Key, Store};
pub use unit::{UnitOptions, UnitSummary, summarize};
