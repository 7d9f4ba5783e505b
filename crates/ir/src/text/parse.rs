//! The parser's entry, its errors, and what all its parts share.

use super::keyword::Keyword;
use super::lex::{LexError, Lexer, Token};
use super::{numbered, type_named};
use crate::{LocId, Module, Reg, Ty, TypeId};

/// Why a text is no module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub expected: String,
    pub found: String,
}

/// Reads what [`super::print()`] wrote, or what a person did. The result is not verified.
///
/// # Errors
/// At the first place where the text leaves the format.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let start = Parser { lexer: Lexer::new(text), token: Token::End, at: 0 };
    start.module().map_err(|e| {
        let mut begin = e.at.min(text.len());
        while !text.is_char_boundary(begin) {
            begin -= 1;
        }
        let (before, after) = text.split_at(begin);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            expected: e.expected,
            found: excerpt(after),
        }
    })
}

/// What stands at the place of an error, cut short.
fn excerpt(after: &str) -> String {
    const LIMIT: usize = 24;
    let line = after.lines().next().unwrap_or_default().trim_end();
    if after.is_empty() {
        return "the end".to_owned();
    }
    if line.is_empty() {
        return "the end of the line".to_owned();
    }
    match line.char_indices().nth(LIMIT) {
        Some((cut, _)) => format!("`{}...`", &line[..cut]),
        None => format!("`{line}`"),
    }
}

/// An error before its place is turned into line and column.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) at: usize,
    pub(super) expected: String,
}

impl From<LexError> for Failure {
    fn from(e: LexError) -> Self {
        Failure { at: e.at, expected: e.expected.to_owned() }
    }
}

pub(super) type Parsed<T> = Result<T, Failure>;

/// Recursive descent with one token of lookahead. The grammar does not nest, so neither does the call stack.
pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    /// Byte offset of `token`.
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn advance(&mut self) -> Parsed<Token<'a>> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    pub(super) fn fail<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        fail_at(self.at, expected)
    }

    pub(super) fn eat(&mut self, mark: &'static str) -> Parsed<bool> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: &'static str) -> Parsed<()> {
        if self.eat(mark)? { Ok(()) } else { self.fail(format!("`{mark}`")) }
    }

    pub(super) fn eat_word(&mut self, word: &'static str) -> Parsed<bool> {
        let found = self.token == Token::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn word(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_word(word)? { Ok(()) } else { self.fail(format!("`{word}`")) }
    }

    pub(super) fn eat_keyword<K: Keyword>(&mut self) -> Parsed<Option<K>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let found = K::from_word(word);
        if found.is_some() {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn keyword<K: Keyword>(&mut self) -> Parsed<K> {
        match self.eat_keyword()? {
            Some(found) => Ok(found),
            None => self.fail(K::WHAT),
        }
    }

    /// Items with commas between, up to `close`, which is read as well.
    pub(super) fn list_until<T>(
        &mut self,
        close: &'static str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close)? {
                return Ok(items);
            }
            if !self.eat(",")? {
                return self.fail(format!("`,` or `{close}`"));
            }
        }
    }

    pub(super) fn quoted(&mut self, what: &'static str) -> Parsed<Vec<u8>> {
        match &mut self.token {
            Token::Quoted(bytes) => {
                let bytes = std::mem::take(bytes);
                self.advance()?;
                Ok(bytes)
            }
            _ => self.fail(what),
        }
    }

    pub(super) fn string(&mut self, what: &'static str) -> Parsed<String> {
        let at = self.at;
        let bytes = self.quoted(what)?;
        String::from_utf8(bytes).or_else(|_| fail_at(at, "a string in UTF-8"))
    }

    pub(super) fn eat_name(&mut self) -> Parsed<Option<String>> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(Some(word.to_owned()))
            }
            Token::Quoted(_) => self.string("a name").map(Some),
            _ => Ok(None),
        }
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.eat_name()? {
            Some(name) => Ok(name),
            None => self.fail("a name"),
        }
    }

    /// An unsigned number that fits `T`.
    pub(super) fn number<T: TryFrom<u128>>(&mut self, what: &'static str) -> Parsed<T> {
        match self.token {
            Token::Number(value) => match T::try_from(value) {
                Ok(value) => {
                    self.advance()?;
                    Ok(value)
                }
                Err(_) => self.fail(format!("{what} of at most {} bits", size_of::<T>() * 8)),
            },
            _ => self.fail(what),
        }
    }

    /// The magnitude of a signed number, its sign already read.
    pub(super) fn magnitude(&mut self, negative: bool) -> Parsed<i64> {
        let at = self.at;
        let value: u64 = self.number("a number")?;
        let value = if negative { -i128::from(value) } else { i128::from(value) };
        i64::try_from(value).or_else(|_| fail_at(at, "a signed number of at most 64 bits"))
    }

    pub(super) fn signed(&mut self) -> Parsed<i64> {
        let negative = self.eat("-")?;
        self.magnitude(negative)
    }

    /// The number of an id such as `T3`, if one follows.
    pub(super) fn eat_id(&mut self, prefix: &'static str) -> Parsed<Option<usize>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let Some(number) = numbered(prefix, word) else { return Ok(None) };
        self.advance()?;
        Ok(Some(number as usize))
    }

    pub(super) fn id(&mut self, prefix: &'static str, what: &'static str) -> Parsed<usize> {
        match self.eat_id(prefix)? {
            Some(id) => Ok(id),
            None => self.fail(what),
        }
    }

    pub(super) fn eat_type_id(&mut self) -> Parsed<Option<TypeId>> {
        Ok(self.eat_id("T")?.map(TypeId::new))
    }

    pub(super) fn type_id(&mut self) -> Parsed<TypeId> {
        self.id("T", "a debug type such as `T3`").map(TypeId::new)
    }

    /// The optional name behind an id, which says nothing that the id does not.
    pub(super) fn skip_label(&mut self) -> Parsed<()> {
        if self.eat(":")? {
            self.name()?;
        }
        Ok(())
    }

    pub(super) fn eat_ty(&mut self) -> Parsed<Option<Ty>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let ty = type_named(word);
        if ty.is_some() {
            self.advance()?;
        }
        Ok(ty)
    }

    pub(super) fn ty(&mut self) -> Parsed<Ty> {
        match self.eat_ty()? {
            Some(ty) => Ok(ty),
            None => self.fail("a type such as `i32` or `ptr`"),
        }
    }

    pub(super) fn reg(&mut self) -> Parsed<Reg> {
        match self.token {
            Token::Reg(number) => {
                self.advance()?;
                Ok(Reg::new(number as usize))
            }
            _ => self.fail("a register such as `%3`"),
        }
    }

    pub(super) fn eat_location(&mut self) -> Parsed<Option<LocId>> {
        match self.token {
            Token::Loc(number) => {
                self.advance()?;
                Ok(Some(LocId::new(number as usize)))
            }
            _ => Ok(None),
        }
    }
}

pub(super) fn fail_at<T>(at: usize, expected: impl Into<String>) -> Parsed<T> {
    Err(Failure { at, expected: expected.into() })
}
