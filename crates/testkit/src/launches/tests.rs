use super::*;

fn writes(index: Index) -> Kernel {
    let body = vec![Stmt::Access { array: Array::Given, index, write: true, atomic: false }];
    Kernel { name: "k".to_owned(), body }
}

fn at(blocks: i64, threads: i64, n: i64) -> Launch {
    Launch { blocks, threads, n }
}

#[test]
fn places_that_wrap_around_race_in_large_launches() {
    let sum = Sum { all: 1, ..Sum::default() };
    let kernel = writes(Index { sum, rest_by: Some(Divisor::N) });
    assert_eq!(judge(&kernel, at(2, 2, 4)), Judged::Fine);
    assert_eq!(judge(&kernel, at(2, 2, 3)), Judged::Wrong);
    assert_eq!(judge(&kernel, at(2, 2, 0)), Judged::Fails);
    let condition = parse("n >= (int)(gridDim.x * blockDim.x)").expect("a condition");
    for launch in Launch::all().filter(|launch| condition.holds(*launch)) {
        assert_eq!(judge(&kernel, launch), Judged::Fine, "{launch:?}");
    }
}

#[test]
fn a_warp_is_ordered_by_its_own_barrier() {
    let access = |index: Sum, write| Stmt::Access {
        array: Array::Shared,
        index: Index { sum: index, rest_by: Some(Divisor::BlockDim) },
        write,
        atomic: false,
    };
    let (own, next) = (Sum { tid: 1, ..Sum::default() }, Sum { tid: 1, constant: 1, ..Sum::default() });
    let kernel =
        Kernel { name: "k".to_owned(), body: vec![access(own.clone(), true), Stmt::Warp, access(next.clone(), false)] };
    assert_eq!(judge(&kernel, at(1, WARP, 0)), Judged::Fine);
    assert_eq!(judge(&kernel, at(1, WARP + 1, 0)), Judged::Wrong);
    let without = Kernel { body: vec![access(own, true), access(next, false)], ..kernel };
    assert_eq!(judge(&without, at(1, WARP, 0)), Judged::Wrong);
}

#[test]
fn conditions_are_read_as_they_are_printed() {
    let two = parse("n >= (int)blockDim.x && gridDim.x == 1").expect("two comparisons");
    assert!(two.holds(at(1, 3, 3)));
    assert!(!two.holds(at(1, 3, 2)));
    assert!(!two.holds(at(2, 3, 3)));
    assert_eq!(two.each().len(), 2);
    assert_eq!(parse("n is small"), None);
    assert_eq!(parse("m <= 3"), None);
}
