//! What a finding says, whatever else changes around it: by that it is known again in a later version of the program.
//!
//! It is made of what is wrong, and for each of its places of the function, what is done there and to which member, and the line, in
//! which names of variables count only by where they stand. So it depends neither on lines and directories, nor on inputs, heaps and
//! schedules, nor on how locals are called. Findings may agree in all of it: then it is their number that counts.

use crate::{Access, Finding, Location, Sources};

/// The way in which contents are made; a change of what goes in makes a new one.
const VERSION: u32 = 1;

/// Of a finding: the version, a colon, hexadecimal digits.
pub(crate) fn of(finding: &Finding, sources: &dyn Sources) -> String {
    let place = |at: &Location| {
        let line = sources.line(&at.file, at.line).unwrap_or_default();
        vec![at.function.clone(), without_names(&line)]
    };
    let side = |access: &Access| {
        // A variable of a function is called as its author likes.
        let member = access.field.clone().filter(|_| !access.automatic).unwrap_or_default();
        [place(&access.location), vec![access.in_words().to_owned(), member]].concat()
    };
    let mut places: Vec<Vec<String>> = match (finding.accesses.as_slice(), finding.blocked.as_slice()) {
        ([], []) => vec![place(&finding.location)],
        ([], blocked) => blocked.iter().map(|blocked| place(&blocked.location)).collect(),
        (accesses, _) => accesses.iter().map(side).collect(),
    };
    // Which thread is the first says nothing.
    places.sort();
    let mut hasher = blake3::Hasher::new();
    let kind = [finding.kind.name(), finding.class.unwrap_or_default()];
    for part in kind.into_iter().chain(places.iter().flatten().map(String::as_str)) {
        // Delimited, so that no two lists of parts are one text.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("{VERSION}:{}", &hasher.finalize().to_hex()[..32])
}

/// Whether a content was made in this way.
pub(crate) fn is_of_this_version(content: &str) -> bool {
    content.split_once(':').is_some_and(|(version, _)| version == VERSION.to_string())
}

/// Words that are no names of variables.
const KEPT: &[&str] = &[
    "_Atomic", "_Bool", "alignas", "auto", "bool", "break", "case", "char", "class", "const", "continue", "default",
    "delete", "do", "double", "else", "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long",
    "new", "nullptr", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "this", "true", "typedef", "typeof", "union", "unsigned", "void", "volatile", "while",
];

/// A line of C without spacing and comments, with a number for each variable, in the order in which they come. Members, tags, what is called,
/// and constants by their spelling (`NULL`, `MAX_SIZE`) keep their names.
fn without_names(line: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut text = String::new();
    let mut rest = line;
    let mut is_tag = false;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            continue;
        }
        let length = match first {
            '"' | '\'' => literal(rest, first),
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        if first.is_whitespace() {
            continue;
        }
        let is_name = first.is_alphabetic() || first == '_';
        let is_member = text.ends_with('.') || text.ends_with("->");
        let is_called = after.trim_start().starts_with('(');
        let is_constant = word.len() > 1 && !word.contains(|c: char| c.is_lowercase());
        if !is_name || is_member || is_called || is_constant || is_tag || KEPT.contains(&word) {
            text.push_str(word);
        } else {
            let number = names.iter().position(|name| *name == word).unwrap_or_else(|| {
                names.push(word);
                names.len() - 1
            });
            text.push_str(&format!("${number}"));
        }
        is_tag = matches!(word, "struct" | "union" | "enum");
        if KEPT.contains(&word) {
            text.push(' ');
        }
    }
    text
}

/// The length of a literal with its quotes; to the end of the line where it has none.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_names_and_spacing_alone_are_alike() {
        for (one, other) in [
            ("  n->next = head;", "\tnode -> next=top; // on"),
            ("if (x != NULL) x->count++;", "if (y != NULL)   y->count++; /* a */"),
            ("struct node *n = list->first;", "struct node* m = l->first;"),
            ("f(a, b, a);", "f(x, y, x);"),
            ("use('\"', x);", "use('\"', y);"),
        ] {
            assert_eq!(without_names(one), without_names(other), "{one}");
        }
    }

    #[test]
    fn lines_that_do_something_else_differ() {
        for (one, other) in [
            ("n->next = head;", "n->prev = head;"),
            ("f(a, b, a);", "f(a, b, b);"),
            ("f(a);", "g(a);"),
            ("x = 1;", "x = 2;"),
            ("x = MAX;", "x = MIN;"),
            ("struct node n;", "struct edge n;"),
            ("puts(\"a\");", "puts(\"b\");"),
            ("a = b;", "a += b;"),
            ("return x;", "returnx;"),
        ] {
            assert_ne!(without_names(one), without_names(other), "{one}");
        }
    }
}
