//! Recorded queries: a text of one line per term and query, to be replayed against any backend.
//!
//! ```text
//! raddle-queries 1
//! pool 1                    the lines that follow are of these terms; each pool numbers its own
//! v 32 bits a[0]            variable: width, sort, name; terms are numbered from 0, in the order of their lines
//! c 32 a                    constant: width, value in hexadecimal
//! t Add 32 0 0 1            term: operator, width, lowest bit (of floating-point operators: which), operands
//! q 0 2                     query: how many assertions of the one before it begins with, then the further ones
//! ```
//!
//! Guarantee: reading what was written gives queries of the same terms, in the same order.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::{Answer, Solver, SolverError};

use crate::float::FloatOp;
use crate::pool::Terms;
use crate::term::{Key, MAX_WIDTH, Op, Sort, TermId};

const HEADER: &str = "raddle-queries 1";

const OPS: [Op; 27] = [
    Op::Not,
    Op::Neg,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Sdiv,
    Op::Urem,
    Op::Srem,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Eq,
    Op::Ult,
    Op::Slt,
    Op::Ite,
    Op::Concat,
    Op::Sext,
    Op::ConstArray,
    Op::Store,
    Op::Select,
    Op::IteArray,
    Op::Float1,
    Op::Float2,
    Op::Float3,
];

/// Where queries are written, by as many solvers as there are.
#[derive(Clone)]
pub struct QueryLog {
    sink: Arc<Mutex<Sink>>,
}

struct Sink {
    out: Box<dyn Write + Send>,
    /// The pool that the last line is of.
    pool: u64,
}

impl QueryLog {
    /// # Errors
    /// When nothing can be written.
    pub fn new(mut out: Box<dyn Write + Send>) -> io::Result<QueryLog> {
        writeln!(out, "{HEADER}")?;
        out.flush()?;
        Ok(QueryLog { sink: Arc::new(Mutex::new(Sink { out, pool: 0 })) })
    }

    /// Writes one query's lines together.
    fn append(&self, pool: u64, lines: &[u8]) -> io::Result<()> {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if sink.pool != pool {
            sink.pool = pool;
            writeln!(sink.out, "pool {pool}")?;
        }
        sink.out.write_all(lines)?;
        sink.out.flush()
    }
}

/// Writes the queries of one solver.
pub(crate) struct Writer {
    log: QueryLog,
    out: Vec<u8>,
    pool: u64,
    numbers: FxHashMap<TermId, usize>,
    last: Vec<TermId>,
}

impl Writer {
    pub(crate) fn new(log: QueryLog) -> Writer {
        Writer { log, out: Vec::new(), pool: 0, numbers: FxHashMap::default(), last: Vec::new() }
    }

    pub(crate) fn query(&mut self, terms: &Terms, assertions: &[TermId]) -> io::Result<()> {
        if self.pool != terms.pool_id() {
            (self.pool, self.numbers) = (terms.pool_id(), FxHashMap::default());
            self.last.clear();
        }
        self.out.clear();
        for &assertion in assertions {
            self.define(terms, assertion)?;
        }
        let kept = self.last.iter().zip(assertions).take_while(|(a, b)| a == b).count();
        write!(self.out, "q {kept}")?;
        for assertion in &assertions[kept..] {
            write!(self.out, " {}", self.numbers[assertion])?;
        }
        self.last = assertions.to_vec();
        writeln!(self.out)?;
        self.log.append(self.pool, &self.out)
    }

    fn define(&mut self, terms: &Terms, t: TermId) -> io::Result<()> {
        let mut work = vec![t];
        while let Some(&top) = work.last() {
            if self.numbers.contains_key(&top) {
                work.pop();
                continue;
            }
            let pending = work.len();
            work.extend(terms.args(top).filter(|a| !self.numbers.contains_key(a)));
            if work.len() == pending {
                work.pop();
                self.line(terms, top)?;
                self.numbers.insert(top, self.numbers.len());
            }
        }
        Ok(())
    }

    fn line(&mut self, terms: &Terms, t: TermId) -> io::Result<()> {
        let key = terms.key(t);
        if let Some(value) = key.value() {
            return writeln!(self.out, "c {} {value:x}", key.w());
        }
        if let Some(variable) = terms.as_variable(t) {
            let sort = if key.op == Op::ArrayVar { "array" } else { "bits" };
            return writeln!(self.out, "v {} {sort} {}", key.w(), variable.name.replace('\n', " "));
        }
        write!(self.out, "t {:?} {} {}", key.op, key.w(), key.low())?;
        for operand in key.operands() {
            write!(self.out, " {}", self.numbers[&operand])?;
        }
        writeln!(self.out)
    }
}

/// A recorded query could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("line {line}: {what}")]
    Malformed { line: usize, what: &'static str },
    #[error("line {line} cannot be read")]
    Read { line: usize, source: io::Error },
}

/// Recorded queries in the order in which they were asked.
pub struct Trace {
    /// Terms of each pool that was recorded, and its queries.
    runs: Vec<(Terms, Vec<Vec<TermId>>)>,
}

impl Trace {
    /// Reads what [`crate::Logged`] wrote. Terms keep the form that they had, whatever the rewriter would make of them.
    ///
    /// # Errors
    /// When a line is none that it writes.
    pub fn read(input: impl BufRead) -> Result<Trace, TraceError> {
        let mut reader = Reader { pools: Vec::new(), now: None, names: 0 };
        for (index, text) in input.lines().enumerate() {
            let line = index + 1;
            let text = text.map_err(|source| TraceError::Read { line, source })?;
            let read = if index == 0 {
                (text == HEADER).then_some(()).ok_or("not a file of recorded queries")
            } else {
                reader.line(&text)
            };
            read.map_err(|what| TraceError::Malformed { line, what })?;
        }
        Ok(Trace { runs: reader.pools.into_iter().map(|pool| (pool.terms, pool.queries)).collect() })
    }

    /// The answers of a solver to every query, in order.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn replay(&mut self, solver: &mut dyn Solver) -> Result<Vec<Answer>, SolverError> {
        let mut answers = Vec::new();
        for (terms, queries) in &mut self.runs {
            for query in queries {
                answers.push(solver.check(terms, query)?);
            }
        }
        Ok(answers)
    }
}

struct Reader {
    pools: Vec<Pool>,
    /// Which of them the lines are of.
    now: Option<usize>,
    names: usize,
}

struct Pool {
    number: u64,
    terms: Terms,
    /// By the numbers of their lines.
    known: Vec<TermId>,
    queries: Vec<Vec<TermId>>,
}

type Line<T> = Result<T, &'static str>;

impl Reader {
    fn line(&mut self, text: &str) -> Line<()> {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        if kind == "pool" {
            let number = rest.parse().map_err(|_| "not a number")?;
            let known = self.pools.iter().position(|pool| pool.number == number);
            self.now = Some(known.unwrap_or(self.pools.len()));
            if known.is_none() {
                let terms = Terms::without_rewriting();
                self.pools.push(Pool { number, terms, known: Vec::new(), queries: Vec::new() });
            }
            return Ok(());
        }
        let Reader { pools, now, names } = self;
        let pool = now.and_then(|now| pools.get_mut(now)).ok_or("a line before `pool`")?;
        let Pool { terms, known, queries, .. } = pool;
        let mut words = rest.split(' ');
        let mut number = || words.next().and_then(|w| w.parse::<usize>().ok()).ok_or("a number is missing");
        match kind {
            "v" => {
                let mut parts = rest.splitn(3, ' ');
                let (width, sort, name) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
                let width = check_width(width.and_then(|w| w.parse().ok()).unwrap_or(0))?;
                let sort = if sort == Some("array") { Sort::Array { index: width } } else { Sort::BitVec(width) };
                // Names may repeat, initialised and not; here each line is a variable of its own.
                *names += 1;
                known.push(terms.intern_variable(&format!("{name}#{names}"), sort, false));
            }
            "c" => {
                let width = check_width(number()?)?;
                let value = words.next().and_then(|w| u128::from_str_radix(w, 16).ok()).ok_or("a value is missing")?;
                known.push(terms.bv(width, value));
            }
            "t" => known.push(term(terms, known, rest)?),
            "q" => {
                let kept = number()?;
                let before: &[TermId] = queries.last().map_or(&[], Vec::as_slice);
                let mut query = before.get(..kept).ok_or("more assertions are kept than there were")?.to_vec();
                for word in words {
                    let number: usize = word.parse().map_err(|_| "not a number")?;
                    query.push(*known.get(number).ok_or("a term that no line before defines")?);
                }
                queries.push(query);
            }
            _ => return Err("an unknown kind of line"),
        }
        Ok(())
    }
}

fn check_width(width: usize) -> Line<u32> {
    u32::try_from(width).ok().filter(|w| (1..=MAX_WIDTH).contains(w)).ok_or("not a width")
}

fn term(terms: &mut Terms, known: &[TermId], rest: &str) -> Line<TermId> {
    let mut words = rest.split(' ');
    let name = words.next().unwrap_or_default();
    let op = OPS.into_iter().chain([Op::Extract]).find(|op| format!("{op:?}") == name).ok_or("an unknown operator")?;
    let mut number = || words.next().and_then(|w| w.parse::<usize>().ok()).ok_or("a number is missing");
    let (width, low) = (check_width(number()?)?, number()?);
    let mut args = Vec::new();
    for _ in 0..op.arity() {
        args.push(*known.get(number()?).ok_or("a term that no line before defines")?);
    }
    if op == Op::Extract {
        let low = u32::try_from(low).map_err(|_| "not a bit")?;
        let fits = low.checked_add(width).is_some_and(|top| top <= terms.width(args[0]));
        return fits
            .then(|| terms.intern(Key::extract(args[0], low + width - 1, low)))
            .ok_or("bits beyond the operand");
    }
    if matches!(op, Op::Float1 | Op::Float2 | Op::Float3) {
        let float = FloatOp::ALL.get(low).filter(|float| float.arity() == args.len()).ok_or("an unknown operator")?;
        let same = args.iter().all(|&a| terms.width(a) == terms.width(args[0]));
        let fits = same && float.fits(terms.width(args[0]), width);
        return fits.then(|| terms.intern(Key::float(*float, width, &args))).ok_or("operands of other widths");
    }
    Ok(terms.intern(Key::new(op, width, &args)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::tests::Gen;
    use crate::solver::logged::Logged;
    use crate::solver::z3::Z3;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is read back has the answers that were given when it was written.
    #[test]
    fn recorded_queries_have_their_answers() {
        let text = Shared::default();
        let z3 = Z3::new().expect("Z3 starts");
        let log = QueryLog::new(Box::new(text.clone())).expect("memory can be written");
        let mut logged = Logged::new(z3, log);
        let mut given = Vec::new();
        for seed in 0..30 {
            let mut g = Gen::new(4, seed);
            let mut query = Vec::new();
            for _ in 0..5 {
                let (a, b, x) = (g.sum(2), g.fields(), g.bitwise());
                let (array, index, byte) = (g.ite_array(), g.index(), g.byte());
                let t = &mut g.terms;
                let read = t.select(array, index);
                let quotient = t.sdiv(a, x);
                query.extend([t.slt(a, b), t.ne(x, quotient), t.ule(read, byte)]);
                given.push(logged.check(t, &query).expect("an answer").is_sat());
                query.truncate(seed as usize % 4);
            }
        }
        let bytes = text.0.lock().expect("not poisoned").clone();
        let mut trace = Trace::read(&bytes[..]).expect("what was written can be read");
        let again = trace.replay(&mut Z3::new().expect("Z3 starts")).expect("answers");
        assert_eq!(again.iter().map(Answer::is_sat).collect::<Vec<_>>(), given);
        assert!(given.contains(&true) && given.contains(&false));
    }

    #[test]
    fn damaged_recordings_are_refused() {
        for (text, line) in [
            ("nothing", 1),
            ("raddle-queries 1\nq 0", 2),
            ("raddle-queries 1\npool", 2),
            ("raddle-queries 1\npool 3\nq 1", 3),
            ("raddle-queries 1\npool 3\nq 0 0", 3),
            ("raddle-queries 1\npool 3\nc 200 1", 3),
            ("raddle-queries 1\npool 3\nc 8 1\nt Frob 8 0 0", 4),
            ("raddle-queries 1\npool 3\nc 8 1\nt Not 8 0", 4),
            ("raddle-queries 1\npool 3\nc 8 1\nt Extract 8 4 0", 4),
            ("raddle-queries 1\npool 3\nc 8 1\nt Float1 8 0 0", 4),
            ("raddle-queries 1\npool 3\nc 20 1\nt Float1 20 99 0", 4),
        ] {
            match Trace::read(text.as_bytes()) {
                Err(TraceError::Malformed { line: at, .. }) => assert_eq!(at, line, "{text}"),
                other => panic!("{text}: {:?}", other.map(|t| t.runs.len())),
            }
        }
    }
}
