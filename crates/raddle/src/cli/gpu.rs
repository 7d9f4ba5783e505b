//! `raddle gpu`: the flags of a launch.

use super::{Cluster, Extension, Files, With};
use crate::config::Config;
use crate::numbers;
use clap::Args;
use session::errors::UsageError;
use session::options::{Flows, Globals, GpuOptions, InferOptions, Sched};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Threads of a warp, on every device so far.
const WARP: u32 = 32;
/// Where nobody says: few, since what they do is explored in all orders.
const GRID: [u32; 3] = [2, 1, 1];
const BLOCK: [u32; 3] = [4, 1, 1];

#[derive(Debug, Args)]
pub(crate) struct Gpu {
    /// CUDA sources (.cu), or what clang has made of the device's side (.ll, .bc)
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// The kernel, by its name [default: what `main` launches, if there is one, else the only kernel]
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<String>,
    /// Blocks of a kernel's launch: `2`, or by dimension `2,2,1` [default: 2]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    grid: Option<Dimensions>,
    /// Threads of a block: `4`, or by dimension `4,2,1` [default: 4]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    block: Option<Dimensions>,
    /// Threads of a warp, a power of two; devices have 32, fewer show in small launches what happens between warps [default: 32]
    #[arg(long, value_name = "N", value_parser = warp)]
    warp: Option<u32>,
    /// How threads of a warp are ordered: not at all, `independent`, as from Volta on, or instruction by instruction, `lockstep`, as before
    /// [default: what the architecture in the flags for clang has, else independent]
    #[arg(long, value_enum, value_name = "MODEL")]
    sched: Option<Scheduling>,
    /// Look at all threads at once, as any two of them: where the launch has too many to explore what they do in all orders, `auto`, always
    /// first, or never [default: auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    flows: Option<Flows>,
    /// Say also under which launches the kernel is free of races: the weakest assertion of at most two comparisons of `blockDim`, `gridDim`, integer
    /// parameters, their products and constants of the code. Changes neither verdict nor exit code, which are those of the launch of --grid
    /// and --block
    #[arg(long)]
    infer_launch: bool,
    /// The largest grid for --infer-launch [default: 65535 blocks; 1023 in each of several dimensions]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, requires = "infer_launch")]
    max_grid: Option<Dimensions>,
    /// The largest block for --infer-launch [default: 1024 threads in each dimension, and in all]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, requires = "infer_launch")]
    max_block: Option<Dimensions>,
    /// Bytes of dynamic shared memory: `extern __shared__` arrays are so large [default: as many as they are declared with, or as they are seen to need]
    #[arg(long, value_name = "BYTES", value_parser = numbers::natural_u64)]
    shared: Option<u64>,
    /// What `__device__` variables hold at the start: what the source gives them, or anything [default: initial]
    #[arg(long, value_enum, value_name = "CONTENTS")]
    globals: Option<Globals>,
    /// End as soon as something is found. What that is may depend on the number of workers
    #[arg(long)]
    stop_on_finding: bool,
    #[command(flatten)]
    pub(crate) cluster: Cluster,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    pub(crate) files: Files,
    /// Flags for clang
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub(crate) clang_flags: Vec<String>,
}

/// How threads of a warp are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Scheduling {
    Independent,
    Lockstep,
}

impl From<Scheduling> for Sched {
    fn from(scheduling: Scheduling) -> Self {
        match scheduling {
            Scheduling::Independent => Sched::Independent,
            Scheduling::Lockstep => Sched::Lockstep,
        }
    }
}

/// The first architecture whose threads are independent.
const VOLTA: u32 = 70;

/// What the architecture has that clang compiles for: the last one that is named.
fn of_architecture(flags: &[String]) -> Sched {
    let named = flags.iter().rev().find_map(|flag| flag.split_once("-arch=sm_").map(|(_, number)| number));
    let number = named.and_then(|number| number.trim_end_matches(char::is_alphabetic).parse::<u32>().ok());
    if number.is_some_and(|number| number < VOLTA) { Sched::Lockstep } else { Sched::Independent }
}

/// Sizes by dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dimensions([u32; 3]);

fn dimensions(text: &str) -> Result<Dimensions, String> {
    let mut all = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err("there are three dimensions".to_owned());
    }
    for (place, part) in all.iter_mut().zip(parts) {
        *place = part.trim().parse().map_err(|_| "a number, or up to three with commas between: 4,2,1".to_owned())?;
    }
    Ok(Dimensions(all))
}

fn warp(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(size) if size.is_power_of_two() && size <= WARP => Ok(size),
        _ => Err("a power of two, 32 at the most".to_owned()),
    }
}

impl Gpu {
    /// Whether kernels alone are looked at, not what a `main` does.
    pub(crate) fn is_of_kernels(&self) -> bool {
        self.kernel.is_some()
    }
}

impl With<Gpu> {
    /// # Errors
    /// When what is asked for is not done for launches.
    pub(crate) fn options(&self, config: &Config) -> Result<GpuOptions, UsageError> {
        let Gpu { kernel, grid, block, warp, sched, shared, globals, flows, clang_flags, .. } = &self.own;
        let bounds = self.search.bounds(config);
        Ok(GpuOptions {
            bounds,
            array: self.search.array.or(config.bounds.array).map(NonZeroU64::get),
            external: self.search.external.unwrap_or_default(),
            kernel: kernel.clone(),
            grid: grid.map_or(GRID, |size| size.0),
            block: block.map_or(BLOCK, |size| size.0),
            sized: grid.is_some() || block.is_some() || shared.is_some(),
            warp: warp.unwrap_or(WARP),
            shared: shared.unwrap_or(0),
            sched: sched.map_or_else(|| of_architecture(clang_flags), Sched::from),
            flows: flows.unwrap_or_default(),
            globals: *globals,
            valid: self.search.valid.clone(),
            stop_on_finding: self.own.stop_on_finding,
            infer: self.own.infer_launch.then(|| InferOptions {
                most_grid: self.own.max_grid.map(|size| size.0),
                most_block: self.own.max_block.map(|size| size.0),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_one_number_or_up_to_three() {
        assert_eq!(dimensions("4"), Ok(Dimensions([4, 1, 1])));
        assert_eq!(dimensions("4,2"), Ok(Dimensions([4, 2, 1])));
        assert_eq!(dimensions("4x2x3"), Ok(Dimensions([4, 2, 3])));
        for wrong in ["", "a", "1,2,3,4", "-1", "4,"] {
            assert!(dimensions(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn old_architectures_are_in_lockstep() {
        let of = |flag: &str| of_architecture(&["-DX".to_owned(), flag.to_owned()]);
        assert_eq!(of("--offload-arch=sm_61"), Sched::Lockstep);
        assert_eq!(of("--cuda-gpu-arch=sm_70"), Sched::Independent);
        assert_eq!(of("--offload-arch=sm_90a"), Sched::Independent);
        assert_eq!(of("-O2"), Sched::Independent);
    }

    #[test]
    fn warps_are_powers_of_two() {
        assert_eq!(warp("2"), Ok(2));
        for wrong in ["0", "3", "64", "x"] {
            assert!(warp(wrong).is_err(), "{wrong}");
        }
    }
}
