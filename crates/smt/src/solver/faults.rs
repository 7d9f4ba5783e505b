//! Backends that lie, die or hang.

use super::bits::Bits;
use super::cached::Cached;
use super::checked::Checked;
use super::decided::Decided;
use super::fallback::Fallback;
use super::guarded::Guarded;
use super::setup::{Backend, Setup};
use super::solving::Solving;
use super::z3::Z3;
use super::*;
use std::time::Instant;

/// What a broken backend does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    SaysUnsat,
    SaysSat,
    Panics,
    /// Until it is told to stop.
    Hangs,
    /// Gives every query up.
    TooLarge,
}

struct Broken {
    fault: Fault,
    stop: Stop,
}

impl Broken {
    fn new(fault: Fault) -> Broken {
        Broken { fault, stop: Arc::new(|| true) }
    }
}

impl Solver for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn check(&mut self, _: &mut Terms, _: &[TermId]) -> Result<Answer, SolverError> {
        match self.fault {
            Fault::SaysUnsat => Ok(Answer::Unsat),
            Fault::SaysSat => Ok(Answer::Sat(Model::new())),
            Fault::Panics => panic!("a backend's fault"),
            Fault::Hangs => {
                while !(self.stop)() {
                    std::thread::yield_now();
                }
                Ok(Answer::Unknown(UnknownReason::Timeout))
            }
            Fault::TooLarge => Ok(Answer::Unknown(UnknownReason::Incomplete)),
        }
    }

    fn set_limits(&mut self, _: Limits) {}

    fn stats(&self) -> SolverStats {
        SolverStats::default()
    }
}

/// One that holds for some values, one that holds for none; both beyond raddle's own procedures.
fn queries(t: &mut Terms) -> [TermId; 2] {
    let (x, y) = (t.var("x", 16), t.var("y", 16));
    let (square, other) = (t.mul(x, x), t.mul(y, y));
    let sum = t.add(square, other);
    let (five, eight) = (t.bv(16, 5), t.bv(16, 8));
    let (is_five, rest) = (t.eq(sum, five), t.urem(square, eight));
    // No square is 5 modulo 8.
    [is_five, t.eq(rest, five)]
}

#[test]
fn a_lie_is_caught_by_the_other_solver() {
    let folder = tempfile::tempdir().expect("a folder");
    let t = &mut Terms::new();
    let [possible, impossible] = queries(t);
    let z3 = || Z3::new().expect("Z3 starts");
    for (fault, query) in [(Fault::SaysUnsat, possible), (Fault::SaysUnsat, impossible)] {
        let lies = Guarded::new(Broken::new(fault));
        let mut checked = Checked::new(Cached::new(lies), z3(), folder.path().join("deep"));
        let answer = checked.check(t, &[query]);
        if query == impossible {
            assert!(answer.is_ok_and(|a| a.is_unsat()));
            continue;
        }
        let Err(error @ SolverError::Disagree { .. }) = answer else { panic!("{answer:?}") };
        let message = error.to_string();
        assert!(
            message.starts_with("broken says unsatisfiable, z3 says satisfiable: one of them is wrong"),
            "{message}"
        );
        let written = folder.path().join("deep/disagreement.smt2");
        assert!(message.ends_with(&written.display().to_string()), "{message}");
        let script = std::fs::read_to_string(written).expect("the query");
        assert_eq!(z3().run_script(&script), "sat");
    }
}

/// A model is believed only when it holds; no second solver is needed to see that.
#[test]
fn a_wrong_model_is_no_answer() {
    let t = &mut Terms::new();
    let [possible, _] = queries(t);
    let mut lies = Guarded::new(Broken::new(Fault::SaysSat));
    assert!(matches!(lies.check(t, &[possible]), Err(SolverError::WrongModel { backend: "broken", .. })));
}

#[test]
fn a_panic_is_an_error_and_stays_one() {
    let t = &mut Terms::new();
    let [possible, _] = queries(t);
    let mut dies = Guarded::new(Broken::new(Fault::Panics));
    for _ in 0..2 {
        let error = dies.check(t, &[possible]).expect_err("it died");
        assert_eq!(error.to_string(), "broken failed: a backend's fault");
    }
}

#[test]
fn a_hanging_query_ends_by_the_limit() {
    let t = &mut Terms::new();
    let [possible, _] = queries(t);
    let end = Instant::now() + Duration::from_millis(50);
    let hangs = Broken { fault: Fault::Hangs, stop: Arc::new(move || Instant::now() >= end) };
    let mut solving = Solving::new(Guarded::new(hangs));
    let answer = solving.may_be_true(t, &[], possible);
    assert_eq!(answer.expect("no error"), Tri::Unknown(UnknownReason::Timeout));
    assert!(Instant::now() >= end);
}

#[test]
fn what_one_backend_cannot_do_another_does() {
    let t = &mut Terms::new();
    let [possible, impossible] = queries(t);
    let mut both = Fallback::new(Broken::new(Fault::TooLarge), || Ok(Bits::new()));
    assert!(both.check(t, &[possible]).is_ok_and(|a| a.is_sat()));
    assert!(both.check(t, &[possible, impossible]).is_ok_and(|a| a.is_unsat()));
    assert_eq!(both.core(), Some(&[impossible][..]));
}

/// Every backend ends a hard query when it is told to, and by each of its limits.
#[test]
fn every_backend_can_be_stopped() {
    for backend in Backend::ALL {
        let t = &mut Terms::new();
        let hard = super::tests::hard(t);
        let end = Instant::now() + Duration::from_millis(200);
        let stop: Stop = Arc::new(move || Instant::now() >= end);
        let mut solver = backend.start(Some(&stop)).expect("the solver starts");
        assert_eq!(solver.check(t, &hard).ok(), Some(Answer::Unknown(UnknownReason::Timeout)), "{backend:?}");
        assert!(end.elapsed() < Duration::from_secs(5), "{backend:?}");
        let mut solver = backend.start(None).expect("the solver starts");
        for (limits, reason) in [
            (Limits { steps: Some(1_000), ..Limits::default() }, UnknownReason::Steps),
            (Limits { timeout: Some(Duration::from_millis(50)), ..Limits::default() }, UnknownReason::Timeout),
        ] {
            solver.set_limits(limits);
            assert_eq!(solver.check(t, &hard).ok(), Some(Answer::Unknown(reason)), "{backend:?}");
        }
        // An easy query is still answered.
        assert!(solver.check(t, &hard[1..]).is_ok_and(|a| a.is_sat()), "{backend:?}");
    }
}

/// The composition that the command line makes, each backend checked by the other, with and without raddle's own part.
#[test]
fn set_ups_agree() {
    use crate::rewrite::tests::Gen;

    let folder = tempfile::tempdir().expect("a folder");
    for (backend, backend_only) in [(Backend::Bits, false), (Backend::Z3, false), (Backend::Bits, true)] {
        let check = Some(folder.path().to_owned());
        let setup = Setup { backend, backend_only, check, ..Setup::default() };
        let mut solving = Solving::set_up(setup).expect("the solvers start");
        let mut answers = [0; 2];
        for seed in 0..40 {
            let mut g = Gen::new(4, seed);
            let mut pc: Vec<TermId> = Vec::new();
            for _ in 0..8 {
                let (a, b, x) = (g.sum(2), g.fields(), g.bitwise());
                let condition = if g.coin() { g.terms.ult(a, b) } else { g.terms.slt(x, a) };
                let branch = solving.branch(&mut g.terms, &pc, condition).expect("the solvers agree");
                answers[usize::from(branch.then == Tri::Yes && branch.otherwise == Tri::Yes)] += 1;
                pc.push(if branch.then == Tri::Yes { condition } else { g.terms.not(condition) });
            }
        }
        let stats = solving.stats();
        assert!(answers[0] > 20 && answers[1] > 20, "{answers:?}");
        assert_eq!(stats.ordered == 0, backend_only, "{stats:?}");
    }
    let decided = Decided::new(Z3::new().expect("Z3 starts"));
    assert_eq!(decided.name(), "z3");
}
