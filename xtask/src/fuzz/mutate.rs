//! Inputs from valid ones: a few changes each, of bytes, words and numbers, or pieces of another one.

use testkit::rng::Rng;

/// Bytes that mean something in one of the formats.
const TOKENS: [&[u8]; 16] = [
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"\"",
    b",",
    b"=",
    b"null",
    b"-1",
    b"0",
    b"18446744073709551615",
    b"\n",
    b"\0",
    b"\xff\xff\xff\xff",
];

/// Inputs stay below this.
const LONGEST: usize = 1 << 20;

pub(super) struct Mutator {
    rng: Rng,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// `seeds` are not empty.
    pub(super) fn new(seed: u64, seeds: Vec<Vec<u8>>) -> Self {
        Mutator { rng: Rng::new(seed), seeds }
    }

    pub(super) fn next(&mut self) -> Vec<u8> {
        let index = self.rng.below(self.seeds.len());
        let mut input = self.seeds[index].clone();
        // Mostly few changes: many are refused at the first.
        let changes = 1 + self.rng.below(4) * self.rng.below(3);
        for _ in 0..changes {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        if input.is_empty() {
            input.push(self.rng.next_u64() as u8);
            return;
        }
        let at = self.rng.below(input.len());
        let end = (at + 1 + self.rng.below(32)).min(input.len());
        match self.rng.below(9) {
            0 => input[at] ^= 1 << self.rng.below(8),
            1 => input[at] = self.rng.next_u64() as u8,
            2 => drop(input.drain(at..end)),
            3 => {
                let piece = input[at..end].to_vec();
                input.splice(at..at, piece);
            }
            4 => {
                let token = self.rng.pick(&TOKENS);
                input.splice(at..at, token.iter().copied());
            }
            5 => input.truncate(at),
            6 => self.number(input, at),
            7 => self.word(input, at),
            _ => self.splice(input, at, end),
        }
    }

    /// Replaces the number at or behind a position.
    fn number(&mut self, input: &mut Vec<u8>, at: usize) {
        let Some(start) = (at..input.len()).find(|&i| input[i].is_ascii_digit()) else { return };
        let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let values = ["0", "1", "2", "7", "63", "64", "65", "255", "4294967295", "4294967296", "18446744073709551615"];
        let value = self.rng.pick(&values);
        input.splice(start..start + length, value.bytes());
    }

    /// Replaces the word at a position by another one of the same input.
    fn word(&mut self, input: &mut Vec<u8>, at: usize) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let words: Vec<(usize, usize)> = words(input, is_word);
        if words.is_empty() {
            return;
        }
        let near = words.iter().position(|(_, end)| *end > at).unwrap_or(0);
        let other = words[self.rng.below(words.len())];
        let piece = input[other.0..other.1].to_vec();
        input.splice(words[near].0..words[near].1, piece);
    }

    /// A piece of another seed in place of one.
    fn splice(&mut self, input: &mut Vec<u8>, at: usize, end: usize) {
        let index = self.rng.below(self.seeds.len());
        if self.seeds[index].is_empty() {
            return;
        }
        let from = self.rng.below(self.seeds[index].len());
        let to = (from + 1 + self.rng.below(64)).min(self.seeds[index].len());
        let piece = self.seeds[index][from..to].to_vec();
        input.splice(at..end, piece);
    }
}

/// Start and end of each run of bytes for which `is_word` holds.
fn words(input: &[u8], is_word: impl Fn(&u8) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (position, byte) in input.iter().enumerate() {
        match (is_word(byte), start) {
            (true, None) => start = Some(position),
            (false, Some(from)) => {
                found.push((from, position));
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| (from, input.len())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_inputs_and_most_differ_from_what_they_come_from() {
        let valid = b"{ \"a\": [1, 22, null], \"bc\": true }".to_vec();
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed, vec![valid.clone(), b"x = 3\n".to_vec()]);
            (0..500).map(|_| mutator.next()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
        assert!(inputs(7).iter().filter(|input| **input == valid).count() < 50);
    }
}
