//! Smaller runs to try in place of one that fails.

use crate::concrete::{Cell, Concrete, ConcreteObject};
use explore::Turn;

/// What counts as smaller, in order of importance: switches, nonzero picks, circles, links and objects, nonzero values,
/// their size, turns.
pub(crate) fn size(concrete: &Concrete) -> (usize, usize, usize, usize, usize, u128, usize) {
    let cells = || concrete.heap.objects.iter().flat_map(|o| o.cells.values()).chain(concrete.heap.roots.values());
    let links = cells().filter(|c| matches!(c, Cell::Pointer(..) | Cell::Function(_))).count();
    let values = cells().filter(|c| matches!(c, Cell::Integer(_, bits) if *bits != 0)).count()
        + concrete.symbols.values().filter(|(_, value)| *value != 0).count();
    let magnitude = cells().map(|c| if let Cell::Integer(_, bits) = c { u128::from(*bits) } else { 0 }).sum::<u128>()
        + concrete.symbols.values().map(|(_, value)| value & u128::from(u64::MAX)).sum::<u128>();
    let turns = &concrete.turns;
    (switches(turns), picks(concrete), circles(concrete), links + reachable(concrete), values, magnitude, turns.len())
}

/// Picks of the environment other than its first choice: weak exchanges that fail for no reason, waiters out of turn.
fn picks(concrete: &Concrete) -> usize {
    let picks = concrete.turns.iter().flat_map(|turn| &turn.picks).chain(&concrete.first_picks);
    picks.filter(|&&pick| pick != 0).count()
}

fn switches(turns: &[Turn]) -> usize {
    turns.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Objects that the roots reach.
pub(crate) fn reachable(concrete: &Concrete) -> usize {
    reached(concrete).iter().filter(|&&r| r).count()
}

/// Which objects the roots and globals reach.
pub(crate) fn reached(concrete: &Concrete) -> Vec<bool> {
    let heap = &concrete.heap;
    let mut reached: Vec<bool> = heap.objects.iter().map(|o| o.global.is_some()).collect();
    let mut open: Vec<usize> = (0..reached.len()).filter(|&i| reached[i]).collect();
    let follow = |cell: &Cell, open: &mut Vec<usize>, reached: &mut Vec<bool>| {
        if let Cell::Pointer(to, _) = *cell
            && !reached[to]
        {
            reached[to] = true;
            open.push(to);
        }
    };
    heap.roots.values().for_each(|cell| follow(cell, &mut open, &mut reached));
    while let Some(at) = open.pop() {
        heap.objects[at].cells.values().for_each(|cell| follow(cell, &mut open, &mut reached));
    }
    reached
}

/// Links back to where they come from, on a walk through the heap: readers find a heap without them easier to believe.
fn circles(concrete: &Concrete) -> usize {
    let heap = &concrete.heap;
    let mut seen = vec![false; heap.objects.len()];
    let mut on_path = seen.clone();
    let mut found = 0;
    let roots = heap.roots.values().filter_map(pointer).map(|(to, _)| to);
    let globals = (0..heap.objects.len()).filter(|&index| heap.objects[index].global.is_some());
    for start in roots.chain(globals) {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        on_path[start] = true;
        let mut path = vec![(start, heap.objects[start].cells.values())];
        while let Some((at, links)) = path.last_mut() {
            match links.find_map(pointer) {
                Some((to, _)) if on_path[to] => found += 1,
                Some((to, _)) if !std::mem::replace(&mut seen[to], true) => {
                    on_path[to] = true;
                    path.push((to, heap.objects[to].cells.values()));
                }
                Some(_) => {}
                None => {
                    on_path[*at] = false;
                    path.pop();
                }
            }
        }
    }
    found
}

/// Runs that may be smaller, and may still fail.
pub(crate) fn candidates(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    merged_blocks(concrete)
        .chain(cut_links(concrete))
        .chain(turned_links(concrete))
        .chain(unpicked(concrete))
        .chain(ranked(concrete))
        .chain(zeroed(concrete))
}

/// The schedule with two neighbouring blocks of turns exchanged, so that blocks of one thread meet; or with the first
/// turns of a block moved behind the next block.
fn merged_blocks(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let starts: Vec<usize> = std::iter::once(0)
        .chain((1..concrete.turns.len()).filter(|&i| concrete.turns[i].thread != concrete.turns[i - 1].thread))
        .chain(std::iter::once(concrete.turns.len()))
        .collect();
    (0..starts.len().saturating_sub(2)).map(move |block| {
        let mut other = concrete.clone();
        let (a, b, c) = (starts[block], starts[block + 1], starts[block + 2]);
        other.turns[a..c].rotate_left(b - a);
        other
    })
}

fn cut_links(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let heap = &concrete.heap;
    let leads = |cell: &Cell| pointer(cell).is_some_and(|(to, _)| !heap.objects[to].passed);
    let roots = concrete.heap.roots.iter().filter(move |(_, cell)| leads(cell)).map(|(path, _)| {
        let mut other = concrete.clone();
        other.heap.roots.insert(path.clone(), Cell::Null);
        other
    });
    let links = concrete.heap.objects.iter().enumerate().flat_map(move |(index, object)| {
        object.cells.iter().filter(|(_, cell)| matches!(cell, Cell::Pointer(..))).map(move |(&offset, _)| {
            let mut other = concrete.clone();
            other.heap.objects[index].cells.insert(offset, Cell::Null);
            other
        })
    });
    roots.chain(links)
}

/// A link turned to another object of the same type, so that there is a circle or an object less.
fn turned_links(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let heap = &concrete.heap;
    let before = (circles(concrete), reachable(concrete));
    let others = move |to: usize| {
        let alike = move |other: &ConcreteObject| {
            let of = |object: &ConcreteObject| (object.ty, object.count, object.passed);
            !other.passed && of(other) == of(&heap.objects[to])
        };
        (0..heap.objects.len()).filter(move |&other| other != to && alike(&heap.objects[other]))
    };
    let roots = heap.roots.iter().filter_map(|(path, cell)| Some((path, pointer(cell)?))).flat_map(
        move |(path, (to, offset))| {
            others(to).map(move |other| {
                let mut turned = concrete.clone();
                turned.heap.roots.insert(path.clone(), Cell::Pointer(other, offset));
                turned
            })
        },
    );
    let cells = heap.objects.iter().enumerate().flat_map(|(index, object)| {
        object.cells.iter().filter_map(move |(&at, cell)| Some((index, at, pointer(cell)?)))
    });
    let links = cells.flat_map(move |(index, at, (to, offset))| {
        others(to).map(move |other| {
            let mut turned = concrete.clone();
            turned.heap.objects[index].cells.insert(at, Cell::Pointer(other, offset));
            turned
        })
    });
    roots.chain(links).filter(move |turned| (circles(turned), reachable(turned)) < before)
}

fn pointer(cell: &Cell) -> Option<(usize, u64)> {
    match *cell {
        Cell::Pointer(to, offset) => Some((to, offset)),
        _ => None,
    }
}

/// The environment's first choice in place of another. A thread that then succeeds at once goes round its loop once less:
/// also without its next turns, as many as that may have taken; or it succeeds only when it would have tried again.
fn unpicked(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    const ROUND: usize = 3;
    let first = concrete.first_picks.iter().enumerate().filter(|(_, pick)| **pick != 0).map(|(at, _)| {
        let mut other = concrete.clone();
        other.first_picks[at] = 0;
        other
    });
    let turns = concrete.turns.iter().enumerate().flat_map(move |(index, turn)| {
        let nonzero = turn.picks.iter().enumerate().filter(|(_, pick)| **pick != 0);
        nonzero.flat_map(move |(at, _)| {
            let without = move |from: usize, dropped: usize| {
                let mut other = concrete.clone();
                other.turns[index].picks[at] = 0;
                for _ in 0..dropped {
                    let next = (from..other.turns.len()).find(|&i| other.turns[i].thread == turn.thread)?;
                    other.turns.remove(next);
                }
                Some(other)
            };
            let at_once = (0..=ROUND).map_while(move |dropped| without(index + 1, dropped));
            at_once.chain((1..=ROUND).map_while(move |dropped| without(index, dropped)))
        })
    });
    first.chain(turns)
}

/// All values replaced by their ranks: comparisons among them stay as they are, and the numbers become readable.
fn ranked(concrete: &Concrete) -> Option<Concrete> {
    let signed = |size: u8, bits: u64| {
        let shift = 64 - u32::from(size.clamp(1, 8)) * 8;
        ((bits << shift) as i64) >> shift
    };
    let mut other = concrete.clone();
    let cells = concrete.heap.objects.iter().flat_map(|o| o.cells.values()).filter_map(|cell| match *cell {
        Cell::Integer(size, bits) => Some(signed(size, bits)),
        _ => None,
    });
    let symbols = concrete.symbols.values().map(|&(width, value)| signed(width.div_ceil(8) as u8, value as u64));
    let mut values: Vec<i64> = cells.chain(symbols).collect();
    values.sort_unstable();
    values.dedup();
    let rank = |value: i64| values.partition_point(|&v| v < value) as u64;
    for object in &mut other.heap.objects {
        for cell in object.cells.values_mut() {
            if let Cell::Integer(size, bits) = *cell {
                *cell = Cell::Integer(size, rank(signed(size, bits)));
            }
        }
    }
    for (width, value) in other.symbols.values_mut() {
        *value = u128::from(rank(signed(width.div_ceil(8) as u8, *value as u64)));
    }
    (other != *concrete).then_some(other)
}

fn zeroed(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let cells = concrete.heap.objects.iter().enumerate().flat_map(move |(index, object)| {
        object.cells.iter().filter_map(move |(&offset, cell)| match *cell {
            Cell::Integer(size, bits) if bits != 0 => {
                let mut other = concrete.clone();
                other.heap.objects[index].cells.insert(offset, Cell::Integer(size, 0));
                Some(other)
            }
            _ => None,
        })
    });
    let symbols = concrete.symbols.iter().filter(|(_, (_, value))| *value != 0).map(move |(name, &(width, _))| {
        let mut other = concrete.clone();
        other.symbols.insert(name.clone(), (width, 0));
        other
    });
    cells.chain(symbols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concrete::ConcreteHeap;
    use ir::TypeId;
    use std::collections::BTreeMap;

    /// `h` leads to the first object; `links`: from, to.
    fn list(count: usize, links: &[(usize, usize)]) -> Concrete {
        let mut objects =
            vec![
                ConcreteObject { global: None, passed: false, ty: TypeId::new(0), count: 1, cells: BTreeMap::new() };
                count
            ];
        for (number, &(from, to)) in links.iter().enumerate() {
            objects[from].cells.insert(number as u64 * 8, Cell::Pointer(to, 0));
        }
        let roots = BTreeMap::from([("h".to_owned(), Cell::Pointer(0, 0))]);
        let heap = ConcreteHeap { objects, roots };
        Concrete {
            heap,
            symbols: BTreeMap::new(),
            first_picks: Vec::new(),
            turns: Vec::new(),
            ending: Vec::new(),
            depends_on: None,
        }
    }

    #[test]
    fn circles_are_links_back() {
        assert_eq!(circles(&list(3, &[(0, 1), (1, 2)])), 0);
        assert_eq!(circles(&list(3, &[(0, 1), (1, 2), (2, 0)])), 1);
        assert_eq!(circles(&list(2, &[(0, 0), (0, 1), (1, 1)])), 2);
        assert_eq!(circles(&list(3, &[(0, 1), (0, 2), (1, 2)])), 0, "two ways to one object are no circle");
        assert_eq!(circles(&list(2, &[(1, 1)])), 0, "nothing leads there");
    }

    #[test]
    fn picks_are_undone_one_at_a_time() {
        let turn = |thread: usize, picks: &[u32]| Turn { thread: thread.to_string(), picks: picks.to_vec() };
        let mut run = list(1, &[]);
        run.first_picks = vec![0, 2];
        run.turns = vec![turn(0, &[]), turn(0, &[1]), turn(1, &[0]), turn(0, &[0]), turn(0, &[])];
        assert_eq!(picks(&run), 2);
        let others: Vec<Concrete> = unpicked(&run).collect();
        assert!(others.iter().all(|other| picks(other) == 1 && size(other) < size(&run)));
        assert_eq!(others[0].first_picks, [0, 0]);
        assert_eq!(others[0].turns, run.turns);
        let lengths: Vec<usize> = others[1..].iter().map(|other| other.turns.len()).collect();
        assert_eq!(lengths, [5, 4, 3, 4, 3, 2], "the thread has two more turns to lose");
        assert_eq!(others[2].turns, [turn(0, &[]), turn(0, &[0]), turn(1, &[0]), turn(0, &[])]);
        assert_eq!(others[4].turns, [turn(0, &[]), turn(1, &[0]), turn(0, &[0]), turn(0, &[])]);
        run.first_picks = Vec::new();
        run.turns[1].picks[0] = 0;
        assert_eq!(unpicked(&run).count(), 0);
    }

    #[test]
    fn links_are_turned_to_do_without_an_object_or_a_circle() {
        let turned = |links: &[(usize, usize)]| -> Vec<(usize, usize)> {
            turned_links(&list(3, links)).map(|other| (circles(&other), reachable(&other))).collect()
        };
        // The root to the second or third object. That of the first to the third.
        assert_eq!(turned(&[(0, 1), (1, 2)]), [(0, 2), (0, 1), (0, 2)]);
        assert!(turned(&[(0, 1), (1, 2), (2, 0)]).iter().all(|&smaller| smaller < (1, 3)));
        assert!(turned(&[]).is_empty());
    }
}
