//! Mazurkiewicz traces by brute force: all interleavings, of which those are one that order alike what depends on each other.

use std::collections::BTreeSet;

/// Interleavings beyond which nobody counts.
const MOST: usize = 20_000;

/// A step of a thread: an atomic access, or what is done to a lock.
#[derive(Clone, Debug, Default)]
struct Step {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    takes: Option<String>,
    gives: Option<String>,
}

impl Step {
    fn depends_on(&self, other: &Step) -> bool {
        let meet = |one: &BTreeSet<String>, other: &BTreeSet<String>| !one.is_disjoint(other);
        meet(&self.writes, &other.writes) || meet(&self.writes, &other.reads) || meet(&self.reads, &other.writes)
    }
}

/// How many there are of threads that access numbers and lock; none if there are too many interleavings. Where they are
/// `fused`, sections in which nobody could see anything are single steps, which conflict by what they access.
pub(crate) fn traces(threads: &[&str], fused: bool) -> Option<u64> {
    let threads: Vec<Vec<Step>> = threads.iter().map(|thread| steps(thread, fused)).collect();
    let mut search = Search { threads: &threads, found: BTreeSet::new(), runs: 0 };
    search.go(&mut vec![0; threads.len()], &mut Vec::new(), &mut Vec::new());
    (search.runs <= MOST).then_some(search.found.len() as u64)
}

fn steps(thread: &str, fused: bool) -> Vec<Step> {
    let actions: Vec<Vec<&str>> = thread.split(';').map(|action| action.split_whitespace().collect()).collect();
    let mut steps: Vec<Step> = Vec::new();
    // Where a section began, and what it accesses.
    let mut open: Option<(usize, Step)> = None;
    for words in actions {
        let name = words[1].to_owned();
        match words[0] {
            "read" => drop(open.as_mut().map(|(_, section)| section.reads.insert(name))),
            "write" => drop(open.as_mut().map(|(_, section)| section.writes.insert(name))),
            "get" => steps.push(Step { reads: [name].into(), ..Step::default() }),
            "set" | "add" => steps.push(Step { writes: [name].into(), ..Step::default() }),
            "lock" => {
                open = Some((steps.len(), Step::default()));
                // Whoever takes or gives back a lock changes it.
                steps.push(Step { writes: [name.clone()].into(), takes: Some(name), ..Step::default() });
            }
            "unlock" => match open.take() {
                Some((begin, section)) if fused && steps.len() == begin + 1 => steps[begin] = section,
                _ => steps.push(Step { writes: [name.clone()].into(), gives: Some(name), ..Step::default() }),
            },
            other => panic!("no brute force for {other}"),
        }
    }
    steps
}

/// A thread, and which of its steps.
type Event = (usize, usize);

/// Which of two steps that depend on each other comes first.
type Trace = BTreeSet<(Event, Event)>;

struct Search<'a> {
    threads: &'a [Vec<Step>],
    found: BTreeSet<Trace>,
    runs: usize,
}

impl Search<'_> {
    fn go(&mut self, at: &mut Vec<usize>, held: &mut Vec<String>, done: &mut Vec<Event>) {
        if self.runs > MOST {
            return;
        }
        let mut stands = true;
        for thread in 0..self.threads.len() {
            let Some(step) = self.threads[thread].get(at[thread]) else { continue };
            if step.takes.as_ref().is_some_and(|lock| held.contains(lock)) {
                continue;
            }
            stands = false;
            let before = held.clone();
            held.extend(step.takes.clone());
            held.retain(|lock| Some(lock) != step.gives.as_ref());
            done.push((thread, at[thread]));
            at[thread] += 1;
            self.go(at, held, done);
            at[thread] -= 1;
            done.pop();
            *held = before;
        }
        if stands {
            self.runs += 1;
            let step = |&(thread, index): &Event| &self.threads[thread][index];
            let pairs = done.iter().enumerate().flat_map(|(index, one)| {
                let later = done[index + 1..].iter();
                later.filter(|other| one.0 != other.0 && step(one).depends_on(step(other))).map(|other| (*one, *other))
            });
            self.found.insert(pairs.collect());
        }
    }
}
