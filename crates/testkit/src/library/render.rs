//! Writes a library as C11 and, in the same walk, translates it for the oracle; see `program::render` for why.
//!
//! Lines hold one access each, except `a->next = b->next`, `*a = *b` and `l->count++` (a read and a write): a race is named
//! by line and kind, which tells the two apart.

mod members;
mod names;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use self::names::{int_name, node_name, order_names, pointer_name};
use super::ast::*;
use super::code::{Code, Instr, IntOperand, IntReg, LockSlot, Op, POINTER_SCRATCH, Pc, PtrOperand, PtrReg, Slot};

/// The C11 source of `library`.
pub fn render(library: &Library) -> String {
    translate(library).source
}

pub(super) struct Translation {
    pub(super) source: String,
    pub(super) operations: Vec<Code>,
    /// Of [`Makers::make`].
    pub(super) make: Code,
    /// Where [`Makers::destroy`] destroys the lock.
    pub(super) destroy_line: u32,
    /// Lines that lock, unlock or initialise a lock.
    pub(super) lock_lines: BTreeSet<u32>,
}

const V: IntReg = IntReg(0);
const KEY: IntReg = IntReg(1);
const NODE_FIELDS: [&str; MAX_LINKS] = ["next", "other"];

pub(super) fn translate(library: &Library) -> Translation {
    let mut writer = Writer {
        library,
        source: String::new(),
        next_line: 1,
        indent: 0,
        lock_lines: BTreeSet::new(),
        helpers: Helpers::default(),
        code: Vec::new(),
        result: "v",
    };
    writer.types();
    writer.helpers();
    writer.globals();
    let operations = (0..library.operations.len()).map(|index| writer.operation(index)).collect();
    let (make, destroy_line) = writer.makers();
    Translation { source: writer.source, operations, make, destroy_line, lock_lines: writer.lock_lines }
}

struct Writer<'a> {
    library: &'a Library,
    source: String,
    next_line: u32,
    indent: usize,
    lock_lines: BTreeSet<u32>,
    /// Lines of the functions that operations call.
    helpers: Helpers,
    /// Of the operation being written.
    code: Code,
    /// What it returns where it has nothing else to return: a node, or a number.
    result: &'static str,
}

/// The lines on which functions that operations call access a node.
#[derive(Default)]
struct Helpers {
    value_of: u32,
    scan: u32,
    visit0: u32,
    visit1: u32,
}

impl Writer<'_> {
    /// Writes one line and returns its number.
    fn line(&mut self, text: &str) -> u32 {
        if !text.is_empty() {
            let width = 4 * self.indent;
            // Writing to a string cannot fail.
            let _ = write!(self.source, "{:width$}{text}", "");
        }
        self.source.push('\n');
        self.next_line += 1;
        self.next_line - 1
    }

    fn open(&mut self, text: &str) -> u32 {
        let line = self.line(text);
        self.indent += 1;
        line
    }

    fn close(&mut self, text: &str) -> u32 {
        self.indent -= 1;
        self.line(text)
    }

    fn push(&mut self, line: u32, op: Op) -> Pc {
        self.code.push(Instr { op, line });
        Pc(self.code.len() as u16 - 1)
    }

    fn here(&self) -> Pc {
        Pc(self.code.len() as u16)
    }

    fn land(&mut self, at: Pc) {
        let here = self.here();
        let op = &mut self.code[usize::from(at.0)].op;
        *op.target().expect("what lands somewhere jumps") = here;
    }

    fn types(&mut self) {
        // Mutexes are part of POSIX, not of what `-std=c11` alone declares.
        self.line("#define _XOPEN_SOURCE 700");
        self.line("#include <pthread.h>");
        if self.library.scans(Scan::LengthAt) {
            self.line("#include <stddef.h>");
        }
        if self.library.flags() {
            self.line("#include <stdint.h>");
        }
        self.line("#include <stdlib.h>");
        if self.library.scans(Scan::Length) || self.library.scans(Scan::LengthAt) {
            self.line("#include <string.h>");
        }
        self.line("");
        if self.library.any(|stmt| matches!(stmt.cond(), Some(Cond::Takes { timed: true, .. }))) {
            self.line("static const struct timespec soon = { 0, 1 };");
            self.line("");
        }
        self.open("struct node {");
        let links = NODE_FIELDS[..usize::from(self.library.links)].iter().map(|field| format!("struct node *{field};"));
        let links: Vec<String> = if self.library.flexible { Vec::new() } else { links.collect() };
        // The last string ends where the node does, if there is no lock.
        let fields = match self.library.texts() {
            true => [links, ["int key;", "char name[2];", "char tag[2];"].map(str::to_owned).to_vec()].concat(),
            false => [vec!["int key;".to_owned()], links].concat(),
        };
        for field in &fields {
            self.line(field);
        }
        if self.library.node_locks {
            self.line("pthread_mutex_t lock;");
        }
        if self.library.flexible {
            self.line("struct node *link[];");
        }
        self.close("};");
        self.line("");
        if self.library.makers.derived {
            self.open("struct item {");
            self.line("struct node node;");
            self.line("int more;");
            self.close("};");
            self.line("");
        }
        if self.library.own == Own::ByValue {
            self.open("struct view {");
            for member in ["short tag;", "int k;", "struct node *at;"] {
                self.line(member);
            }
            self.close("};");
            self.line("");
        }
        if self.library.roots.has_owner() {
            self.open("struct list {");
            self.line("pthread_mutex_t lock;");
            self.line("struct node *head;");
            self.line("unsigned count;");
            self.owner_members();
            self.close("};");
            self.line("");
        }
    }

    /// Functions that take or return whole nodes, that are called by pointers, and that call those.
    fn helpers(&mut self) {
        let library = self.library;
        let passes = |how| library.any(|stmt| matches!(stmt, Stmt::ReadWhole { passing, .. } if *passing == how));
        if passes(Passing::Returned) {
            self.helpers.value_of = self.function("static struct node value_of(const struct node *n)", &["return *n;"]);
        }
        if passes(Passing::Argument) {
            self.function("static int key_of(struct node c)", &["return c.key;"]);
        }
        if library.flags() {
            let plain = "return (struct node *)((uintptr_t)n & ~(uintptr_t)1);";
            self.function("static struct node *plain(struct node *n)", &[plain]);
            self.function("static int is_flagged(struct node *n)", &["return (uintptr_t)n & 1;"]);
        }
        if library.sets_flags() {
            let flagged = "return (struct node *)((uintptr_t)n | 1);";
            self.function("static struct node *flagged(struct node *n)", &[flagged]);
        }
        if library.scans(Scan::Call) {
            self.helpers.scan = self.function("static void scan(const char *s)", &["for (; *s; s++) {}"]);
        }
        let calls = library.any(|stmt| matches!(stmt, Stmt::Each { .. }));
        if calls || library.visits() {
            self.helpers.visit0 = self.function("int visit0(struct node *n, int k)", &["return n->key;"]);
            self.helpers.visit1 = self.function("int visit1(struct node *n, int k)", &["n->key = k;", "return k;"]);
            // A pointer may lead to any function whose address is taken.
            self.line("int (*const visitors[])(struct node *, int) = { visit0, visit1 };");
            self.line("");
        }
        if calls {
            let head = "static int each(struct node *n, int (*visit)(struct node *, int), int k)";
            self.function(head, &["return visit(n, k);"]);
        }
    }

    /// Writes a function; the line of its first statement.
    fn function(&mut self, head: &str, body: &[&str]) -> u32 {
        self.line(head);
        self.open("{");
        let first = self.next_line;
        for statement in body {
            self.line(statement);
        }
        self.close("}");
        self.line("");
        first
    }

    fn globals(&mut self) {
        match self.library.roots {
            Roots::OwnerParam => return,
            Roots::OwnerGlobals(count) => {
                for index in 0..count {
                    let cond = if self.library.waits() { ", .cond = PTHREAD_COND_INITIALIZER" } else { "" };
                    self.line(&format!("static struct list g{index} = {{ .lock = PTHREAD_MUTEX_INITIALIZER{cond} }};"));
                }
            }
            Roots::NodeParam | Roots::NodeGlobals(_) => {
                for index in 0..self.library.roots.pointers() {
                    self.line(&format!("static struct node *head{index};"));
                }
                for index in 0..self.library.roots.locks() {
                    // An unused static lock would only be noise.
                    let lock = LockRef::Root(RootId(index as u8));
                    if self.library.any(|stmt| *stmt == Stmt::Lock(lock) || *stmt == Stmt::Unlock(lock)) {
                        self.line(&format!("static pthread_mutex_t lock{index} = PTHREAD_MUTEX_INITIALIZER;"));
                    }
                    if self.library.waits() {
                        self.line(&format!("static pthread_cond_t cond{index} = PTHREAD_COND_INITIALIZER;"));
                    }
                }
            }
        }
        self.line("");
    }

    fn operation(&mut self, index: usize) -> Code {
        let untyped = self.library.makers.untyped;
        let root = match self.library.roots {
            Roots::OwnerParam if untyped => "void *list, ",
            Roots::OwnerParam => "struct list *l, ",
            Roots::NodeParam if untyped => "void *node, ",
            Roots::NodeParam => "struct node *n, ",
            Roots::OwnerGlobals(_) | Roots::NodeGlobals(_) => "",
        };
        let given = match self.library.own {
            Own::None => "int k",
            Own::Private | Own::Alone if untyped => "void *own, int k",
            Own::Private | Own::Alone => "struct node *o, int k",
            Own::ByValue => "struct view w",
        };
        self.result = match self.library.makers.returns(index) {
            true if self.library.gives_by_out() => "*out = p, 0",
            true => "p",
            false => "v",
        };
        let (returned, out) = match self.result {
            "p" if untyped => ("void *", ""),
            "p" => ("struct node *", ""),
            "v" => ("int ", ""),
            _ if untyped => ("int ", ", void **out"),
            _ => ("int ", ", struct node **out"),
        };
        let (key, reads): (_, &[&str]) = match self.library.makers.key {
            Key::None => ("", &[]),
            Key::Numbers => (", const int *key", &["k += key[3];"]),
            Key::Bytes => {
                (", const void *key", &["const unsigned char *bytes = key;", "k += bytes[0] + *(bytes + 5);"])
            }
            Key::Text => (", const char *key", &[]),
        };
        self.line(&format!("{returned}op{index}({root}{given}{key}{out})"));
        self.open("{");
        if root.starts_with("void *list") {
            self.line("struct list *l = list;");
        }
        if root.starts_with("void *node") {
            self.line("struct node *n = node;");
        }
        if given.starts_with("void") {
            self.line("struct node *o = own;");
        }
        if self.library.own == Own::ByValue {
            self.line("struct node *o = w.at;");
            self.line("int k = w.k;");
        }
        reads.iter().for_each(|line| _ = self.line(line));
        self.line("struct node *p = NULL, *q = NULL, *t = NULL;");
        self.line("int v = 0;");
        if self.library.tallies {
            self.line("int tally = 0;");
        }
        self.further_variables(index);
        if self.library.makers.key == Key::Text {
            let nothing = if self.result == "v" { "0" } else { self.result };
            self.line(&format!("if (!*key) return {nothing};"));
        }
        let library = self.library;
        self.stmts(&library.operations[index]);
        let result = if self.result == "v" { "0" } else { self.result };
        let line = self.line(&format!("return {result};"));
        self.push(line, Op::Return);
        self.close("}");
        self.line("");
        std::mem::take(&mut self.code)
    }

    /// Functions that make objects and end them.
    fn makers(&mut self) -> (Code, u32) {
        let Makers { init, create, destroy, make, by_out, untyped, derived, .. } = self.library.makers;
        let taken = if untyped { "void *list" } else { "struct list *l" };
        let typed: &[&str] = if untyped { &["struct list *l = list;"] } else { &[] };
        let mut members = vec!["pthread_mutex_init(&l->lock, NULL);"];
        members.extend(self.initialised_members());
        members.extend(["l->head = NULL;", "l->count = 0;"]);
        if init {
            self.function(&format!("void init({taken})"), &[typed, members.as_slice()].concat());
        }
        if create {
            let list = if untyped { "void" } else { "struct list" };
            let (declared, gives): (_, &[&str]) = match by_out {
                true => (format!("int create({list} **out)"), &["*out = l;", "return 0;"]),
                false => (format!("{list} *create(void)"), &["return l;"]),
            };
            let body = [&["struct list *l = malloc(sizeof *l);"], members.as_slice(), gives].concat();
            self.function(&declared, &body);
        }
        let mut destroy_line = 0;
        if destroy {
            let free: &[&str] = if create { &["free(l);"] } else { &[] };
            let body = [typed, &["pthread_mutex_destroy(&l->lock);"], free].concat();
            destroy_line = self.function(&format!("void destroy({taken})"), &body) + typed.len() as u32;
        }
        if make {
            let node = match (derived, untyped) {
                (true, false) => "struct item",
                (false, false) => "struct node",
                (_, true) => "void",
            };
            let declared = match by_out {
                true => format!("int make(int k, {node} **out)"),
                false => format!("{node} *make(int k)"),
            };
            self.line(&declared);
            self.open("{");
            self.line("struct node *t;");
            self.new_node(Pointer(2), Int::K, Node::Null);
            let made = if derived { "(struct item *)t" } else { "t" };
            let line = self.line(&if by_out { format!("return *out = {made}, 0;") } else { format!("return {made};") });
            self.push(line, Op::Return);
            self.close("}");
        }
        (std::mem::take(&mut self.code), destroy_line)
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Follow { .. } | Stmt::Copy { .. } | Stmt::Link { .. } | Stmt::Relink { .. } => self.linking(stmt),
            Stmt::ReadKey { node } => {
                let line = self.line(&format!("v = {}->key;", node_name(*node)));
                self.push(line, Op::LoadKey { node: operand(*node), dst: V, order: None });
            }
            Stmt::WriteKey { node, int } => {
                let line = self.line(&format!("{}->key = {};", node_name(*node), int_name(*int)));
                self.push(line, Op::StoreKey { node: operand(*node), value: int_operand(*int) });
            }
            Stmt::Count { root, up } => {
                let sign = if *up { "++" } else { "--" };
                let line = self.line(&format!("{}count{sign};", self.owner(*root)));
                self.push(line, Op::LoadCount(*root));
                self.push(line, Op::StoreCount(*root));
            }
            Stmt::Lock(lock) => self.lock(*lock, "lock", Op::Lock(lock_slot(*lock))),
            Stmt::Unlock(lock) => self.lock(*lock, "unlock", Op::Unlock(lock_slot(*lock))),
            Stmt::New { dst, key, next } => self.new_node(*dst, *key, *next),
            Stmt::Free { node } => {
                let line = self.line(&format!("free({});", node_name(*node)));
                self.push(line, Op::Free(operand(*node)));
            }
            Stmt::AtomicFollow { .. }
            | Stmt::AtomicLink { .. }
            | Stmt::Exchange { .. }
            | Stmt::AtomicReadKey { .. }
            | Stmt::ExchangeKey { .. } => self.atomic(stmt),
            Stmt::ReadWhole { .. } | Stmt::CopyWhole { .. } | Stmt::Visit { .. } | Stmt::Each { .. } => {
                self.whole_or_visited(stmt);
            }
            Stmt::SetMark { .. } | Stmt::FollowMark { .. } | Stmt::ReadMarked | Stmt::WriteMarked { .. } => {
                self.marking(stmt);
            }
            Stmt::CallBack { .. } | Stmt::ClearCallback { .. } => self.calling_back(stmt),
            Stmt::Scan { .. } | Stmt::WriteByte { .. } => self.text(stmt),
            Stmt::Flag { node, sets } => self.flag(*node, *sets),
            Stmt::Wait(root) => {
                let (cond, lock) = (self.cond_variable(*root), self.lock_name(LockRef::Root(*root)));
                let line = self.line(&format!("pthread_cond_wait(&{cond}, &{lock});"));
                self.lock_lines.insert(line);
                self.push(line, Op::Wait(*root));
            }
            Stmt::Signal { root, all } => {
                let verb = if *all { "broadcast" } else { "signal" };
                let line = self.line(&format!("pthread_cond_{verb}(&{});", self.cond_variable(*root)));
                self.lock_lines.insert(line);
                self.push(line, Op::Signal { root: *root, all: *all });
            }
            Stmt::If { cond, then, otherwise } => self.branch(*cond, then, otherwise),
            Stmt::While { cond, body } => self.walk(*cond, body),
            Stmt::Repeat { body } => self.twice(body),
            Stmt::Return(int) => {
                let result = if self.result == "v" { int_name(*int) } else { self.result.to_owned() };
                let line = self.line(&format!("return {result};"));
                self.push(line, Op::Return);
            }
        }
    }

    /// Pointers between variables, roots and fields.
    fn linking(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Follow { dst, from } => {
                let line = self.line(&format!("{} = {};", pointer_name(*dst), self.read_name(*from)));
                self.push(line, Op::LoadPtr { slot: slot(*from), dst: reg(*dst), order: None });
            }
            Stmt::Copy { dst, node } => {
                let line = self.line(&format!("{} = {};", pointer_name(*dst), node_name(*node)));
                self.push(line, Op::Move { dst: reg(*dst), value: operand(*node) });
            }
            Stmt::Link { to, node } => {
                let line = self.line(&format!("{} = {};", self.place_name(*to), node_name(*node)));
                self.push(line, Op::StorePtr { slot: slot(*to), value: operand(*node), order: None });
            }
            Stmt::Relink { to, from } => {
                let line = self.line(&format!("{} = {};", self.place_name(*to), self.read_name(*from)));
                self.push(line, Op::LoadPtr { slot: slot(*from), dst: POINTER_SCRATCH, order: None });
                self.push(line, Op::StorePtr { slot: slot(*to), value: PtrOperand::Reg(POINTER_SCRATCH), order: None });
            }
            _ => {}
        }
    }

    fn walk(&mut self, cond: Cond, body: &[Stmt]) {
        let start = self.here();
        let line = self.open(&format!("while ({}) {{", self.cond_name(cond)));
        let exits = self.cond(cond, line);
        if self.library.tallies {
            self.line("tally++;");
        }
        self.stmts(body);
        self.push(line, Op::Jump(start));
        self.close("}");
        for exit in exits {
            self.land(exit);
        }
        if self.library.tallies {
            self.line("v += 0 * tally;");
        }
    }

    fn twice(&mut self, body: &[Stmt]) {
        let start = self.here();
        self.open("for (int turn = 0; turn < 2; turn++) {");
        self.stmts(body);
        self.close("}");
        let length = self.here().0 - start.0;
        let again = |instr: &Instr| Instr { op: instr.op.moved(length), ..*instr };
        let second: Vec<Instr> = self.code[usize::from(start.0)..].iter().map(again).collect();
        self.code.extend(second);
    }

    /// Nodes by value, and functions that are given one.
    fn whole_or_visited(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::ReadWhole { node, passing: Passing::Returned } => {
                self.line(&format!("c = value_of({});", node_name(*node)));
                let line = self.helpers.value_of;
                self.push(line, Op::LoadWhole { node: operand(*node), key: V, next: reg(Pointer(1)) });
                self.line("v = c.key;");
                self.line("q = c.next;");
            }
            Stmt::ReadWhole { node, passing: Passing::Argument } => {
                let line = self.line(&format!("v = key_of(*{});", node_name(*node)));
                self.push(line, Op::LoadWhole { node: operand(*node), key: V, next: POINTER_SCRATCH });
            }
            Stmt::CopyWhole { to, from } => {
                let line = self.line(&format!("*{} = *{};", node_name(*to), node_name(*from)));
                self.push(line, Op::CopyWhole { to: operand(*to), from: operand(*from) });
            }
            Stmt::Visit { root, node } => {
                let line = self.line(&format!("v = {}visit({}, k);", self.owner(*root), node_name(*node)));
                self.push(line, Op::LoadVisitor(*root));
                let other = self.push(line, Op::BranchVisitor { otherwise: Pc(0) });
                self.visitor(Visitor::Reads, *node);
                let over = self.push(line, Op::Jump(Pc(0)));
                self.land(other);
                self.visitor(Visitor::Writes, *node);
                self.land(over);
            }
            Stmt::Each { node, visitor } => {
                let name = if *visitor == Visitor::Reads { "visit0" } else { "visit1" };
                self.line(&format!("v = each({}, {name}, k);", node_name(*node)));
                self.visitor(*visitor, *node);
            }
            _ => unreachable!("{stmt:?} is about parts of a node"),
        }
    }

    fn atomic(&mut self, stmt: &Stmt) {
        let order = self.library.strength;
        let [load, store, both] = order_names(order);
        match *stmt {
            Stmt::AtomicFollow { dst, from } => {
                let text = format!("{} = __atomic_load_n(&{}, {load});", pointer_name(dst), self.place_name(from));
                let line = self.line(&text);
                self.push(line, Op::LoadPtr { slot: slot(from), dst: reg(dst), order: Some(order) });
            }
            Stmt::AtomicLink { to, node } => {
                let text = format!("__atomic_store_n(&{}, {}, {store});", self.place_name(to), node_name(node));
                let line = self.line(&text);
                self.push(line, Op::StorePtr { slot: slot(to), value: operand(node), order: Some(order) });
            }
            Stmt::Exchange { dst, place, node } => {
                let (name, there, new) = (pointer_name(dst), self.place_name(place), node_name(node));
                let line = self.line(&format!("{name} = __atomic_exchange_n(&{there}, {new}, {both});"));
                self.push(line, Op::SwapPtr { slot: slot(place), value: operand(node), dst: reg(dst), order });
            }
            Stmt::AtomicReadKey { node } => {
                let line = self.line(&format!("v = __atomic_load_n(&{}->key, {load});", node_name(node)));
                self.push(line, Op::LoadKey { node: operand(node), dst: V, order: Some(order) });
            }
            Stmt::ExchangeKey { node, int } => {
                let (name, new) = (node_name(node), int_name(int));
                let line = self.line(&format!("v = __atomic_exchange_n(&{name}->key, {new}, {both});"));
                self.push(line, Op::SwapKey { node: operand(node), value: int_operand(int), dst: V, order });
            }
            _ => unreachable!("{stmt:?} is not atomic"),
        }
    }

    /// What the function called by a pointer does.
    fn visitor(&mut self, visitor: Visitor, node: Node) {
        let node = operand(node);
        match visitor {
            Visitor::Reads => {
                self.push(self.helpers.visit0, Op::LoadKey { node, dst: V, order: None });
            }
            Visitor::Writes => {
                self.push(self.helpers.visit1, Op::StoreKey { node, value: IntOperand::K });
                self.push(self.helpers.visit1 + 1, Op::MoveInt { dst: V, value: IntOperand::K });
            }
        }
    }

    fn branch(&mut self, cond: Cond, then: &[Stmt], otherwise: &[Stmt]) {
        let line = self.open(&format!("if ({}) {{", self.cond_name(cond)));
        let exits = self.cond(cond, line);
        self.stmts(then);
        let over = if otherwise.is_empty() {
            None
        } else {
            self.indent -= 1;
            let line = self.open("} else {");
            Some(self.push(line, Op::Jump(Pc(0))))
        };
        for exit in exits {
            self.land(exit);
        }
        self.stmts(otherwise);
        self.close("}");
        if let Some(over) = over {
            self.land(over);
        }
    }

    /// Evaluates the condition; the branches returned are to land where it does not hold.
    fn cond(&mut self, cond: Cond, line: u32) -> Vec<Pc> {
        let nowhere = Pc(0);
        let null = |node| Op::BranchPtr { one: node, other: PtrOperand::Null, equal: false, otherwise: nowhere };
        match cond {
            Cond::OwnerNull => vec![self.push(line, Op::BranchOwnerNull { otherwise: nowhere })],
            Cond::Pointers { one, other, equal } => {
                let (one, other) = (operand(one), operand(other));
                vec![self.push(line, Op::BranchPtr { one, other, equal, otherwise: nowhere })]
            }
            Cond::PlaceIs { place, node, equal } => {
                self.push(line, Op::LoadPtr { slot: slot(place), dst: POINTER_SCRATCH, order: None });
                let (one, other) = (PtrOperand::Reg(POINTER_SCRATCH), operand(node));
                vec![self.push(line, Op::BranchPtr { one, other, equal, otherwise: nowhere })]
            }
            Cond::Key { node, int, equal } => self.compare_key(node, int, equal, line),
            Cond::NodeAndKey { node, int, equal } => {
                let mut exits = vec![self.push(line, null(operand(node)))];
                exits.extend(self.compare_key(node, int, equal, line));
                exits
            }
            Cond::Value { int, equal } => {
                let (one, other) = (IntOperand::Reg(V), int_operand(int));
                vec![self.push(line, Op::BranchInt { one, other, equal, otherwise: nowhere })]
            }
            Cond::Marked => vec![self.push(line, Op::BranchMark { otherwise: nowhere })],
            Cond::Flagged { node, is } => {
                vec![self.push(line, Op::LoadFlag { node: operand(node), is, otherwise: nowhere })]
            }
            Cond::Exchanges { place, expected, new, exchanged } => {
                let (slot, expected, value, order) = (slot(place), reg(expected), operand(new), self.library.strength);
                let op = Op::CompareSwapPtr { slot, expected, value, order, exchanged, otherwise: nowhere };
                vec![self.push(line, op)]
            }
            Cond::Takes { lock, timed } => {
                self.lock_lines.insert(line);
                vec![self.push(line, Op::TryLock { lock: lock_slot(lock), timed, otherwise: nowhere })]
            }
        }
    }

    fn compare_key(&mut self, node: Node, int: Int, equal: bool, line: u32) -> Vec<Pc> {
        self.push(line, Op::LoadKey { node: operand(node), dst: KEY, order: None });
        let (one, other) = (IntOperand::Reg(KEY), int_operand(int));
        vec![self.push(line, Op::BranchInt { one, other, equal, otherwise: Pc(0) })]
    }

    fn lock(&mut self, lock: LockRef, verb: &str, op: Op) {
        let line = self.line(&format!("pthread_mutex_{verb}(&{});", self.lock_name(lock)));
        self.lock_lines.insert(line);
        self.push(line, op);
    }

    fn new_node(&mut self, dst: Pointer, key: Int, next: Node) {
        let name = pointer_name(dst);
        let links = match self.library.flexible {
            true => format!(" + {} * sizeof(struct node *)", self.library.links),
            false => String::new(),
        };
        let line = self.line(&format!("{name} = malloc(sizeof *{name}{links});"));
        let node = PtrOperand::Reg(reg(dst));
        self.push(line, Op::Allocate(reg(dst)));
        let line = self.line(&format!("{name}->key = {};", int_name(key)));
        self.push(line, Op::StoreKey { node, value: int_operand(key) });
        for index in 0..usize::from(self.library.links) {
            let field = self.link_name(LinkId(index as u8));
            let (value, text) = if index == 0 { (operand(next), node_name(next)) } else { (PtrOperand::Null, "NULL") };
            let line = self.line(&format!("{name}->{field} = {text};"));
            self.push(line, Op::StorePtr { slot: Slot::Field(node, LinkId(index as u8)), value, order: None });
        }
        if self.library.texts() {
            self.empty_strings(dst);
        }
        if self.library.node_locks {
            let line = self.line(&format!("pthread_mutex_init(&{name}->lock, NULL);"));
            self.lock_lines.insert(line);
            self.push(line, Op::InitLock(node));
        }
    }
}

fn reg(pointer: Pointer) -> PtrReg {
    PtrReg(pointer.0)
}

fn operand(node: Node) -> PtrOperand {
    match node {
        Node::Null => PtrOperand::Null,
        Node::Var(pointer) => PtrOperand::Reg(reg(pointer)),
        Node::Param => PtrOperand::Param,
        Node::Own => PtrOperand::Own,
    }
}

fn int_operand(int: Int) -> IntOperand {
    match int {
        Int::K => IntOperand::K,
        Int::V => IntOperand::Reg(V),
        Int::Const(constant) => IntOperand::Const(constant),
    }
}

fn slot(place: Place) -> Slot {
    match place {
        Place::Root(root) => Slot::Root(root),
        Place::Field(node, link) => Slot::Field(operand(node), link),
    }
}

fn lock_slot(lock: LockRef) -> LockSlot {
    match lock {
        LockRef::Root(root) => LockSlot::Root(root),
        LockRef::Node(node) => LockSlot::Node(operand(node)),
    }
}
