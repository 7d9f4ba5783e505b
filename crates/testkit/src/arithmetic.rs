//! Random formulas of quotients, remainders, products, shifts and masks, judged by trying all values.
//!
//! Guarantee: [`Formula::holds`] computes with machine integers and shares no code with the solver. Division by zero and
//! shifts by too much are as SMT-LIB has them, which C leaves undefined.

use crate::rng::Rng;

/// What is computed from variables and constants, all of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Var(usize),
    Const(u64),
    Of(Op, Box<[Expr; 2]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Shl,
    Shr,
    And,
    Xor,
    /// The high half of the product, computed in a wider word, of so many bits: what tells whether a product overflows.
    MulHigh(u32),
    /// Of signed numbers.
    SmulHigh(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Eq,
    Ne,
    Below,
    AtMost,
    SignedBelow,
}

/// A conjunction of comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub width: u32,
    pub variables: usize,
    pub conjuncts: Vec<(Relation, Expr, Expr)>,
}

/// Bits of all variables together: what there is to try.
const ALL_BITS: u32 = 12;

impl Formula {
    /// One for each seed. Divisors and factors are often shared, and dividends often differ by little: that is where
    /// there is something to know.
    pub fn random(seed: u64) -> Formula {
        let mut rng = Rng::new(seed);
        let width = 4 + (rng.next_u64() % 5) as u32;
        let variables = if width <= 4 { 3 } else { (ALL_BITS / width).max(1) as usize };
        let mut writer = Writer { rng, width, variables, shared: Vec::new() };
        for _ in 0..2 {
            let expr = writer.leaf();
            writer.shared.push(expr);
        }
        let count = 1 + writer.below(4);
        let conjuncts = (0..count).map(|_| writer.conjunct()).collect();
        Formula { width, variables, conjuncts }
    }

    /// Whether these values satisfy it.
    pub fn holds(&self, values: &[u64]) -> bool {
        self.conjuncts.iter().all(|(relation, a, b)| {
            let (a, b) = (value(a, values, self.width), value(b, values, self.width));
            match relation {
                Relation::Eq => a == b,
                Relation::Ne => a != b,
                Relation::Below => a < b,
                Relation::AtMost => a <= b,
                Relation::SignedBelow => signed(a, self.width) < signed(b, self.width),
            }
        })
    }

    /// Whether some values do, by trying all.
    pub fn is_satisfiable(&self) -> bool {
        let per = 1u64 << self.width;
        (0..per.pow(self.variables as u32)).any(|mut all| {
            let values: Vec<u64> = (0..self.variables)
                .map(|_| {
                    let value = all % per;
                    all /= per;
                    value
                })
                .collect();
            self.holds(&values)
        })
    }
}

fn signed(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

fn value(expr: &Expr, values: &[u64], width: u32) -> u64 {
    let mask = (1u64 << width) - 1;
    let Expr::Of(op, operands) = expr else {
        return match expr {
            Expr::Var(index) => values[*index],
            Expr::Const(value) => *value,
            Expr::Of(..) => unreachable!("handled above"),
        };
    };
    let [a, b] = [value(&operands[0], values, width), value(&operands[1], values, width)];
    let (sa, sb) = (signed(a, width), signed(b, width));
    let result = match op {
        Op::Add => a + b,
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a * b,
        Op::Udiv => a.checked_div(b).unwrap_or(mask),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if sb == 0 => (if sa < 0 { 1i64 } else { -1 }) as u64,
        Op::Sdiv => (sa / sb) as u64,
        Op::Srem if sb == 0 => a,
        Op::Srem => (sa % sb) as u64,
        Op::Shl if b >= u64::from(width) => 0,
        Op::Shl => a << b,
        Op::Shr if b >= u64::from(width) => 0,
        Op::Shr => a >> b,
        Op::And => a & b,
        Op::Xor => a ^ b,
        Op::MulHigh(_) => (a * b) >> width,
        Op::SmulHigh(_) => ((sa * sb) >> width) as u64,
    };
    result & mask
}

struct Writer {
    rng: Rng,
    width: u32,
    variables: usize,
    /// Divisors and factors that occur more than once.
    shared: Vec<Expr>,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    fn constant(&mut self) -> Expr {
        let all = 1u64 << self.width;
        let value = match self.below(4) {
            0 => self.below(4),
            1 => 1 << self.below(u64::from(self.width)),
            2 => all - 1 - self.below(3),
            _ => self.below(all),
        };
        Expr::Const(value)
    }

    fn variable(&mut self) -> Expr {
        let index = self.below(self.variables as u64);
        Expr::Var(index as usize)
    }

    fn leaf(&mut self) -> Expr {
        if self.below(4) == 0 { self.constant() } else { self.variable() }
    }

    fn shared(&mut self) -> Expr {
        let at = self.below(self.shared.len() as u64) as usize;
        self.shared[at].clone()
    }

    fn expr(&mut self, depth: u32) -> Expr {
        const OPS: [Op; 16] = [
            Op::Add,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Udiv,
            Op::Udiv,
            Op::Urem,
            Op::Urem,
            Op::Urem,
            Op::Sdiv,
            Op::Srem,
            Op::Shl,
            Op::Shr,
            Op::And,
            Op::Xor,
            Op::Mul,
        ];
        if depth == 0 || self.below(5) == 0 {
            return self.leaf();
        }
        // Half as wide again as the solver's integers, or as narrow as it can be.
        let wide = if self.below(2) == 0 { 2 * self.width } else { 128 };
        let op = match self.below(12) {
            0 => Op::MulHigh(wide),
            1 => Op::SmulHigh(wide),
            _ => OPS[self.below(OPS.len() as u64) as usize],
        };
        let left = self.expr(depth - 1);
        let right = match op {
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Mul if self.below(3) > 0 => self.shared(),
            Op::Add | Op::Sub if self.below(2) == 0 => Expr::Const(1 + self.below(2)),
            _ => self.expr(depth - 1),
        };
        Expr::Of(op, Box::new([left, right]))
    }

    fn conjunct(&mut self) -> (Relation, Expr, Expr) {
        let relation = match self.below(6) {
            0 | 1 => Relation::Eq,
            2 => Relation::Ne,
            3 => Relation::Below,
            4 => Relation::AtMost,
            _ => Relation::SignedBelow,
        };
        let left = self.expr(3);
        let right = if self.below(2) == 0 { self.leaf() } else { self.expr(2) };
        (relation, left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_c_where_c_has_any() {
        let of = |op, a, b| value(&Expr::Of(op, Box::new([Expr::Const(a), Expr::Const(b)])), &[], 4);
        assert_eq!([of(Op::Udiv, 13, 4), of(Op::Urem, 13, 4)], [3, 1]);
        // -3 by 2 is -1, and -1 is left.
        assert_eq!([of(Op::Sdiv, 13, 2), of(Op::Srem, 13, 2)], [15, 15]);
        assert_eq!([of(Op::Sdiv, 8, 15), of(Op::Srem, 8, 15)], [8, 0]);
        assert_eq!([of(Op::Mul, 7, 5), of(Op::Sub, 1, 2), of(Op::Shl, 3, 3)], [3, 15, 8]);
    }

    #[test]
    fn formulas_come_out_either_way() {
        let satisfiable = (0..400).filter(|&seed| Formula::random(seed).is_satisfiable()).count();
        assert!((80..380).contains(&satisfiable), "{satisfiable} of 400");
    }
}
