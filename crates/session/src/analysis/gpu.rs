//! `raddle gpu`: one launch of a kernel, with any arguments, on any heap.
//!
//! A heap on which no schedule of the launch comes to its end is outside of the kernel's precondition, as for `raddle races`; failures
//! other than races and divergence count where another schedule on the same heap comes to its end, accesses to what is not there excepted, or
//! where no heap is within it. With a predicate, heaps are those of which it says yes, and what these do not have is a failure as well.

use super::Ticker;
use super::condition;
use super::flows::{self, MOST_THREADS};
use super::kept::{PartKept, PartsKept};
use super::races::vacuous_remedy;
use super::select::suggestion;
use super::session::{Measure, Session};
use super::until_found::{About, explore};
use super::valid;
use super::watch::set_aside;
use crate::errors::UsageError;
use crate::options::{GpuOptions, InferOptions, Volatile};
use explore::{
    AloneSummary, Completing, Exploration, FlowPair, JointOptions, Kernel, Likely, Operation, Origin, Paused, RootRule,
    Sequence,
};
use ir::{FloatOp, FuncId, Module, Op};
use machine::{Config, Launch, LossKind, LossSite};
use memory::Limits;
use report::{Assumption, Finding, FindingKind, LaunchCondition, Report, ShapeBasis};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use witness::{Setting, Threads};

/// Threads of a block, and blocks of a grid by dimension, that devices have at the most (compute capability 7.0 and later).
pub(super) const MOST_IN_BLOCK: u64 = 1024;
pub(super) const MOST_IN_DIMENSION: [u32; 3] = [1024, 1024, 64];
pub(super) const MOST_BLOCKS: [u32; 3] = [0x7fff_ffff, 65535, 65535];

/// How often buffers that have turned out to be too short are made longer, and how long at the most; and dynamic shared memory, of which each
/// launch has so many bytes (compute capability 7.0).
const LONGER: usize = 3;
const MOST_ELEMENTS: u64 = 1024;
const MOST_SHARED: u64 = 48 << 10;

/// How long a look at one more launch may take where solvers take longer than steps.
const LONGEST_LOOK: Duration = Duration::from_secs(60);

/// So many threads take steps as fast as any others. With more, each step takes longer: clocks have that size.
const THREADS_AT_FULL_SPEED: u64 = 8;

/// The kernel of this name, or the only one.
pub(super) fn kernel(module: &Module, name: Option<&str>) -> Result<FuncId, UsageError> {
    let kernels: Vec<FuncId> = module
        .functions()
        .filter(|(_, function)| function.kernel && !function.is_declaration())
        .map(|(id, _)| id)
        .collect();
    let names = || kernels.iter().map(|&id| module[id].name.as_str());
    let Some(name) = name else {
        return match kernels.as_slice() {
            [only] => Ok(*only),
            [] => Err(UsageError::new(
                "no_kernel",
                "the sources have no kernel: no `__global__` function with a body; of a template there is one if the source \
                 instantiates it (`template __global__ void kernel<float>(float *);`)"
                    .to_owned(),
            )),
            _ => {
                let all = names().collect::<Vec<_>>().join(", ");
                Err(UsageError::new(
                    "several_kernels",
                    format!("there are several kernels: choose one by --kernel ({all})"),
                ))
            }
        };
    };
    let is_meant = |id: &&FuncId| {
        let known = module[**id].name.as_str();
        // A template is meant by its name, as far as that tells it from others.
        known == name || known.split_once('<').is_some_and(|(template, _)| template == name)
    };
    let found: Vec<&FuncId> = kernels.iter().filter(is_meant).collect();
    match found.as_slice() {
        [only] => Ok(**only),
        [] => {
            let known = suggestion(name, names());
            Err(UsageError::new("no_kernel", format!("there is no kernel `{name}`; {known}")))
        }
        several => {
            let all = several.iter().map(|&&id| module[id].name.as_str()).collect::<Vec<_>>().join(", ");
            Err(UsageError::new("several_kernels", format!("several kernels are called `{name}`: choose one of {all}")))
        }
    }
}

/// Whether a device can run the launch, and raddle explore it.
pub(super) fn launch(options: &GpuOptions) -> Result<Launch, UsageError> {
    let (grid, block) = (options.grid, options.block);
    let launch = Launch { grid, block, warp: options.warp, shared: options.shared, sched: options.sched };
    let refuse = |why: String| Err(UsageError::new("launch", why));
    let over = |sizes: [u32; 3], most: [u32; 3]| (0..3).find(|&index| sizes[index] > most[index]);
    if launch.threads() == 0 {
        return refuse("a launch needs a thread: each dimension of --grid and --block is at least 1".to_owned());
    }
    if let Some(index) = over(block, MOST_IN_DIMENSION) {
        let (given, most) = (block[index], MOST_IN_DIMENSION[index]);
        return refuse(format!("--block has {given} threads in dimension {}, a device {most} at the most", index + 1));
    }
    if launch.block_size() > MOST_IN_BLOCK {
        return refuse(format!("a block of {} threads: devices have {MOST_IN_BLOCK} at the most", launch.block_size()));
    }
    if let Some(index) = over(grid, MOST_BLOCKS) {
        let (given, most) = (grid[index], MOST_BLOCKS[index]);
        return refuse(format!("--grid has {given} blocks in dimension {}, a device {most} at the most", index + 1));
    }
    if launch.threads() > MOST_THREADS && (options.valid.is_some() || !flows::are_for(options, &launch)) {
        let threads = launch.threads();
        return refuse(format!(
            "{threads} threads: raddle explores {MOST_THREADS} together at the most; give a smaller launch"
        ));
    }
    Ok(launch)
}

pub(super) fn run(
    mut session: Session,
    options: &GpuOptions,
    kept: PartsKept<'static>,
    ticker: &mut Ticker,
) -> anyhow::Result<Report> {
    let mut search = LaunchSearch::new(&mut session, options)?;
    let infer = options.infer.as_ref().map(|infer| search.infer(&mut session, (options, infer), ticker)).transpose()?;
    let mut claim = options.claim();
    claim.kernel = Some(search.kernel.operation.name.clone());
    let launch = search.kernel.launch;
    claim.threads = u32::try_from(launch.threads()).unwrap_or(u32::MAX);
    claim.launch.iter_mut().for_each(|claimed| claimed.block = launch.block);
    let mut report = Report::new("gpu", claim);
    report.condition = infer;
    if search.asks_flows(options) {
        let told = flows::tell(&mut session, search.limits, &search.kernel)?;
        // A launch that can be explored thread by thread is, where that is not enough.
        if told.is_safe() || launch.threads() > MOST_THREADS {
            if let Some(shown) = search.show(&mut session, &told.found.pairs, ticker)? {
                report.claim.threads = u32::try_from(shown.threads()).unwrap_or(u32::MAX);
                report.claim.launch.iter_mut().for_each(|claimed| claimed.grid = shown.grid);
                report.claim.array = search.limits.array;
            }
            let rounding = rounding(&session.engine.program.module, Some(&search.kernel.operation.name));
            report.assumptions.extend(precondition(&search.kernel, rounding));
            report.assumptions.push(flows::assumed(launch));
            told.note(&mut session, launch);
            return session.finish(report, &told.counts(), !told.found.interrupted);
        }
    }
    let paused = kept.into_iter().next().flatten().and_then(|part| part.paused).map(Cow::into_owned);
    // What was put aside, or done by others, is of the first bounds: wider ones are explored here, and anew when it is gone on with.
    let mut explored = search.explore(&mut session, paused.unwrap_or_default(), ticker)?;
    explored = search.widen(&mut session, explored, options, ticker)?;
    session.parameters.bounds.array = search.limits.array;
    report.claim.array = search.limits.array;
    report.claim.launch.iter_mut().for_each(|launch| launch.shared = search.kernel.launch.shared);
    if let Some(paused) = explored.paused.take() {
        let part = PartKept { paused: Some(Cow::Owned(*paused)), ..PartKept::default() };
        set_aside(&session, vec![Some(Box::new(part))]);
    }
    search.confirm(&mut session, &explored)?;
    let rounding = rounding(&session.engine.program.module, Some(&search.kernel.operation.name));
    report.assumptions.extend(precondition(&search.kernel, rounding));
    if explored.exhausted.is_none() && explored.completing == 0 && session.found.confirmed.is_empty() {
        // Whatever it is given, it fails: no precondition excuses that. How long its buffers are nobody has said.
        search.kernel.on_any_heap = true;
        search.joint.completing = Completing::Nothing;
        session.parameters.open_ended = options.array.is_none();
        search.config = session.parameters.together();
        explored = search.explore(&mut session, Paused::default(), ticker)?;
        search.confirm(&mut session, &explored)?;
    }
    let is_over = explored.exhausted.is_none();
    if is_over && explored.first_alone.accepted == 0 {
        nothing_is_valid(&mut session, &search.kernel, &explored.first_alone);
    }
    session.add_explored(&explored.ledger, std::mem::take(&mut explored.spent));
    session.add_reduction(&explored);
    session.seen.paths = explored.counts.paths.len();
    session.finish(report, &explored.counts, is_over)
}

/// Where the threads of a launch begin, and how they are explored. None: flows are asked, which see all threads at once.
///
/// # Errors
/// As for the search.
pub(super) fn begin(session: &mut Session, options: &GpuOptions) -> anyhow::Result<Option<(Origin, JointOptions)>> {
    let search = LaunchSearch::new(session, options)?;
    Ok((!search.asks_flows(options)).then(|| (search.begin(session).0, search.joint)))
}

/// What is explored of a launch.
#[derive(Clone)]
pub(super) struct LaunchSearch {
    kernel: Kernel,
    joint: JointOptions,
    limits: Limits,
    config: Config,
    shape: ShapeBasis,
}

impl LaunchSearch {
    fn asks_flows(&self, options: &GpuOptions) -> bool {
        flows::are_for(options, &self.kernel.launch) && self.kernel.valid.is_none()
    }

    /// # Errors
    /// When the program has no such kernel or predicate, or no device can run the launch.
    fn new(session: &mut Session, options: &GpuOptions) -> anyhow::Result<Self> {
        let mut launch = launch(options)?;
        let function = kernel(&session.engine.program.module, options.kernel.as_deref())?;
        let module = &session.engine.program.module;
        let most = module[function].most_threads.filter(|most| launch.block_size() > *most);
        if let Some(fits) = most.and_then(|most| u32::try_from(most).ok()).filter(|_| !options.sized) {
            launch.block = [fits, 1, 1];
        } else if let Some(most) = most {
            let (name, size) = (&module[function].name, launch.block_size());
            let message = format!(
                "a block of {size} threads: `{name}` has {most} at the most (__launch_bounds__); give a smaller --block"
            );
            return Err(UsageError::new("launch", message).into());
        }
        let operation = Operation::new(function, module[function].name.clone());
        let predicate = |valid: &String| valid::predicate(module, valid, false, std::slice::from_ref(&operation));
        let valid = options.valid.as_ref().map(predicate).transpose()?;
        session.engine.config = session.parameters.together();
        let shape = if valid.is_some() { ShapeBasis::Valid } else { ShapeBasis::Assumed };
        let joint = JointOptions {
            schedules: session.parameters.schedules,
            failures: true,
            valid_heaps: valid.is_some(),
            completing: Completing::Everything,
            likely: Likely::Never,
            ..JointOptions::default()
        };
        let globals_symbolic = options.globals == Some(crate::options::Globals::Symbolic);
        Ok(LaunchSearch {
            kernel: Kernel { operation, launch, on_any_heap: false, globals_symbolic, valid, given: Box::default() },
            joint,
            limits: session.parameters.limits(),
            config: session.parameters.together(),
            shape,
        })
    }

    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Under which launches nothing races.
    fn infer(
        &self,
        session: &mut Session,
        (options, infer): (&GpuOptions, &InferOptions),
        ticker: &mut Ticker,
    ) -> anyhow::Result<LaunchCondition> {
        let program = Arc::clone(&session.engine.program);
        let within = condition::within(options, infer, (&program.module, self.kernel.operation.function))?;
        condition::infer(session, self, within, ticker)
    }

    /// What goes wrong between threads of a launch that is given these numbers: the first finding, which counts nowhere else.
    pub(super) fn look_at(
        &self,
        session: &mut Session,
        launch: Launch,
        given: Box<[(usize, i128)]>,
        steps: u64,
        ticker: &mut Ticker,
    ) -> anyhow::Result<Option<Finding>> {
        let mut search = self.clone();
        search.kernel.given = given;
        let known = std::mem::take(&mut session.found);
        let looked = search.look_in(session, launch, MOST_ELEMENTS, (steps, ticker));
        let found = std::mem::replace(&mut session.found, known);
        looked?;
        let is_between_threads = |finding: &Finding| {
            use FindingKind::{BarrierDivergence, DataRace, ScopeError};
            matches!(finding.kind, BarrierDivergence | DataRace | ScopeError)
        };
        Ok(found.confirmed.into_iter().map(|(finding, _)| finding).find(is_between_threads))
    }

    /// Looks for what flows see of a large launch in one with as many threads in a block and fewer blocks, until the first finding. Which launch
    /// that is, if there is one.
    fn show(
        &mut self,
        session: &mut Session,
        pairs: &[FlowPair],
        ticker: &mut Ticker,
    ) -> anyhow::Result<Option<Launch>> {
        let Some(shown) = flows::smaller(self.kernel.launch, pairs) else { return Ok(None) };
        let most = session.parameters.bounds.array;
        self.look_in(session, shown, most, (flows::SHOWING, ticker))?;
        Ok((!session.found.confirmed.is_empty()).then_some(shown))
    }

    /// Explores another launch until the first finding, or for so many steps of few threads, with buffers of two elements for each thread, or of so
    /// many at the most.
    fn look_in(
        &mut self,
        session: &mut Session,
        launch: Launch,
        most: u64,
        (steps, ticker): (u64, &mut Ticker),
    ) -> anyhow::Result<()> {
        let (asked, before) = (session.parameters.clone(), session.engine.ledger.clone());
        self.kernel.launch = launch;
        // Nobody has said how long buffers are.
        session.parameters.open_ended = true;
        session.parameters.bounds.array = launch.threads().saturating_mul(2).min(most);
        session.parameters.stop_on_finding = true;
        (self.limits, self.config) = (session.parameters.limits(), session.parameters.together());
        let (origin, setting) = self.begin(session);
        let about =
            About { setting: &setting, origin: &origin, name: "the launch", shape: Some(self.shape), entry: None };
        let time = Some(LONGEST_LOOK);
        let steps = steps / (launch.threads() / THREADS_AT_FULL_SPEED).max(1);
        let explored = session.measured(Measure::Steps(steps), |session| {
            explore(session, about, self.joint, Paused::default(), (time, ticker))
        })?;
        self.confirm(session, &explored)?;
        session.parameters = asked;
        // What was not explored of this launch is no part of the claim.
        session.engine.ledger = before;
        Ok(())
    }

    fn begin(&self, session: &Session) -> (Origin, Setting) {
        let origin = Origin::Launch {
            program: Arc::clone(&session.engine.program),
            kernel: self.kernel.clone(),
            limits: self.limits,
            config: self.config,
            alone: session.parameters.alone(),
            joint: self.joint,
        };
        let entry = Threads::Launch(self.kernel.clone());
        let globals_symbolic = self.kernel.globals_symbolic;
        (origin, Setting { entry, limits: self.limits, globals_symbolic, roots: RootRule::Same, valid: None })
    }

    fn explore(
        &self,
        session: &mut Session,
        paused: Paused<'static>,
        ticker: &mut Ticker,
    ) -> anyhow::Result<Exploration> {
        let (origin, setting) = self.begin(session);
        let about =
            About { setting: &setting, origin: &origin, name: "the launch", shape: Some(self.shape), entry: None };
        explore(session, about, self.joint, paused, (None, ticker))
    }

    fn confirm(&self, session: &mut Session, explored: &Exploration) -> anyhow::Result<()> {
        let (origin, setting) = self.begin(session);
        session.confirm(&setting, &origin, explored, Some(self.shape), None, None)?;
        Ok(())
    }

    /// Explores longer buffers, and more dynamic shared memory, where threads have passed the end of some: as much as they need at the most so
    /// far. What was explored whole with the most, which is the bound from here on.
    fn widen(
        &mut self,
        session: &mut Session,
        mut explored: Exploration,
        options: &GpuOptions,
        ticker: &mut Ticker,
    ) -> anyhow::Result<Exploration> {
        for _ in 0..LONGER {
            let assumed = explored.spent.assumed;
            let mut more = self.clone();
            if assumed.buffers && options.array.is_none() {
                more.limits.array = more.limits.array.max(assumed.elements.min(MOST_ELEMENTS));
            }
            if options.shared == 0 && assumed.shared > 0 {
                let needed = assumed.shared.saturating_mul(2).checked_next_power_of_two().unwrap_or(MOST_SHARED);
                more.kernel.launch.shared = more.kernel.launch.shared.max(needed.min(MOST_SHARED));
            }
            let is_same = more.limits.array == self.limits.array && more.kernel.launch == self.kernel.launch;
            if is_same || explored.exhausted.is_some() {
                break;
            }
            let wider = more.explore(session, Paused::default(), ticker)?;
            if wider.exhausted.is_some() {
                // What it has found counts; what was explored whole stays what is claimed.
                more.confirm(session, &wider)?;
                break;
            }
            (*self, explored) = (more, wider);
        }
        Ok(explored)
    }
}

/// Whether the program multiplies floating-point numbers, which compilers for devices join with sums.
fn multiplies(module: &Module) -> bool {
    let ops = module.functions().flat_map(|(_, function)| &function.blocks).flat_map(|block| &block.insts);
    ops.map(|inst| &inst.op).any(|op| matches!(op, Op::Float { op: FloatOp::Mul, .. }))
}

/// Where the predicate accepts no heap nothing was explored.
fn nothing_is_valid(session: &mut Session, kernel: &Kernel, alone: &AloneSummary) {
    let Kernel { operation, valid: Some(valid), .. } = kernel else { return };
    let calls = Sequence::from(operation.clone());
    let remedy = vacuous_remedy(&session.engine.program.module, &calls, alone, Some(valid));
    session.engine.note(LossKind::Vacuous, LossSite::Search(operation.name.clone()), remedy);
}

/// What is taken for granted of a kernel's arguments, and of the compiler for the device.
fn precondition(kernel: &Kernel, rounding: Option<Assumption>) -> Vec<Assumption> {
    let assumption = |kind: &str, detail: &str| Assumption {
        kind: kind.to_owned(),
        r#where: Some(kernel.operation.name.clone()),
        detail: detail.to_owned(),
        ..Assumption::default()
    };
    let given = match &kernel.valid {
        None => {
            "it is given what it can work on: where each schedule of the launch fails, nothing is looked for, nor where \
             one accesses what is not there"
                .to_owned()
        }
        Some(valid) => format!(
            "it is given what satisfies `{}`, and can work on it: where each schedule of the launch fails, nothing is looked \
             for, nor where one passes the end of a buffer",
            valid.name
        ),
    };
    let mut assumptions = vec![
        assumption("precondition", &given),
        assumption("buffers", "pointers to numbers among its parameters lead to buffers that do not overlap"),
        assumption(
            "launch",
            "this launch alone, the first on the device: its variables hold what the source gives them",
        ),
    ];
    assumptions.extend(rounding);
    assumptions
}

/// What is taken for granted of the compiler for the device, if the program shows it.
pub(super) fn rounding(module: &Module, kernel: Option<&str>) -> Option<Assumption> {
    let detail = "products and sums of floating-point numbers are rounded each by itself, as with `nvcc -fmad=false`";
    multiplies(module).then(|| Assumption {
        kind: "floating".to_owned(),
        r#where: kernel.map(str::to_owned),
        detail: detail.to_owned(),
        ..Assumption::default()
    })
}

impl GpuOptions {
    /// The bounds that the search has.
    pub(crate) fn bounds(&self) -> crate::options::Bounds {
        let threads = self.grid.iter().chain(&self.block).map(|&size| u64::from(size)).product::<u64>();
        // A buffer has two elements for each thread, unless the user says otherwise.
        let array = self.array.unwrap_or(threads.saturating_mul(2)).max(1);
        crate::options::Bounds { array, spurious: Some(0), volatile: Volatile::Relaxed, ..self.bounds.clone() }
    }
}
