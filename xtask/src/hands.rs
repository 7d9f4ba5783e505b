//! One search in several hands, as `raddle split`, `work` and `gather` have it, in this process and without files.

use anyhow::ensure;
use explore::{Batch, Budget, Done, DoneSet, JointOptions, Origin, Paused, Workers, work_apart};
use serde::Serialize;
use serde::de::DeserializeOwned;
use testkit::rng::Rng;

/// Hands that share what can be done, at most, and things that each of them does, at most.
const HANDS: usize = 4;
const THINGS: usize = 8;

/// Explores until nothing is left. What can be done is dealt at random; each hand does a few things of what it has. What some
/// have done is lost, what others have done comes twice, and some comes back only after later work.
///
/// # Errors
/// When an engine fails, or something cannot be written and read back.
pub(crate) fn in_hands(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    seed: u64,
) -> anyhow::Result<Paused<'static>> {
    let mut rng = Rng::new(seed);
    let (mut paused, mut late) = (Paused::default(), Vec::new());
    while let Some(open) = paused.open(origin, options) {
        let mut cards = open.apart();
        let (hands, mut done) = (1 + rng.below(HANDS), DoneSet::default());
        let mut dealt: Vec<Option<Batch>> = (0..hands).map(|_| None).collect();
        while !cards.is_empty() {
            let (_, card) = cards.swap_remove(rng.below(cards.len()));
            match &mut dealt[rng.below(hands)] {
                Some(batch) => ensure!(batch.join(card).is_ok(), "a batch of another round"),
                none => *none = Some(card),
            }
        }
        late.drain(..).for_each(|thing| done.add(thing));
        for batch in dealt.into_iter().flatten() {
            let budget = Budget { tasks: Some(1 + rng.below(THINGS) as u64), ..Budget::default() };
            let worked = work_apart(workers, origin, options, again(&batch)?, &budget, &mut ());
            if let Some(fault) = worked.fault {
                return Err(fault.into());
            }
            // Somebody was killed before anything was written.
            if rng.below(4) == 0 {
                continue;
            }
            for thing in worked.done {
                match rng.below(4) {
                    0 => late.push(again::<Done>(&thing)?),
                    1 => done.add(again(&thing)?),
                    _ => {}
                }
                done.add(again(&thing)?);
            }
        }
        paused.take_in(origin, options, &mut done);
        paused = again(&paused)?;
    }
    Ok(paused)
}

/// The same, written and read back.
fn again<T: Serialize + DeserializeOwned>(value: &impl Serialize) -> anyhow::Result<T> {
    Ok(postcard::from_bytes(&postcard::to_stdvec(value)?)?)
}
