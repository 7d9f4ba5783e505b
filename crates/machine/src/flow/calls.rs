//! What kernels call besides memory and arithmetic, of a thread that stands for all: the models of [`crate::models::gpu`] ask here first.

use super::FlowMeeting;
use crate::Stop;
use crate::gpu::{Meeting, orders_lanes};
use crate::step::StepCx;
use ::memory::Value;
use std::rc::Rc;

impl StepCx<'_> {
    /// What the thread is told that each finds for itself: what others have brought, a clock, a function's value that is only known roughly.
    /// None where threads are run one by one.
    pub(crate) fn flow_told(&mut self, bits: u32) -> Option<Value> {
        self.is_flow().then(|| Value::Term(self.anything(bits)))
    }

    /// A special register by its number, of a flow.
    pub(crate) fn flow_position(&mut self, which: u64) -> Option<Value> {
        let flow = self.state.flow.as_deref()?;
        let (launch, position, sizes) = (flow.launch, flow.position, flow.sizes.clone());
        Some(match which {
            0..=5 => self.simplest(position[which as usize]),
            6..=11 => self.simplest(sizes.all()[which as usize - 6]),
            12 => Value::Int(u64::from(launch.warp)),
            _ => {
                let rank = super::rank_in_block(&mut self.engine.terms, &sizes, &position);
                let below = self.engine.terms.bv(32, u128::from(launch.warp - 1));
                let lane = self.engine.terms.and(rank, below);
                self.simplest(lane)
            }
        })
    }

    /// Threads meet: those of the block, or all lanes of the warp.
    pub(crate) fn flow_meet(&mut self, meeting: Meeting) -> Result<(), Stop> {
        let warp = self.state.flow.as_deref().map_or(1, |flow| flow.launch.warp);
        let of_lanes = match meeting {
            Meeting::Barrier(_) => None,
            Meeting::Grid(_) => return Err(self.leave_flow("grid.sync()")),
            Meeting::Lanes { kind, mask } if mask.trailing_ones() >= warp => Some((kind, mask)),
            Meeting::Lanes { .. } => return Err(self.leave_flow("lanes of a warp that meet without the others")),
        };
        let site = self.site();
        self.note_loops_that_meet();
        if let Some(flow) = self.flow() {
            flow.interval += u32::from(of_lanes.is_none());
            flow.lanes_interval += u32::from(of_lanes.is_some_and(|(kind, _)| orders_lanes(kind)));
            Rc::make_mut(&mut flow.meetings).push(FlowMeeting { site, of_lanes });
            // Others may have written meanwhile.
            flow.known.clear();
        }
        Ok(())
    }

    /// Before memory is allocated.
    pub(crate) fn check_allocation(&self) -> Result<(), Stop> {
        if self.is_flow() { Err(self.leave_flow("memory that kernels allocate")) } else { Ok(()) }
    }
}
