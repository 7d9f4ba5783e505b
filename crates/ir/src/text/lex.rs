//! Tokens of the text format.

/// A token. Words borrow from the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// The bytes of a quoted string, escapes resolved.
    Quoted(Vec<u8>),
    Number(u128),
    /// `%3`
    Reg(u32),
    /// `!3`
    Loc(u32),
    Mark(&'static str),
    End,
}

/// The marks, longer ones before those that begin them.
const MARKS: [&str; 14] = ["...", "->", "(", ")", "{", "}", "[", "]", ",", ":", "=", "+", "-", "*"];

/// What the lexer expected, and the byte offset where it did not find it.
#[derive(Debug)]
pub(super) struct LexError {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// Whether `name` can stand without quotes.
pub(super) fn is_bare(name: &str) -> bool {
    !name.starts_with("...") && !name.is_empty() && word_length(name.as_bytes()) == name.len()
}

/// Length of the word that `text` begins with; 0 when it begins with none.
fn word_length(text: &[u8]) -> usize {
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
    match text.first() {
        Some(b) if inner(b) && !b.is_ascii_digit() && *b != b'$' => text.iter().take_while(|b| inner(b)).count(),
        _ => 0,
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, LexError> {
        Err(LexError { at: self.at, expected })
    }

    /// The next token and the byte offset where it begins.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), LexError> {
        self.skip_blanks();
        let begin = self.at;
        let token = match self.rest() {
            [] => Token::End,
            [b'"', ..] => Token::Quoted(self.quoted()?),
            [b'%', ..] => Token::Reg(self.sigil()?),
            [b'!', ..] => Token::Loc(self.sigil()?),
            [b'0'..=b'9', ..] => Token::Number(self.number()?),
            rest => match MARKS.iter().find(|m| rest.starts_with(m.as_bytes())) {
                Some(mark) => {
                    self.at += mark.len();
                    Token::Mark(mark)
                }
                None => self.word()?,
            },
        };
        Ok((token, begin))
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b';', rest @ ..] => self.at += 1 + rest.iter().take_while(|b| **b != b'\n').count(),
                _ => return,
            }
        }
    }

    fn word(&mut self) -> Result<Token<'a>, LexError> {
        let length = word_length(self.rest());
        // A word is ASCII, so both ends lie on character boundaries.
        match self.text.get(self.at..self.at + length) {
            Some(word) if length > 0 => {
                self.at += length;
                Ok(Token::Word(word))
            }
            _ => self.fail("a word, a number or a mark"),
        }
    }

    fn number(&mut self) -> Result<u128, LexError> {
        let (radix, prefix) = if self.rest().starts_with(b"0x") { (16, 2) } else { (10, 0) };
        let digits = &self.rest()[prefix..];
        let mut value: u128 = 0;
        let mut length = 0;
        while let Some(digit) = digits.get(length).and_then(|b| char::from(*b).to_digit(radix)) {
            value = match value.checked_mul(radix.into()).and_then(|v| v.checked_add(digit.into())) {
                Some(value) => value,
                None => return self.fail("a number of at most 128 bits"),
            };
            length += 1;
        }
        if length == 0 || word_length(&digits[length..]) > 0 {
            return self.fail("a number");
        }
        self.at += prefix + length;
        Ok(value)
    }

    /// The number behind `%` or `!`.
    fn sigil(&mut self) -> Result<u32, LexError> {
        self.at += 1;
        if !self.rest().first().is_some_and(u8::is_ascii_digit) {
            return self.fail("a number");
        }
        match self.number()?.try_into() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("a number of at most 32 bits"),
        }
    }

    fn quoted(&mut self) -> Result<Vec<u8>, LexError> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.rest() {
                [] | [b'\n', ..] => return self.fail("the closing quotation mark"),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(bytes);
                }
                [b'\\', c @ (b'"' | b'\\'), ..] => {
                    bytes.push(*c);
                    self.at += 2;
                }
                [b'\\', b'x', high, low, ..] => {
                    let digit = |b: &u8| char::from(*b).to_digit(16);
                    let Some((high, low)) = digit(high).zip(digit(low)) else {
                        return self.fail("two hexadecimal digits behind \\x");
                    };
                    bytes.push((high * 16 + low) as u8);
                    self.at += 4;
                }
                [b'\\', ..] => return self.fail("\\\", \\\\ or \\xNN"),
                [b, ..] => {
                    bytes.push(*b);
                    self.at += 1;
                }
            }
        }
    }
}
