//! Templates and constraints of inline assembly, as LLVM writes them (LangRef 'Inline Assembler Expressions').

/// An operand's constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    pub(super) output: bool,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Any register, or a constant.
    Value,
    /// `a`, `b`, `c` or `d`: `rax`, `rbx`, `rcx`, `rdx`.
    Register(char),
    /// What a pointer among the arguments leads to.
    Memory,
    /// The input of that output.
    Tied(usize),
    /// A condition of the flags: `=@cce`.
    Flag(&'static str),
}

/// What a statement names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Operand(usize),
    /// Memory at the address that the operand holds: `(%0)`.
    Pointer(usize),
    Immediate(u64),
    /// `(%rsp)`
    StackTop,
}

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    pub(super) locked: bool,
    /// Without the suffix of its size, for those that have one.
    pub(super) mnemonic: String,
    /// The bits that the suffix says.
    pub(super) suffix: Option<u16>,
    pub(super) places: Vec<Place>,
}

/// The conditions that are known.
const CONDITIONS: [&str; 6] = ["e", "z", "ne", "nz", "s", "ns"];
/// Instructions that take a suffix of size.
const SIZED: [&str; 11] = ["mov", "add", "sub", "and", "or", "xor", "inc", "dec", "xadd", "xchg", "cmpxchg"];

/// The operands' constraints; `None` if one of them is unknown. Clobbers are left out: every access is in its place anyway.
pub(super) fn constraints(text: &str) -> Option<Vec<Constraint>> {
    text.split(',').filter(|part| !part.is_empty() && !part.starts_with('~')).map(constraint).collect()
}

fn constraint(part: &str) -> Option<Constraint> {
    let (output, rest) = match part.strip_prefix('=') {
        Some(rest) => (true, rest),
        None => (false, part),
    };
    let rest = rest.trim_start_matches(['&', '%']);
    let kind = match rest.strip_prefix('*') {
        Some(_) => Kind::Memory,
        None => match rest {
            "{ax}" | "{eax}" | "{rax}" | "{al}" => Kind::Register('a'),
            "{bx}" => Kind::Register('b'),
            "{cx}" => Kind::Register('c'),
            "{dx}" => Kind::Register('d'),
            _ => match rest.strip_prefix("{@cc").and_then(|name| name.strip_suffix('}')) {
                Some(name) => Kind::Flag(CONDITIONS.iter().find(|known| **known == name)?),
                None => match rest.parse() {
                    Ok(output) => Kind::Tied(output),
                    Err(_) if rest.chars().all(|c| c.is_ascii_alphabetic()) => Kind::Value,
                    Err(_) => return None,
                },
            },
        },
    };
    Some(Constraint { output, kind })
}

/// The statements of a template; `None` if it cannot be read.
pub(super) fn statements(text: &str) -> Option<Vec<Statement>> {
    let mut statements = Vec::new();
    let mut prefix = String::new();
    for line in text.split(['\n', ';']) {
        let line = line.split('#').next().unwrap_or_default().replace('\t', " ");
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // A prefix may stand alone, or before its instruction.
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if matches!(word, "lock" | "rep") {
            if !prefix.is_empty() {
                return None;
            }
            prefix = word.to_owned();
            if rest.trim().is_empty() {
                continue;
            }
            statements.push(statement(std::mem::take(&mut prefix), rest.trim())?);
            continue;
        }
        statements.push(statement(std::mem::take(&mut prefix), line)?);
    }
    prefix.is_empty().then_some(statements)
}

fn statement(prefix: String, text: &str) -> Option<Statement> {
    let (word, operands) = text.split_once(' ').unwrap_or((text, ""));
    let word = word.to_ascii_lowercase();
    let unsized_form = SIZED.contains(&word.as_str());
    let (mnemonic, suffix) = match word.split_at_checked(word.len().saturating_sub(1)) {
        Some((stem, suffix)) if !unsized_form && SIZED.contains(&stem) => (stem.to_owned(), Some(size(suffix)?)),
        _ => (word, None),
    };
    let mnemonic = if prefix == "rep" { format!("rep {mnemonic}") } else { mnemonic };
    let hint = mnemonic.starts_with("prefetch");
    let places = match hint || operands.trim().is_empty() {
        true => Vec::new(),
        false => operands.split(',').map(|operand| place(operand.trim())).collect::<Option<_>>()?,
    };
    Some(Statement { locked: prefix == "lock", mnemonic, suffix, places })
}

fn size(suffix: &str) -> Option<u16> {
    match suffix {
        "b" => Some(8),
        "w" => Some(16),
        "l" => Some(32),
        "q" => Some(64),
        _ => None,
    }
}

fn place(text: &str) -> Option<Place> {
    if let Some(number) = text.strip_prefix("$$") {
        return immediate(number).map(Place::Immediate);
    }
    if let Some(number) = operand(text) {
        return Some(Place::Operand(number));
    }
    let inner = text.strip_suffix(')')?;
    let (displacement, register) = inner.split_once('(')?;
    if !matches!(displacement.trim(), "" | "0") {
        // Below the stack pointer a barrier is as good.
        return matches!(register.trim(), "%rsp" | "%esp").then_some(Place::StackTop);
    }
    match register.trim() {
        "%rsp" | "%esp" => Some(Place::StackTop),
        register => operand(register).map(Place::Pointer),
    }
}

/// `$0`, `${0:b}`
fn operand(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('$')?;
    let number = match rest.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}')?.split(':').next()?,
        None => rest,
    };
    number.parse().ok()
}

fn immediate(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_suffixes_and_operands_are_told_apart() {
        let read = statements("lock\n\tcmpxchgq ${2:q}, $1; sete $0 # done").unwrap();
        assert_eq!(
            read,
            [
                Statement {
                    locked: true,
                    mnemonic: "cmpxchg".to_owned(),
                    suffix: Some(64),
                    places: vec![Place::Operand(2), Place::Operand(1)],
                },
                Statement { locked: false, mnemonic: "sete".to_owned(), suffix: None, places: vec![Place::Operand(0)] },
            ]
        );
        let barrier = &statements("lock; addl $$0x0, 0(%rsp)").unwrap()[0];
        assert_eq!(barrier.places, [Place::Immediate(0), Place::StackTop]);
        assert_eq!(statements("rep; nop").unwrap()[0].mnemonic, "rep nop");
        assert_eq!(statements("lock; xaddl $0, ($1)").unwrap()[0].places[1], Place::Pointer(1));
        assert_eq!(statements("movl %eax, $0"), None, "a register that no constraint names");
        assert_eq!(statements("lock"), None);
        assert_eq!(statements(" \n "), Some(Vec::new()));
    }

    #[test]
    fn constraints_say_what_operands_are() {
        let kinds: Vec<Kind> =
            constraints("={ax},=*m,={@ccz},r,0,*m,ir,~{memory},~{flags}").unwrap().iter().map(|c| c.kind).collect();
        assert_eq!(
            kinds,
            [Kind::Register('a'), Kind::Memory, Kind::Flag("z"), Kind::Value, Kind::Tied(0), Kind::Memory, Kind::Value]
        );
        assert_eq!(constraints("={st}"), None);
    }
}
