//! Terminal reports as blessed beside a test: what may differ between two runs is replaced, the rest is compared.

/// Units behind a number that varies from run to run: times and memory.
const UNITS: [&str; 12] = ["ns", "us", "µs", "ms", "s", "min", "KiB", "MiB", "GiB", "kB", "MB", "GB"];

/// `text` with the results' directory `out` under its usual name and each time and amount of memory as `_`.
pub fn normalise(text: &str, out: &str) -> String {
    let text = if out.is_empty() { text.to_owned() } else { text.replace(out, "raddle-out") };
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let number = if before.is_some_and(is_word) { 0 } else { number_length(rest) };
        if number == 0 {
            result.push(first);
            before = Some(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (digits, tail) = rest.split_at(number);
        result.push_str(if unit_follows(tail) { "_" } else { digits });
        before = digits.chars().next_back();
        rest = tail;
    }
    result
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.')
}

/// The length of a number such as `12` or `0.25` at the start of `text`.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    match text[whole..].strip_prefix('.').map(digits) {
        Some(part) if whole > 0 && part > 0 => whole + 1 + part,
        _ => whole,
    }
}

fn unit_follows(text: &str) -> bool {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let word = text.split(|character: char| !character.is_alphanumeric()).next().unwrap_or("");
    UNITS.contains(&word)
}

/// What changed, as the first differing line of both with the lines before it; `None` if nothing did.
pub(super) fn difference(blessed: &str, printed: &str) -> Option<String> {
    if blessed == printed {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (blessed.lines().collect(), printed.lines().collect());
    let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let tail = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(one, other)| one == other).count();
    let mut text = format!("the report changed at line {} (BLESS=1 accepts it):", same + 1);
    let mut show = |mark: char, lines: &[&str]| {
        for line in lines {
            text.push_str(&format!("\n{mark} {line}"));
        }
    };
    show(' ', &old[same.saturating_sub(2)..same]);
    show('-', &old[same..old.len() - tail]);
    show('+', &new[same..new.len() - tail]);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{difference, normalise};

    #[test]
    fn times_and_memory_are_hidden_and_counts_stay() {
        let text = "3 executions in 0.25 s (12ms, 64 MiB), line 7; x1 s 2.50 steps /tmp/q/R1.witness.json";
        let hidden = "3 executions in _ s (_ms, _ MiB), line 7; x1 s 2.50 steps raddle-out/R1.witness.json";
        assert_eq!(normalise(text, "/tmp/q"), hidden);
    }

    #[test]
    fn differences_show_both_sides() {
        assert_eq!(difference("a\nb\nc\n", "a\nb\nc\n"), None);
        let text = difference("a\nb\nc\nd\n", "a\nb\nx\nd\n").unwrap_or_default();
        assert!(text.ends_with("\n  a\n  b\n- c\n+ x"), "{text}");
        assert!(difference("a\n", "a\na\n").is_some(), "a repeated line is a difference");
        assert!(difference("a", "a\n").is_some(), "a missing line end is a difference");
    }
}
