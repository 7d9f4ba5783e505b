//! raddle's intermediate representation: what the rest of the engine knows of a program.
//!
//! A [`Module`] is plain data: printable ([`text`]), parseable, storable ([`binary`]) and checked once by [`verify`].
//! Registers are slots of a function, blocks take parameters (no phi instructions), addresses are byte arithmetic, and
//! every instruction knows its source position. What can be said of a function's control flow before it runs is in
//! [`mod@cfg`].
//!
//! Guarantee: a module that [`verify::verify`] accepts has only ids in range and operands of the right kind.
//! Not promised: that the program is right, or that every instruction can be executed ([`Op::Unsupported`]).
//! Knows nothing of LLVM, terms or execution.

pub mod binary;
mod c_type;
pub mod cfg;
mod diamonds;
mod escapes;
mod ids;
mod inst;
mod layout;
mod module;
mod only_atomic;
mod operands;
mod part;
mod passing;
mod readers;
mod semaphores;
mod set;
mod shared;
mod sides;
mod tail;
pub mod text;
mod types;
pub mod verify;

pub use c_type::{basic_type, c_type};
pub use diamonds::{Diamond, diamonds};
pub use escapes::{Escapes, Marked};
pub use ids::*;
pub use inst::*;
pub use layout::*;
pub use module::*;
pub use only_atomic::only_atomic;
pub use operands::*;
pub use part::{Part, Wanted};
pub use passing::{Given, Leaf};
pub use readers::{may_call, only_read};
pub use semaphores::{SemaphorePlace, Semaphores};
pub use set::*;
pub use shared::shared_bytes;
pub use sides::{meeting_block, on_different_sides};
pub use tail::give_elements;
pub use types::*;

/// For [`entity_id`].
#[doc(hidden)]
pub use serde;
