//! Where statements and calls stand in a source, by the positions that compilers give.

use tree_sitter::{Node, Parser, Tree};

/// A source as a tree, and what its line markers call its lines (C11 6.10.4, and as preprocessors write them).
pub(super) struct Source {
    /// As the user typed it.
    pub name: String,
    text: String,
    tree: Tree,
    /// Of each line: the file that it says that it is of, none for this one, the line there, and the byte at which it begins.
    lines: Vec<(Option<String>, u32, usize)>,
}

/// From 1.
pub(super) type Place = (usize, usize);

impl Source {
    /// None where the text cannot be read as C.
    pub(super) fn of(name: &str, text: String) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&text, None)?;
        let lines = lines(&text);
        Some(Source { name: name.to_owned(), text, tree, lines })
    }

    /// The beginning of the statement, or of the full expression (C11 6.8p4), that a position of a compiler's is in.
    pub(super) fn statement(&self, file: &str, line: u32, column: u32) -> Option<Place> {
        self.offsets(file, line, column).find_map(|offset| {
            let mut node = self.at(offset)?;
            while !node.parent().is_some_and(|parent| is_around(parent, node)) {
                node = node.parent()?;
            }
            let first = if node.kind() == "parenthesized_expression" { node.named_child(0)? } else { node };
            Some(self.place(first.start_byte()))
        })
    }

    /// The closing parenthesis of the call that begins at a position, if the name of what it calls is like that.
    pub(super) fn call(
        &self,
        (file, line, column): (&str, u32, u32),
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<(Place, &str)> {
        self.offsets(file, line, column).find_map(|offset| {
            let mut node = self.at(offset)?;
            while node.kind() != "call_expression" || node.start_byte() != offset {
                node = node.parent().filter(|parent| parent.start_byte() == offset)?;
            }
            let name = self.text.get(node.child_by_field_name("function")?.byte_range())?;
            let end = node.child_by_field_name("arguments")?.end_byte().checked_sub(1)?;
            is_wanted(name).then(|| (self.place(end), name))
        })
    }

    /// The bytes that a position may mean: lines of macros that were replaced have the same number several times.
    fn offsets(&self, file: &str, line: u32, column: u32) -> impl Iterator<Item = usize> {
        let is_it = move |(of, number, _): &&(Option<String>, u32, usize)| {
            *number == line && is_same(of.as_deref().unwrap_or(&self.name), file)
        };
        let column = (column.max(1) - 1) as usize;
        let offsets = self.lines.iter().filter(is_it).map(move |(.., begin)| begin + column);
        offsets.filter(|&offset| offset < self.text.len()).collect::<Vec<_>>().into_iter()
    }

    fn at(&self, offset: usize) -> Option<Node<'_>> {
        self.tree.root_node().descendant_for_byte_range(offset, offset + 1)
    }

    fn place(&self, offset: usize) -> Place {
        let line = self.lines.partition_point(|(.., begin)| *begin <= offset);
        let begin = self.lines.get(line - 1).map_or(0, |(.., begin)| *begin);
        (line, offset - begin + 1)
    }
}

/// Whether one path is the end of the other.
fn is_same(one: &str, other: &str) -> bool {
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    ends(one, other) || ends(other, one)
}

fn lines(text: &str) -> Vec<(Option<String>, u32, usize)> {
    let (mut file, mut number, mut begin) = (None, 1, 0);
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        match marker(line) {
            Some((next, named)) => {
                // Nothing of a marker's own line is in any file.
                found.push((file.clone(), 0, begin));
                number = next;
                file = named.or(file);
            }
            None => {
                found.push((file.clone(), number, begin));
                number += 1;
            }
        }
        begin += line.len();
    }
    found
}

/// What a line marker says of the next line: its number, and its file, if that is named.
fn marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    let file = rest[end..].trim_start().strip_prefix('"').and_then(|quoted| quoted.split('"').next());
    Some((number, file.map(str::to_owned)))
}

/// Whether a node is a statement of this one, or an expression of it that is no part of another.
fn is_around(parent: Node, node: Node) -> bool {
    match parent.kind() {
        "compound_statement" | "case_statement" | "labeled_statement" | "else_clause" | "translation_unit" => true,
        "if_statement" | "while_statement" | "do_statement" | "switch_statement" | "for_statement" => true,
        // Statements between `#if` and `#endif`; the condition is none.
        kind if kind.starts_with("preproc_") => node.kind().ends_with("_statement") || node.kind() == "declaration",
        _ => node.kind() == "function_definition",
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    const TEXT: &str = "int x, y;\n\
        # 7 \"dir/other.c\" 2\n\
        int f(int n) {\n\
        \x20 if (n > x) y = (1 + g(n, \")\")); else x = 2;\n\
        \x20 for (int i = 0; i < x; i++) y += x;\n\
        \x20 return x;\n\
        }\n";

    #[test]
    fn statements_and_full_expressions() {
        let source = Source::of("a.i", TEXT.to_owned()).expect("C");
        let statement = |line, column| source.statement("other.c", line, column);
        assert_eq!(statement(8, 11), Some((4, 7)), "the condition");
        assert_eq!(statement(8, 16), Some((4, 14)), "y = ...");
        assert_eq!(statement(8, 21), Some((4, 14)));
        assert_eq!(statement(8, 43), Some((4, 40)), "x = 2");
        assert_eq!(statement(9, 23), Some((5, 19)), "i < x");
        assert_eq!(statement(9, 36), Some((5, 31)), "y += x");
        assert_eq!(statement(10, 10), Some((6, 3)));
        assert_eq!(source.statement("a.i", 8, 11), None, "no line of this file");
        assert_eq!(source.statement("a.i", 1, 5), Some((1, 1)));
    }

    #[test]
    fn statements_that_are_compiled_or_not() {
        let text = "int x;\nvoid f(void)\n{\n#ifdef a\n    x = 1;\n#else\n    x = 2;\n#endif\n}\n";
        let source = Source::of("a.c", text.to_owned()).expect("C");
        assert_eq!(source.statement("a.c", 5, 7), Some((5, 5)));
        assert_eq!(source.statement("a.c", 7, 7), Some((7, 5)));
    }

    #[test]
    fn calls_end_with_a_parenthesis() {
        let source = Source::of("a.i", TEXT.to_owned()).expect("C");
        assert_eq!(source.call(("dir/other.c", 8, 23), |name| name == "g"), Some(((4, 31), "g")));
        assert_eq!(source.call(("dir/other.c", 8, 23), |name| name == "h"), None);
        assert_eq!(source.call(("dir/other.c", 8, 7), |_| true), None, "no call begins there");
    }
}
