//! What raddle is tested against.
//!
//! - [`ui`]: test files with what they expect on the lines it concerns.
//! - [`program`]: random multithreaded C programs, judged by all interleavings of every shared access.
//! - [`endless`]: random programs whose threads go round for ever, judged by all of their states.
//! - [`library`]: random small data-structure libraries, judged on all concrete heaps up to a bound.
//! - [`owners`]: random libraries whose objects own others, with tests, judged on all clients of few calls.
//! - [`arithmetic`]: random formulas of quotients, remainders and products, judged by trying all values.
//! - [`kernel`]: random CUDA kernels, judged by all interleavings of every access.
//! - [`launches`]: random CUDA kernels with a number, judged by what their threads access in each small launch.
//! - [`strides`]: random CUDA kernels that walk through arrays, judged by what their threads access.
//! - [`calls`]: random calls of the C library with floating-point numbers.
//! - [`clocks`]: random programs that read clocks, judged by trying all readings that matter.
//! - [`interference`]: random programs with inputs, judged by the least interferences that each branch takes.
//! - [`remedied`]: random libraries of two operations that race, and patches of them, judged by all interleavings of every access.
//! - [`finding`]: how an oracle names a race; [`rng`]: the seeded generator that both use.
//!
//! Guarantee: the oracles share no code with the engine, so a mistake made there is not repeated here.
//! Owes: small inputs only. The oracles are brute force, and refuse what is too large instead of guessing.
//! Knows nothing of LLVM, terms or explorers.

pub mod arithmetic;
pub mod calls;
pub mod clocks;
pub mod cuda;
pub mod endless;
pub mod finding;
pub mod interference;
pub mod kernel;
pub mod launches;
pub mod library;
pub mod owners;
pub mod program;
pub mod rc11;
pub mod remedied;
pub mod rng;
pub mod strides;
pub mod ui;
