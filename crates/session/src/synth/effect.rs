//! What a race does: all schedules of a client against all orders in which its two calls can be made one after the other.
//!
//! Under sequential consistency. That nothing is different does not make a race harmless: it is undefined all the same (C11 5.1.2.4p35).

use super::attempt::Explorer;
use super::batch::{Batched, FILE};
use super::source::Makes;
use crate::analysis::{End, Outcomes};
use report::RaceEffect;
use std::collections::BTreeSet;

impl Explorer {
    /// Compares the outcomes of a client, without some of its statements.
    pub(super) fn effect(&self, client: &Batched, left_out: &BTreeSet<usize>) -> anyhow::Result<RaceEffect> {
        let of = |makes: Makes| self.outcomes(client.module(makes, left_out), &client.batch);
        let together = of(Makes::BothAndPrints)?;
        let orders = [of(Makes::InOrder)?, of(Makes::InReverse)?];
        Ok(compare(&together, &orders))
    }

    /// Whether one call fails behind the other, in either order.
    pub(super) fn fails_in_turn(&self, client: &Batched) -> anyhow::Result<bool> {
        for makes in [Makes::InOrder, Makes::InReverse] {
            if !self.outcomes(client.module(makes, &BTreeSet::new()), &client.batch)?.failures.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn compare(together: &Outcomes, orders: &[Outcomes; 2]) -> RaceEffect {
    let in_order: BTreeSet<&String> = orders.iter().flat_map(|order| &order.failures).collect();
    if !in_order.is_empty() {
        let what = in_order.iter().next().map_or_else(String::new, |what| (*what).clone());
        return RaceEffect::not_comparable(&format!("one call fails behind the other: {what}"));
    }
    if let Some(failure) = together.failures.first() {
        // The program that compares them looks at what calls return.
        let is_shown = failure.contains(FILE);
        return RaceEffect::crash(if is_shown { "a call returns what was never set" } else { failure });
    }
    if orders.iter().any(|order| order.ends.is_empty()) {
        return RaceEffect::not_comparable("one call does not return behind the other");
    }
    let plain = |end: &End| (end.heap.clone(), end.printed.clone());
    // What schedules without the race come to as well is how the calls are meant to be interleaved.
    let ordered = together.ends.iter().filter(|end| !end.raced);
    let known: BTreeSet<_> = orders.iter().flat_map(|order| &order.ends).chain(ordered).map(plain).collect();
    let new: Vec<&End> = together.ends.iter().filter(|end| end.raced && !known.contains(&plain(end))).collect();
    let is_whole = together.is_whole && orders.iter().all(|order| order.is_whole);
    // Whether some other schedule comes to the same takes all of them.
    if !is_whole {
        return RaceEffect::not_comparable("not all schedules were explored");
    }
    let printed = |end: &End| String::from_utf8_lossy(&end.printed).trim().to_owned();
    new.first().map_or_else(RaceEffect::same, |end| {
        let expected: BTreeSet<String> = orders.iter().flat_map(|order| &order.ends).map(printed).collect();
        RaceEffect::unserialisable(&printed(end), &expected.into_iter().collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::EffectKind;

    fn end(raced: bool, heap: u8, printed: &str) -> End {
        End { raced, heap: vec![heap], printed: printed.as_bytes().to_vec() }
    }

    fn outcomes(ends: &[End]) -> Outcomes {
        Outcomes { ends: ends.iter().cloned().collect(), is_whole: true, ..Outcomes::default() }
    }

    #[test]
    fn only_what_no_order_and_no_schedule_without_the_race_has_is_unserialisable() {
        let orders = || [outcomes(&[end(false, 1, "a")]), outcomes(&[end(false, 2, "b")])];
        let kind = |together: &[End]| compare(&outcomes(together), &orders()).kind;
        assert_eq!(kind(&[end(true, 1, "a"), end(true, 2, "b")]), EffectKind::Same);
        assert_eq!(kind(&[end(true, 1, "a"), end(true, 3, "a")]), EffectKind::Unserialisable);
        assert_eq!(kind(&[end(true, 3, "a"), end(false, 3, "a")]), EffectKind::Same);
        let cut = Outcomes { is_whole: false, ..outcomes(&[end(true, 3, "a")]) };
        assert_eq!(compare(&cut, &orders()).kind, EffectKind::NotComparable);
        let crash = Outcomes { failures: BTreeSet::from(["null dereference: a.c:1".to_owned()]), ..outcomes(&[]) };
        assert_eq!(compare(&crash, &orders()).kind, EffectKind::Crash);
        let both = [outcomes(&[]), Outcomes { failures: crash.failures.clone(), ..outcomes(&[]) }];
        assert_eq!(compare(&crash, &both).kind, EffectKind::NotComparable);
    }
}
