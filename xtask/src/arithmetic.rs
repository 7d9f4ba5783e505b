//! Random formulas of quotients, remainders and products: what the solver says of them, and trying all values.

use smt::{Answer, Arithmetic, Backend, Bits, Guarded, Limits, Solver, TermId, Terms};
use std::time::{Duration, Instant};
use testkit::arithmetic::{Expr, Formula, Op, Relation};

/// Compares `count` formulas. False when any differed.
pub fn run(count: u64, first: u64) -> anyhow::Result<bool> {
    let started = Instant::now();
    let (mut satisfiable, mut different, mut open, mut slowest) = (0, 0, [0; 4], Duration::ZERO);
    for seed in first..first + count {
        let formula = Formula::random(seed);
        let expected = formula.is_satisfiable();
        satisfiable += u64::from(expected);
        for (way, mut solver) in solvers()?.into_iter().enumerate() {
            let asked = Instant::now();
            let said = ask(&mut *solver, &formula)?;
            slowest = slowest.max(asked.elapsed());
            match said {
                None => open[way] += 1,
                Some(said) if said != expected => {
                    different += 1;
                    eprintln!("seed {seed}: the solver says {said}, but it is {expected}: {formula:?}");
                }
                Some(_) => {}
            }
        }
    }
    println!(
        "{count} formulas, seeds {first} to {}: {different} differ; {satisfiable} are satisfiable; not decided: {} as asked, {} by lemmas alone, {} as integers, {} as hashes; the slowest took {:.3} s; {:.1} s",
        first + count - 1,
        open[0],
        open[1],
        open[2],
        open[3],
        slowest.as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    Ok(different == 0)
}

/// The default, one that leaves nothing to circuits that lemmas can decide, one that asks about integers only, and one that
/// takes constant factors for those of hashes.
fn solvers() -> anyhow::Result<[Box<dyn Solver>; 4]> {
    let lemmas = Guarded::new(Arithmetic::new(Bits::new(), None).by_lemmas_alone());
    let integers = Guarded::new(Arithmetic::new(Bits::new(), None).by_integers_alone());
    let hashes = Guarded::new(Arithmetic::new(Bits::new(), None).by_hashes_alone());
    let mut solvers: [Box<dyn Solver>; 4] =
        [Backend::Bits.start(None)?, Box::new(lemmas), Box::new(integers), Box::new(hashes)];
    for solver in &mut solvers {
        solver.set_limits(Limits { steps: Some(32_000), ..Limits::default() });
    }
    Ok(solvers)
}

/// Whether a formula is satisfiable, if the solver can tell; its models and its cores are checked.
fn ask(solver: &mut dyn Solver, formula: &Formula) -> anyhow::Result<Option<bool>> {
    let terms = &mut Terms::new();
    let variables: Vec<TermId> =
        (0..formula.variables).map(|index| terms.var(&format!("v{index}"), formula.width)).collect();
    let conjuncts: Vec<TermId> = formula
        .conjuncts
        .iter()
        .map(|(relation, a, b)| {
            let (a, b) = (term(terms, &variables, formula.width, a), term(terms, &variables, formula.width, b));
            match relation {
                Relation::Eq => terms.eq(a, b),
                Relation::Ne => terms.ne(a, b),
                Relation::Below => terms.ult(a, b),
                Relation::AtMost => terms.ule(a, b),
                Relation::SignedBelow => terms.slt(a, b),
            }
        })
        .collect();
    Ok(match solver.check(terms, &conjuncts)? {
        Answer::Sat(model) => {
            let values: Vec<u64> = variables.iter().map(|&variable| model.value(variable) as u64).collect();
            anyhow::ensure!(formula.holds(&values), "no model of {formula:?}: {values:?}");
            Some(true)
        }
        Answer::Unsat => {
            if let Some(core) = solver.core().map(<[TermId]>::to_vec) {
                let alone = formula.conjuncts.iter().zip(&conjuncts).filter(|(_, term)| core.contains(term));
                let alone = Formula { conjuncts: alone.map(|(conjunct, _)| conjunct.clone()).collect(), ..*formula };
                anyhow::ensure!(!alone.is_satisfiable(), "no core of {formula:?}: {alone:?}");
            }
            Some(false)
        }
        Answer::Unknown(_) => None,
    })
}

fn term(terms: &mut Terms, variables: &[TermId], width: u32, expr: &Expr) -> TermId {
    match expr {
        Expr::Var(index) => variables[*index],
        Expr::Const(value) => terms.bv(width, u128::from(*value)),
        Expr::Of(op, operands) => {
            let [a, b] = [0, 1].map(|index| term(terms, variables, width, &operands[index]));
            match op {
                Op::Add => terms.add(a, b),
                Op::Sub => terms.sub(a, b),
                Op::Mul => terms.mul(a, b),
                Op::Udiv => terms.udiv(a, b),
                Op::Urem => terms.urem(a, b),
                Op::Sdiv => terms.sdiv(a, b),
                Op::Srem => terms.srem(a, b),
                Op::Shl => terms.shl(a, b),
                Op::Shr => terms.lshr(a, b),
                Op::And => terms.and(a, b),
                Op::Xor => terms.xor(a, b),
                Op::MulHigh(wide) => {
                    let (a, b) = (terms.zext(a, *wide), terms.zext(b, *wide));
                    let product = terms.mul(a, b);
                    terms.extract(product, 2 * width - 1, width)
                }
                Op::SmulHigh(wide) => {
                    let (a, b) = (terms.sext(a, *wide), terms.sext(b, *wide));
                    let product = terms.mul(a, b);
                    terms.extract(product, 2 * width - 1, width)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    /// The campaign, with a few hundred.
    #[test]
    fn the_solver_agrees_with_enumeration() {
        assert!(super::run(600, 0).expect("the solver answers"));
    }
}
