//! What kernels call besides memory and arithmetic, of a thread that stands for all.

use super::FlowMeeting;
use crate::Stop;
use crate::step::{Call, Flow as Next, StepCx, returns};
use ::memory::Value;
use std::rc::Rc;

impl StepCx<'_> {
    /// Carries out a call of the machine's that is about the launch; `None` for others.
    pub(crate) fn flow_call(&mut self, name: &str, call: &Call) -> Result<Option<Next>, Stop> {
        if !self.is_flow() || !(name.starts_with("__raddle_gpu_") || name.starts_with("llvm.nvvm.") || name == "malloc")
        {
            return Ok(None);
        }
        let special = |suffix: &str| match suffix {
            "tid.x" => 0,
            "tid.y" => 1,
            "tid.z" => 2,
            "ctaid.x" => 3,
            "ctaid.y" => 4,
            "ctaid.z" => 5,
            "ntid.x" => 6,
            "ntid.y" => 7,
            "ntid.z" => 8,
            "nctaid.x" => 9,
            "nctaid.y" => 10,
            "nctaid.z" => 11,
            "warpsize" => 12,
            _ => 13,
        };
        let value = match name {
            "__raddle_gpu_position" => match call.concrete(self, 0)? {
                14 => Value::Term(self.anything(32)),
                which => self.flow_position(which),
            },
            "__raddle_gpu_barrier" | "llvm.nvvm.barrier0" | "llvm.nvvm.barrier.cta.sync.aligned.all" => {
                let is_numbered = name.ends_with(".all") && !call.args.is_empty();
                if is_numbered && call.concrete(self, 0)? != 0 {
                    return Err(self.leave_flow("barriers with numbers"));
                }
                self.flow_barrier();
                Value::Int(0)
            }
            "__raddle_gpu_converge" => {
                let all = if self.flow_warp() == 32 { u64::from(u32::MAX) } else { (1 << self.flow_warp()) - 1 };
                let mask = match call.arg(self, 1)? {
                    Value::Int(mask) => mask,
                    _ => 0,
                };
                if mask & all != all {
                    return Err(
                        self.leave_flow("lanes of a warp that meet without the others, or by a mask that is not known")
                    );
                }
                let kind = call.concrete(self, 0)? as u32;
                self.flow_meets(Some(kind));
                Value::Int(0)
            }
            "__raddle_gpu_give" | "__raddle_gpu_fence" | "__raddle_gpu_thread_fence" => Value::Int(0),
            "llvm.nvvm.membar.cta" | "llvm.nvvm.membar.gl" | "llvm.nvvm.membar.sys" => Value::Int(0),
            "__raddle_gpu_take" => Value::Term(self.anything(64)),
            "__raddle_gpu_ballot" | "__raddle_gpu_members" | "__raddle_gpu_active" => Value::Term(self.anything(32)),
            // What a function comes to that is only known roughly, and what a clock shows, is each thread's own.
            "__raddle_gpu_clock" => Value::Term(self.anything(64)),
            "__raddle_gpu_float" => Value::Term(self.anything(32)),
            "__raddle_gpu_double" => Value::Term(self.anything(64)),
            "__raddle_gpu_grid_barrier" => return Err(self.leave_flow("grid.sync()")),
            "malloc" => return Err(self.leave_flow("memory that kernels allocate")),
            _ => match name.strip_prefix("llvm.nvvm.read.ptx.sreg.") {
                Some(register) => self.flow_position(special(register)),
                None => return Ok(None),
            },
        };
        returns(self, call, value).map(Some)
    }

    fn flow_position(&mut self, which: u64) -> Value {
        let Some(flow) = self.state.flow.as_deref() else { return Value::Int(0) };
        let (launch, position) = (flow.launch, flow.position);
        match which {
            0..=5 => self.simplest(position[which as usize]),
            6..=8 => Value::Int(u64::from(launch.block[which as usize - 6])),
            9..=11 => Value::Int(u64::from(launch.grid[which as usize - 9])),
            12 => Value::Int(u64::from(launch.warp)),
            _ => {
                // The lane.
                let [x, y, z] = [position[0], position[1], position[2]];
                let terms = &mut self.engine.terms;
                let [width, height] = [launch.block[0], launch.block[1]].map(|size| terms.bv(32, u128::from(size)));
                let rows = terms.mul(z, height);
                let rows = terms.add(rows, y);
                let before = terms.mul(rows, width);
                let rank = terms.add(before, x);
                let below = terms.bv(32, u128::from(launch.warp - 1));
                let lane = terms.and(rank, below);
                self.simplest(lane)
            }
        }
    }

    /// `__syncthreads()`: all of the block meet.
    fn flow_barrier(&mut self) {
        if let Some(flow) = self.flow() {
            flow.interval += 1;
        }
        self.flow_meets(None);
    }

    fn flow_meets(&mut self, of_lanes: Option<u32>) {
        let site = self.site();
        self.note_loops_that_meet();
        if let Some(flow) = self.flow() {
            Rc::make_mut(&mut flow.meetings).push(FlowMeeting { site, of_lanes });
        }
        self.others_may_have_written();
    }

    fn flow_warp(&self) -> u32 {
        self.state.flow.as_deref().map_or(1, |flow| flow.launch.warp)
    }

    fn others_may_have_written(&mut self) {
        if let Some(flow) = self.flow() {
            flow.known.clear();
        }
    }
}
