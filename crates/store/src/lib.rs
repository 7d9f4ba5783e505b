//! Results kept by content, from one run to the next.
//!
//! [`Content`] says what the code of a program is, wherever it stands in its files; [`Store`] keeps what was found out about it
//! under that name. What was found out names places in files; [`Moved`] tells where these are now.
//!
//! Guarantee: what comes out of a store is what was put in, under the same key, by the same build.
//! Knows nothing of what it keeps, nor of how that is found out.

mod content;
mod directory;

pub use content::{Content, Moved};
pub use directory::{Key, Store};
