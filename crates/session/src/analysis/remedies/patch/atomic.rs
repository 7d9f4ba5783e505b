//! Accesses as the compiler's atomic functions, `__atomic_load_n` and the like: types stay as they are declared.

use super::super::source::Source;
use super::super::words;
use super::{Edit, merged};
use concurrency::Site;
use ir::{FuncId, Op, Operand, Order, Reg, Ty};
use machine::Program;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// What an access becomes in its function's text. None where that is not plain.
pub(super) fn edits(
    program: &Program,
    (sites, order): (&[Site], Order),
    id: FuncId,
    source: &Source,
) -> Option<Vec<Edit>> {
    let here: Vec<Site> = sites.iter().copied().filter(|&site| program.site_function(site) == Some(id)).collect();
    let mut places = BTreeSet::new();
    for &site in &here {
        // A store and its load are one operation where they stand at one place.
        let is_store = matches!(program.site_op(site), Some(Op::Store { .. }));
        places.insert((is_store, words::offset_of(program, source, site)?, site));
    }
    let offsets: Vec<usize> = places.iter().map(|(_, at, _)| *at).collect();
    source.function(&program.module[id].name, &offsets)?;
    let written: BTreeSet<usize> = places.iter().filter(|(is_store, ..)| *is_store).map(|(_, at, _)| *at).collect();
    // Reads come first: of two that end at one place the read is the inner one.
    let mut edits = Vec::new();
    let mut known = BTreeSet::new();
    for &(is_store, at, site) in &places {
        let is_half = !is_store && written.contains(&at);
        if is_half || !known.insert((is_store, at)) {
            continue;
        }
        edits.extend(match is_store {
            true => write(program, (site, order), source, at)?,
            false => around(read(program, site, source, at)?, "__atomic_load_n", order_of(order, true, false)),
        });
    }
    Some(merged(edits))
}

/// What an order is for an operation, as C writes it.
pub(super) fn order_of(order: Order, reads: bool, writes: bool) -> &'static str {
    match (order, reads, writes) {
        (Order::Relaxed, ..) => "__ATOMIC_RELAXED",
        (Order::SeqCst, ..) => "__ATOMIC_SEQ_CST",
        (_, true, true) => "__ATOMIC_ACQ_REL",
        (_, true, false) => "__ATOMIC_ACQUIRE",
        (_, false, _) => "__ATOMIC_RELEASE",
    }
}

/// A call on the address of what is there.
fn around(place: Node, function: &str, order: &str) -> Vec<Edit> {
    vec![
        Edit::insert(place.start_byte(), format!("{function}(&")),
        Edit::insert(place.end_byte(), format!(", {order})")),
    ]
}

/// What a load reads: the place that its address names.
fn read<'s>(program: &Program, site: Site, source: &'s Source, at: usize) -> Option<Node<'s>> {
    let Op::Load { address, .. } = program.site_op(site)? else { return None };
    let mut node = source.at(at)?;
    let path = match *address {
        Operand::Reg(register) => match made_by(program, site, register) {
            Some(Op::Offset { path, .. }) => path.as_str(),
            _ => "*",
        },
        _ => "",
    };
    // By what is written last in the path: the same byte begins `p`, `p->a` and `p->a[1]`.
    loop {
        let is_it = match node.kind() {
            "subscript_expression" => path.ends_with(']') && node.start_byte() == at,
            "pointer_expression" => path == "*" && source.text[at..].starts_with('*') && node.start_byte() == at,
            "identifier" => path.is_empty(),
            "field_expression" => {
                let field = node.child_by_field_name("field")?;
                !path.is_empty()
                    && path.ends_with(source.text_of(field))
                    && (field.start_byte() == at || node.start_byte() == at)
            }
            _ => false,
        };
        if is_it {
            return Some(node);
        }
        node = node.parent().filter(|parent| parent.kind().ends_with("expression"))?;
    }
}

/// What writes there, as one call.
fn write(program: &Program, (site, order): (Site, Order), source: &Source, at: usize) -> Option<Vec<Edit>> {
    let token = source.at(at)?;
    let mut node = token;
    while !matches!(node.kind(), "assignment_expression" | "update_expression") {
        node = node.parent().filter(|parent| parent.kind().ends_with("expression"))?;
    }
    let operator = node.child_by_field_name("operator")?;
    if operator.start_byte() != at {
        return None;
    }
    let is_used = node.parent().is_none_or(|parent| parent.kind() != "expression_statement");
    let (update, order) =
        (update(source.text_of(operator)), order_of(order, update(source.text_of(operator)).is_some(), true));
    if update.is_some() && !is_integer_update(program, site) {
        return None;
    }
    if node.kind() == "update_expression" {
        let place = node.child_by_field_name("argument")?;
        let is_prefix = operator.start_byte() < place.start_byte();
        let function = if is_prefix && is_used {
            format!("__atomic_{}_fetch", update?)
        } else {
            format!("__atomic_fetch_{}", update?)
        };
        return Some(vec![
            Edit { begin: node.start_byte(), end: place.start_byte(), text: format!("{function}(&") },
            Edit { begin: place.end_byte(), end: node.end_byte(), text: format!(", 1, {order})") },
        ]);
    }
    let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
    let function = match (source.text_of(operator), update) {
        // The value of an assignment is not what the call returns.
        ("=", _) if is_used => return None,
        ("=", _) => "__atomic_store_n".to_owned(),
        (_, Some(name)) if is_used => format!("__atomic_{name}_fetch"),
        (_, Some(name)) => format!("__atomic_fetch_{name}"),
        _ => return None,
    };
    Some(vec![
        Edit::insert(left.start_byte(), format!("{function}(&")),
        Edit { begin: left.end_byte(), end: right.start_byte(), text: ", ".to_owned() },
        Edit::insert(right.end_byte(), format!(", {order})")),
    ])
}

/// The name of what an operator does, where an atomic function does it.
fn update(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "++" | "+=" => "add",
        "--" | "-=" => "sub",
        "&=" => "and",
        "|=" => "or",
        "^=" => "xor",
        _ => return None,
    })
}

/// Whether what is stored is computed of what was there as the atomic functions do: on integers, and a pointer steps by bytes there.
fn is_integer_update(program: &Program, site: Site) -> bool {
    let Some(&Op::Store { ty: Ty::Int(_), value: Operand::Reg(mut register), .. }) = program.site_op(site) else {
        return false;
    };
    loop {
        match made_by(program, site, register) {
            Some(Op::Cast { from: Ty::Int(_), to: Ty::Int(_), value: Operand::Reg(of), .. }) => register = *of,
            Some(Op::Binary { ty: Ty::Int(_), .. }) => return true,
            _ => return false,
        }
    }
}

fn made_by(program: &Program, site: Site, register: Reg) -> Option<&Op> {
    let blocks = &program.module[program.site_function(site)?].blocks;
    let mut insts = blocks.iter().flat_map(|block| &block.insts);
    insts.find(|inst| inst.op.dests().any(|dest| dest == register)).map(|inst| &inst.op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_those_of_the_operation() {
        let all =
            |order| [(true, false), (false, true), (true, true)].map(|(reads, writes)| order_of(order, reads, writes));
        assert_eq!(all(Order::AcqRel), ["__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL"]);
        assert_eq!(all(Order::Relaxed), ["__ATOMIC_RELAXED"; 3]);
        assert_eq!(all(Order::SeqCst), ["__ATOMIC_SEQ_CST"; 3]);
    }

    #[test]
    fn only_what_atomic_functions_do_is_an_update() {
        assert_eq!(["++", "-=", "|="].map(update), [Some("add"), Some("sub"), Some("or")]);
        assert_eq!(["=", "*=", "<<="].map(update), [None; 3]);
    }
}
