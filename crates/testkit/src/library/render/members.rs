//! Statements on what owners and nodes have beside links, keys and locks.

use super::*;

impl Writer<'_> {
    /// Declares what owners have beside the lock, the first node and the counter.
    pub(super) fn owner_members(&mut self) {
        let library = self.library;
        let members = [
            (library.waits(), "pthread_cond_t cond;"),
            (library.visits(), "int (*visit)(struct node *, int);"),
            (library.marks(), "int *mark;"),
            (library.calls_back(Callback::Notify), "void (*notify)(struct node *);"),
            (library.calls_back(Callback::Pick), "int (*pick)(const int *, long);"),
        ];
        for (_, member) in members.iter().filter(|(is_there, _)| *is_there) {
            self.line(member);
        }
    }

    /// How it is initialised.
    pub(super) fn initialised_members(&self) -> Vec<&'static str> {
        let library = self.library;
        let members = [
            (library.waits(), "pthread_cond_init(&l->cond, NULL);"),
            (library.visits(), "l->visit = NULL;"),
            (library.marks(), "l->mark = NULL;"),
            (library.calls_back(Callback::Notify), "l->notify = NULL;"),
            (library.calls_back(Callback::Pick), "l->pick = NULL;"),
        ];
        members.into_iter().filter(|(is_there, _)| *is_there).map(|(_, member)| member).collect()
    }

    /// Declares the variables that only some operations have.
    pub(super) fn further_variables(&mut self, index: usize) {
        let operation = &self.library.operations[index];
        let any = |is: &dyn Fn(&Stmt) -> bool| {
            let mut found = false;
            operation.iter().for_each(|stmt| stmt.walk(&mut |stmt| found |= is(stmt)));
            found
        };
        let calls = |wanted| any(&|stmt| matches!(stmt, Stmt::CallBack { callback, .. } if *callback == wanted));
        let variables = [
            (any(&|stmt| matches!(stmt, Stmt::ReadWhole { passing: Passing::Returned, .. })), "struct node c;"),
            (any(&names_mark), "int *m = NULL;"),
            (calls(Callback::Notify), "void (*notify)(struct node *) = NULL;"),
            (calls(Callback::Pick), "int (*pick)(const int *, long) = NULL;"),
        ];
        for (_, variable) in variables.iter().filter(|(is_there, _)| *is_there) {
            self.line(variable);
        }
    }

    pub(super) fn calling_back(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::CallBack { root, node, callback, missing } => {
                let name = callback_name(callback);
                let line = self.line(&format!("{name} = {}{name};", self.owner(root)));
                self.push(line, Op::LoadCallback { root, callback });
                let call = match callback {
                    Callback::Notify => format!("notify({});", node_name(node)),
                    Callback::Pick => format!("v = pick(&{}->key, 3);", node_name(node)),
                };
                if missing == Missing::Fails {
                    let line = self.line(&call);
                    self.called_back(line, (node, callback), true);
                    return;
                }
                let line = self.open(&format!("if ({name})"));
                let check = self.push(line, Op::BranchCallback { otherwise: Pc(0) });
                let line = self.line(&call);
                self.called_back(line, (node, callback), false);
                self.indent -= 1;
                if missing == Missing::Replaced {
                    let line = self.open("else");
                    let over = self.push(line, Op::Jump(Pc(0)));
                    self.land(check);
                    let line = self.line(&format!("{}->key = {REPLACED};", node_name(node)));
                    self.push(line, Op::StoreKey { node: operand(node), value: IntOperand::Const(REPLACED) });
                    self.indent -= 1;
                    self.land(over);
                } else {
                    self.land(check);
                }
            }
            Stmt::ClearCallback { root, callback } => {
                let line = self.line(&format!("{}{} = NULL;", self.owner(root), callback_name(callback)));
                self.push(line, Op::ClearCallback { root, callback });
            }
            _ => unreachable!("{stmt:?} is about no callback"),
        }
    }

    /// The call itself; what is picked from is read, unless it is the null pointer that is called.
    fn called_back(&mut self, line: u32, (node, callback): (Node, Callback), may_be_null: bool) {
        if callback == Callback::Notify {
            self.push(line, Op::CallBack(None));
            return;
        }
        let check = may_be_null.then(|| self.push(line, Op::BranchCallback { otherwise: Pc(0) }));
        self.push(line, Op::LoadKey { node: operand(node), dst: V, order: None });
        if let Some(check) = check {
            self.land(check);
        }
        self.push(line, Op::CallBack(Some(V)));
    }

    pub(super) fn text(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::Scan { node, text, scan } => {
                let string = text_name(node, text);
                let line = self.line(&match scan {
                    Scan::Walk => format!("for (const char *s = {string}; *s; s++) {{}}"),
                    Scan::Call => format!("scan({string});"),
                    Scan::Length => format!("strlen({string});"),
                    Scan::LengthAt => {
                        let (node, member) = (node_name(node), member_name(text));
                        format!("strlen((const char *){node} + offsetof(struct node, {member}));")
                    }
                });
                let (node, byte) = (operand(node), text.begin());
                match scan {
                    Scan::Walk => self.walk_over(node, byte, line),
                    Scan::Call => self.walk_over(node, byte, self.helpers.scan),
                    Scan::Length | Scan::LengthAt => {
                        self.push(line, Op::Length { node, byte });
                    }
                }
            }
            Stmt::WriteByte { node, text, index, sets } => {
                let value = match (sets, text) {
                    (false, _) => "0",
                    (true, Text::Name) => "'a'",
                    (true, Text::Tag) => "'b'",
                };
                let line = self.line(&format!("{}[{index}] = {value};", text_name(node, text)));
                self.push(line, Op::StoreByte { node: operand(node), byte: text.begin() + index, sets });
            }
            _ => unreachable!("{stmt:?} is about no string"),
        }
    }

    /// Reads the two bytes of a string, as far as they are not zero, and then what is behind them.
    fn walk_over(&mut self, node: PtrOperand, begin: u8, line: u32) {
        let read = |byte| Op::LoadByte { node, byte, otherwise: Pc(0) };
        let ends = [begin, begin + 1].map(|byte| self.push(line, read(byte)));
        self.push(line, Op::Stray);
        ends.into_iter().for_each(|end| self.land(end));
    }

    /// The strings of a fresh node.
    pub(super) fn empty_strings(&mut self, fresh: Pointer) {
        for text in [Text::Name, Text::Tag] {
            for index in 0..2 {
                self.text(&Stmt::WriteByte { node: Node::Var(fresh), text, index, sets: false });
            }
        }
    }

    pub(super) fn flag(&mut self, node: Node, sets: bool) {
        let (name, how) = (node_name(node), if sets { "flagged" } else { "plain" });
        let line = self.line(&format!("{name}->next = {how}({name}->next);"));
        let node = operand(node);
        self.push(line, Op::LoadPtr { slot: Slot::Field(node, LinkId(0)), dst: POINTER_SCRATCH, order: None });
        self.push(line, Op::StoreFlagged { node, value: PtrOperand::Reg(POINTER_SCRATCH), flagged: sets });
    }

    pub(super) fn marking(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::SetMark { root, node } => {
                let key = if node == Node::Null { "NULL".to_owned() } else { format!("&{}->key", node_name(node)) };
                let line = self.line(&format!("{}mark = {key};", self.owner(root)));
                self.push(line, Op::StoreMark { root, node: operand(node) });
            }
            Stmt::FollowMark { root } => {
                let line = self.line(&format!("m = {}mark;", self.owner(root)));
                self.push(line, Op::LoadMark(root));
            }
            Stmt::ReadMarked => {
                let line = self.line("v = *m;");
                self.push(line, Op::LoadMarked(V));
            }
            Stmt::WriteMarked { int } => {
                let line = self.line(&format!("*m = {};", int_name(int)));
                self.push(line, Op::StoreMarked(int_operand(int)));
            }
            _ => unreachable!("{stmt:?} is about no mark"),
        }
    }
}

fn callback_name(callback: Callback) -> &'static str {
    match callback {
        Callback::Notify => "notify",
        Callback::Pick => "pick",
    }
}

fn member_name(text: Text) -> &'static str {
    match text {
        Text::Name => "name",
        Text::Tag => "tag",
    }
}

fn text_name(node: Node, text: Text) -> String {
    format!("{}->{}", node_name(node), member_name(text))
}
