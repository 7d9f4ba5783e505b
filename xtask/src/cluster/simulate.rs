//! A recorded search with any number of workers: the tree of its tasks, what each took, and what shipping costs, as the loop of `cluster`
//! deals it.
//!
//! Each task takes the time of its instructions. A worker takes a part, pays for starting, does tasks in their order until its slice is over or
//! it is called back, and gives the rest back; one process takes in and deals, and pays for that too. Rounds of a search follow each other.
//! Not simulated: workers that differ, and results that are written before the end of a slice.

use anyhow::{Context, bail};
use clap::Args;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct SimulateOptions {
    /// Instructions that a worker carries out in a second
    #[arg(long, default_value_t = 1_000_000.0)]
    rate: f64,
    /// Seconds that a task of the engine takes beside its work
    #[arg(long, default_value_t = 0.05)]
    start: f64,
    /// Seconds that it takes to deal or take in one thing
    #[arg(long, default_value_t = 0.0002)]
    thing: f64,
    /// Seconds between two looks
    #[arg(long, default_value_t = 0.1)]
    look: f64,
    /// Nobody is called back before its slice is over
    #[arg(long)]
    patient: bool,
    /// All recordings are of one folder, whose searches begin at once
    #[arg(long)]
    together: bool,
    /// With that, a folder in which there are so many of each
    #[arg(long, default_value_t = 1, requires = "together")]
    each: u32,
    /// The whole is taken so many times: a search that is as much larger
    #[arg(long, default_value_t = 1.0)]
    larger: f64,
    /// What `cargo xtask svcomp` printed of a folder: each program is a task of the engine's as a whole, in that order
    #[arg(long)]
    programs: Option<PathBuf>,
    /// What RADDLE_SHIPPING_LOG named
    #[arg(required_unless_present = "programs")]
    logs: Vec<PathBuf>,
}

const WORKERS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];
/// As in `cluster` and `session::shipping`.
const TASKS_PER_CORE: usize = 2;
const THRIFT: f64 = 10.0;
const FIRST: f64 = 3.0;
const LONGEST: f64 = 20.0;
const SLICES: f64 = 6.0;
const LEFT_ALONE: f64 = 0.5;
/// Until a worker hears of it, at the most.
const LISTEN: f64 = 0.1;

#[derive(Deserialize)]
struct Line {
    task: Option<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    search: Vec<u32>,
    round: String,
    path: Vec<u32>,
    instructions: u64,
}

/// A task by itself: in which search and round, and where in the tree.
type Name = (usize, usize, Vec<u32>);

/// A recorded search.
struct Recording {
    /// What each took, in seconds of one worker.
    cost: BTreeMap<Name, f64>,
    /// By search, how many rounds there are.
    rounds: Vec<usize>,
}

impl Recording {
    fn read(path: &Path, options: &SimulateOptions) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let recording = Recording::of(&text, options);
        if recording.cost.is_empty() {
            bail!("{}: no task was recorded", path.display());
        }
        Ok(recording)
    }

    /// Of all of these, so many times each.
    fn folder(all: &[Recording], each: u32) -> Self {
        let (mut cost, mut rounds) = (BTreeMap::new(), Vec::new());
        for recording in (0..each).flat_map(|_| all) {
            let first = rounds.len();
            let its = recording
                .cost
                .iter()
                .map(|((search, round, path), &seconds)| ((first + search, *round, path.clone()), seconds));
            cost.extend(its);
            rounds.extend(&recording.rounds);
        }
        Recording { cost, rounds }
    }

    fn of(text: &str, options: &SimulateOptions) -> Self {
        let mut searches: Vec<(Vec<u32>, Vec<String>)> = Vec::new();
        let mut cost = BTreeMap::new();
        for task in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()?.task) {
            let known = searches.iter().position(|(search, _)| *search == task.search);
            let search = known.unwrap_or_else(|| {
                searches.push((task.search.clone(), Vec::new()));
                searches.len() - 1
            });
            let rounds = &mut searches[search].1;
            let known = rounds.iter().position(|round| *round == task.round);
            let round = known.unwrap_or_else(|| {
                rounds.push(task.round.clone());
                rounds.len() - 1
            });
            let seconds = task.instructions as f64 / options.rate * options.larger;
            cost.insert((search, round, task.path), seconds);
        }
        Recording { cost, rounds: searches.into_iter().map(|(_, rounds)| rounds.len()).collect() }
    }

    /// All work, and the longest chain of tasks of which each waits for the one before.
    fn work_and_span(&self) -> (f64, f64) {
        let work = self.cost.values().sum();
        let mut span: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for name in self.cost.keys() {
            let (search, round, path) = name;
            let chain: f64 =
                (0..=path.len()).filter_map(|length| self.cost.get(&(*search, *round, path[..length].to_vec()))).sum();
            let longest = span.entry((*search, *round)).or_default();
            *longest = longest.max(chain);
        }
        let mut of_search = vec![0.0; self.rounds.len()];
        for ((search, _), chain) in span {
            of_search[search] += chain;
        }
        (work, of_search.into_iter().fold(0.0, f64::max))
    }

    /// A search that was recorded in part has gaps.
    fn children(&self, (search, round, path): &Name) -> Vec<Name> {
        let first = path.iter().copied().chain([0]).collect();
        let behind = self.cost.range((*search, *round, first)..).map(|(name, _)| name);
        let below = behind.take_while(|name| (name.0, name.1) == (*search, *round) && name.2.starts_with(path));
        below.filter(|name| name.2.len() == path.len() + 1).cloned().collect()
    }
}

/// How much of its round a task is taken for: the last child for half of what is left of its parent, and so on.
fn weight(recording: &Recording, (search, round, path): &Name) -> f64 {
    let mut weight = 1.0;
    for length in 0..path.len() {
        let siblings = recording.children(&(*search, *round, path[..length].to_vec()));
        let behind = siblings.iter().filter(|sibling| sibling.2[length] > path[length]).count();
        weight /= f64::powi(2.0, behind as i32 + 1);
    }
    weight
}

/// A worker with a part.
struct Busy {
    part: Vec<Name>,
    given: f64,
    called_back: bool,
    /// How it ends, as it is now.
    end: f64,
    done: Vec<Name>,
    left: Vec<Name>,
}

impl Busy {
    /// Does tasks in their order until `slice` is over: the one that was begun comes to its end, and one is done in any case.
    fn until(&mut self, slice: f64, recording: &Recording, start: f64) {
        let (mut left, mut done, mut time) = (BTreeSet::from_iter(self.part.iter().cloned()), Vec::new(), 0.0);
        while let Some(next) = left.first().cloned()
            && (done.is_empty() || time < slice)
        {
            left.remove(&next);
            time += recording.cost[&next];
            left.extend(recording.children(&next));
            done.push(next);
        }
        (self.end, self.done, self.left) = (self.given + start + time, done, left.into_iter().collect());
    }
}

struct Simulation<'a> {
    recording: &'a Recording,
    options: &'a SimulateOptions,
    workers: usize,
    now: f64,
    /// Nobody has these.
    free: BTreeSet<Name>,
    /// By search: its round, and how many of its tasks are not done.
    rounds: Vec<(usize, usize)>,
    /// Parts that wait for a worker.
    waiting: Vec<Vec<Name>>,
    idle: usize,
    busy: Vec<Busy>,
    ended: Vec<(Vec<Name>, Vec<Name>)>,
    /// Parts that are out.
    out: usize,
    parts: u64,
    owner: f64,
}

impl<'a> Simulation<'a> {
    fn new(recording: &'a Recording, options: &'a SimulateOptions, workers: usize) -> Self {
        let mut simulation = Simulation {
            recording,
            options,
            workers,
            now: 0.0,
            free: BTreeSet::new(),
            rounds: vec![(0, 0); recording.rounds.len()],
            waiting: Vec::new(),
            idle: workers,
            busy: Vec::new(),
            ended: Vec::new(),
            out: 0,
            parts: 0,
            owner: 0.0,
        };
        for search in 0..recording.rounds.len() {
            simulation.begin(search, 0);
        }
        simulation
    }

    fn begin(&mut self, search: usize, round: usize) {
        let of_round = (search, round, Vec::new())..(search, round + 1, Vec::new());
        self.rounds[search] = (round, self.recording.cost.range(of_round).count());
        self.free.insert((search, round, Vec::new()));
    }

    /// How long it all takes.
    fn run(mut self) -> (f64, u64, f64) {
        let (mut taken_in, mut took) = (0.0_f64, 0.0);
        loop {
            // In the order in which they end, whoever is free then takes the next part.
            while let Some(first) = self.first_to_end().filter(|&first| self.busy[first].end <= self.now) {
                let Busy { done, left, .. } = self.busy.swap_remove(first);
                self.idle += 1;
                self.ended.push((done, left));
                self.start_waiting();
            }
            if !self.ended.is_empty() && (self.out == self.ended.len() || self.now >= taken_in + took * THRIFT) {
                let before = self.now;
                self.take_in();
                (taken_in, took) = (self.now, self.now - before);
            }
            if self.rounds.iter().all(|(_, left)| *left == 0) {
                return (self.now, self.parts, self.owner);
            }
            self.deal();
            self.start_waiting();
            self.call_back();
            // Nothing happens between looks but what workers do.
            let next: f64 = self.first_to_end().map_or(0.0, |first| self.busy[first].end);
            let skipped = ((next - self.now) / self.options.look).floor().max(1.0);
            let is_watched = !self.ended.is_empty() || self.idle > 0 && !self.options.patient;
            self.now += self.options.look * if is_watched { 1.0 } else { skipped };
        }
    }

    fn first_to_end(&self) -> Option<usize> {
        (0..self.busy.len()).min_by(|&one, &other| self.busy[one].end.total_cmp(&self.busy[other].end))
    }

    /// Where workers have nothing to do, so many others give back what they have not begun, those first that have been out longest.
    fn call_back(&mut self) {
        let idle = self.workers.saturating_sub(self.out);
        if idle == 0 || self.options.patient {
            return;
        }
        let now = self.now;
        let may_be = |busy: &&mut Busy| !busy.called_back && now - busy.given >= LEFT_ALONE;
        let mut some: Vec<&mut Busy> = self.busy.iter_mut().filter(may_be).collect();
        some.sort_by(|one, other| one.given.total_cmp(&other.given));
        for busy in some.into_iter().take(idle) {
            busy.called_back = true;
            let slice = now + LISTEN - busy.given - self.options.start;
            if busy.end > now + LISTEN {
                busy.until(slice, self.recording, self.options.start);
            }
        }
    }

    /// The process that has the search works for this long.
    fn own(&mut self, seconds: f64) {
        self.now += seconds;
        self.owner += seconds;
    }

    fn take_in(&mut self) {
        for (done, left) in std::mem::take(&mut self.ended) {
            self.out -= 1;
            self.own(self.options.thing * (done.len() + left.len()) as f64);
            self.free.extend(left);
            for (search, ..) in done {
                let (round, open) = &mut self.rounds[search];
                *open -= 1;
                let next = *round + 1;
                if *open == 0 && next < self.recording.rounds[search] {
                    self.begin(search, next);
                }
            }
        }
    }

    fn deal(&mut self) {
        let room = (self.workers * TASKS_PER_CORE).saturating_sub(self.out);
        // The first tasks of a round are carried out where the search is.
        while self.out == 0 && self.free.len() < room {
            let Some(first) = self.free.iter().find(|(_, _, path)| path.len() < 2).cloned() else { break };
            self.free.remove(&first);
            self.own(self.recording.cost[&first] + self.options.thing);
            self.free.extend(self.recording.children(&first));
            self.rounds[first.0].1 -= 1;
            let (round, open) = self.rounds[first.0];
            if open == 0 && round + 1 < self.recording.rounds[first.0] {
                self.begin(first.0, round + 1);
            }
        }
        let mut cards: Vec<Name> = std::mem::take(&mut self.free).into_iter().collect();
        if room == 0 || cards.is_empty() {
            self.free.extend(cards);
            return;
        }
        // Of numbers that are not negative, the bits have their order.
        cards.sort_by_cached_key(|card| Reverse(weight(self.recording, card).to_bits()));
        let many = room.min(cards.len());
        self.own(self.options.thing * cards.len() as f64);
        let mut parts = vec![Vec::new(); many];
        for (index, card) in cards.into_iter().enumerate() {
            parts[index % many].push(card);
        }
        self.out += many;
        self.parts += many as u64;
        self.waiting.extend(parts);
    }

    /// Gives workers that have nothing to do a part each.
    fn start_waiting(&mut self) {
        while self.idle > 0 && !self.waiting.is_empty() {
            self.idle -= 1;
            let part = self.waiting.remove(0);
            let slice = (self.now / SLICES).clamp(FIRST, LONGEST);
            let (done, left) = (Vec::new(), Vec::new());
            let mut busy = Busy { part, given: self.now, called_back: false, end: 0.0, done, left };
            busy.until(slice, self.recording, self.options.start);
            self.busy.push(busy);
        }
    }
}

/// Prints a table for each recording, or one for all.
pub(crate) fn run(options: &SimulateOptions) -> anyhow::Result<bool> {
    if let Some(path) = &options.programs {
        whole_programs(path, options.start)?;
    }
    let mut recordings = Vec::new();
    for path in &options.logs {
        recordings.push(Recording::read(path, options)?);
    }
    if options.together && !recordings.is_empty() {
        table("all together", &Recording::folder(&recordings, options.each), options);
        return Ok(true);
    }
    for (path, recording) in options.logs.iter().zip(&recordings) {
        table(&path.display().to_string(), recording, options);
    }
    Ok(true)
}

/// Whoever has nothing to do takes the next program, which nobody divides.
fn whole_programs(path: &Path, start: f64) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    // `      False (expected false)    0.1 s  NAME ...`
    let behind = |line: &str| Some(line.split_once("(expected")?.1.split_once(')')?.1.to_owned());
    let seconds = |line: &str| behind(line)?.split_whitespace().next()?.parse::<f64>().ok();
    let programs: Vec<f64> = text.lines().filter_map(seconds).collect();
    if programs.is_empty() {
        bail!("{}: no program was recorded", path.display());
    }
    let (work, longest) = (programs.iter().sum::<f64>(), programs.iter().copied().fold(0.0, f64::max));
    println!("{}: {} programs, {work:.1} s of work, the longest {longest:.1} s", path.display(), programs.len());
    println!("workers  seconds  efficiency  of what the longest allows");
    for workers in WORKERS {
        let mut free = vec![0.0_f64; workers];
        for seconds in &programs {
            if let Some(first) = free.iter_mut().min_by(|one, other| one.total_cmp(other)) {
                *first += start + seconds;
            }
        }
        let time = free.iter().copied().fold(0.0, f64::max);
        let (share, allowed) = (work / workers as f64, (work / workers as f64).max(longest));
        println!("{workers:7} {time:8.1} {:10.1} % {:23.1} %", share / time * 100.0, allowed / time * 100.0);
    }
    Ok(())
}

fn table(name: &str, recording: &Recording, options: &SimulateOptions) {
    let (work, span) = recording.work_and_span();
    println!(
        "{name}: {} tasks, {} searches, {work:.1} s of work, the longest chain {span:.1} s: no more than {:.0} workers have something to do",
        recording.cost.len(),
        recording.rounds.len(),
        work / span
    );
    println!("workers  seconds  efficiency  of what the tree allows   parts  owner's seconds");
    for workers in WORKERS {
        let (time, parts, owner) = Simulation::new(recording, options, workers).run();
        let allowed = (work / workers as f64).max(span);
        println!(
            "{workers:7} {time:8.1} {:10.1} % {:23.1} % {parts:7} {owner:16.1}",
            work / workers as f64 / time * 100.0,
            allowed / time * 100.0
        );
    }
}
