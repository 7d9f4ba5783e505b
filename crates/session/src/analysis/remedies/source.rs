//! A C file as text and as a tree of its statements.

use std::ops::Range;
use std::path::PathBuf;
use tree_sitter::{Node, Parser, Tree};

/// A source file.
pub(super) struct Source {
    /// As reports name it.
    pub file: String,
    pub path: PathBuf,
    pub text: String,
    tree: Tree,
}

impl Source {
    /// None where it cannot be read, or is no text.
    pub(super) fn read(file: &str, path: PathBuf) -> Option<Self> {
        let text = std::fs::read_to_string(&path).ok()?;
        Source::of(file, path, text)
    }

    fn of(file: &str, path: PathBuf, text: String) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&text, None)?;
        Some(Source { file: file.to_owned(), path, text, tree })
    }

    /// The byte at a line and a column, as compilers count them.
    pub(super) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let begin: usize = self.text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum();
        let offset = begin.checked_add(column.checked_sub(1)? as usize)?;
        (offset < self.text.len()).then_some(offset)
    }

    pub(super) fn text_of(&self, node: Node) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The definition of a function that all these bytes are in, if it has that name and was understood.
    pub(super) fn function(&self, name: &str, offsets: &[usize]) -> Option<Node<'_>> {
        let mut node = self.at(*offsets.first()?)?;
        while node.kind() != "function_definition" {
            node = node.parent()?;
        }
        let is_inside = offsets.iter().all(|offset| node.byte_range().contains(offset));
        let declared = declared_name(node.child_by_field_name("declarator")?)?;
        (is_inside && self.text_of(declared) == name && !node.has_error()).then_some(node)
    }

    /// The innermost node at a byte.
    pub(super) fn at(&self, offset: usize) -> Option<Node<'_>> {
        self.tree.root_node().descendant_for_byte_range(offset, offset + 1)
    }

    /// The expression in front of a member that is named at a byte, or by what begins there: as a pointer.
    pub(super) fn owner_of(&self, offset: usize, member: &str) -> Option<String> {
        let mut node = self.at(offset)?;
        loop {
            if node.kind() == "field_expression"
                && let (Some(argument), Some(field)) =
                    (node.child_by_field_name("argument"), node.child_by_field_name("field"))
                && self.text_of(field) == member
                && (field.start_byte() == offset || node.start_byte() == offset)
            {
                let argument_text = self.text_of(argument);
                let simple = ["identifier", "subscript_expression", "field_expression", "call_expression"];
                let text = if simple.contains(&argument.kind()) || argument.kind() == "parenthesized_expression" {
                    argument_text.to_owned()
                } else {
                    format!("({argument_text})")
                };
                let operator = node.child_by_field_name("operator")?;
                return Some(if self.text_of(operator) == "->" { text } else { format!("(&{text})") });
            }
            node = node.parent().filter(|parent| parent.kind().ends_with("expression"))?;
        }
    }

    /// The first argument of the call that begins at a byte.
    pub(super) fn argument_of(&self, offset: usize) -> Option<&str> {
        let mut node = self.at(offset)?;
        while node.kind() != "call_expression" || node.start_byte() != offset {
            node = node.parent()?;
        }
        node.child_by_field_name("arguments")?.named_child(0).map(|argument| self.text_of(argument))
    }

    /// The blanks that a line begins with.
    pub(super) fn indent(&self, offset: usize) -> &str {
        let begin = self.line_begin(offset);
        let line = &self.text[begin..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    pub(super) fn line_begin(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Whether nothing but blanks stands before it on its line.
    pub(super) fn begins_line(&self, offset: usize) -> bool {
        self.text[self.line_begin(offset)..offset].trim().is_empty()
    }

    /// Behind the rest of a line, if that is a comment.
    pub(super) fn behind_comment(&self, offset: usize) -> usize {
        let rest = self.text[offset..].split('\n').next().unwrap_or_default();
        let comment = rest.trim();
        let is_one = comment.starts_with("//") || comment.starts_with("/*") && comment.ends_with("*/");
        if is_one { offset + rest.trim_end().len() } else { offset }
    }

    /// The line, from 1, and the column, from 0.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let begin = self.line_begin(offset);
        (self.text[..begin].matches('\n').count() + 1, offset - begin)
    }

    /// A range of lines as a whole, if nothing else stands there.
    pub(super) fn whole_lines(&self, range: Range<usize>) -> Range<usize> {
        let rest = &self.text[range.end..];
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        match self.begins_line(range.start) && rest[..end].trim().is_empty() {
            true => self.line_begin(range.start)..range.end + end,
            false => range,
        }
    }
}

/// The name in a declarator.
pub(super) fn declared_name(mut declarator: Node) -> Option<Node> {
    while !matches!(declarator.kind(), "identifier" | "field_identifier") {
        declarator = declarator.child_by_field_name("declarator")?;
    }
    Some(declarator)
}

/// All nodes below one, itself first, that are not in a function of their own.
pub(super) fn below(node: Node<'_>) -> Vec<Node<'_>> {
    let mut all = vec![node];
    let mut next = 0;
    while next < all.len() {
        let mut cursor = all[next].walk();
        let children: Vec<Node> = all[next].named_children(&mut cursor).collect();
        all.extend(children);
        next += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::of("a.c", PathBuf::new(), text.to_owned()).expect("it is C")
    }

    #[test]
    fn owners_are_what_stands_before_a_member() {
        let text = "void f(struct s *p) { p->a = p->q[1]->b.zz; (*p).a = 1; }";
        let source = source(text);
        let owner = |member: &str, nth: usize| {
            let at = text.match_indices(member).nth(nth).expect("it is there").0;
            source.owner_of(at, member)
        };
        assert_eq!(owner("a", 0).as_deref(), Some("p"));
        assert_eq!(owner("b", 0).as_deref(), Some("p->q[1]"));
        assert_eq!(owner("zz", 0).as_deref(), Some("(&p->q[1]->b)"));
        assert_eq!(owner("a", 1).as_deref(), Some("(&(*p))"));
        assert_eq!(owner("q", 0).as_deref(), Some("p"));
    }

    #[test]
    fn functions_are_found_by_what_is_in_them() {
        let text = "int f(void)\n{\n    return 1;\n}\nstatic int *g(int a) { return 0; }\n";
        let source = source(text);
        let at = |line, column| source.offset(line, column).expect("it is there");
        assert!(source.function("f", &[at(3, 5)]).is_some());
        assert!(source.function("g", &[at(5, 24)]).is_some());
        assert!(source.function("g", &[at(3, 5)]).is_none());
        assert!(source.function("f", &[at(3, 5), at(5, 24)]).is_none());
        assert_eq!(source.place(at(3, 5)), (3, 4));
        assert_eq!(source.offset(9, 1), None);
    }
}
