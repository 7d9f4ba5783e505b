//! Work that the workers of an engine carry out: [`ship`] gives it to them, follows it, and gives again what they did not do.
//!
//! Two small interfaces meet here. An [`Engine`] runs commands somewhere: [`HyperQueue`] does. [`Work`] is what is to be
//! done: it deals itself into tasks, and knows what came back. What a task did is no business of the engine's: it lies in a
//! folder that whoever gave it and whoever did it both see.
//!
//! Guarantee: what an engine loses, does twice or reports late is given again, or counts once; work ends when all of it is
//! done, or with the reason why it cannot be.
//! Knows nothing of what is done.

mod engine;
mod hyperqueue;
mod ship;

pub use engine::{End, Engine, EngineError, Status, Task, TaskNumber};
pub use hyperqueue::{Found, HyperQueue, PINNED, Server, look};
pub use ship::{Ended, Failed, Pace, Situation, Work, ship};
