//! What clients could pass, but those that are looked at do not: what they would have to cast, and pointers in structures.

use super::interface::Callable;
use super::takes::{Takes, held};
use crate::roles::name;
use crate::uses::Uses;
use explore::Root;
use ir::{FuncId, Module, Ty, TypeId};
use machine::Program;
use std::collections::BTreeSet;

/// Functions that would get it, and what it is.
pub(super) fn all(program: &Program, callables: &[Callable]) -> Vec<(FuncId, String)> {
    let mut found = casts(&program.module, callables);
    found.extend(results(program, callables));
    found.extend(filled(program, callables));
    found.dedup();
    found
}

/// Objects of a type that nobody makes, but whose first member is what somebody gives: a user who knows better casts that.
fn casts(module: &Module, callables: &[Callable]) -> Vec<(FuncId, String)> {
    let mut found = Vec::new();
    for callable in callables {
        for (param, leaf) in callable.params.iter().zip(&callable.leaves).filter(|(param, _)| !param.made) {
            let Some(takes) = &param.takes else { continue };
            let gives = |other: &&Callable| other.given().any(|root| takes.is_cast(module, root));
            if let Some(giver) = callables.iter().find(gives) {
                let what = module.pointee(leaf.ty).map_or_else(String::new, |to| name(module, to));
                let giver = &module[giver.function].name;
                found.push((callable.function, format!("what `{giver}` gives, cast to `{what} *`")));
            }
        }
    }
    found
}

/// Objects that functions give which use characters: functions that would get one for its bytes, and what.
pub(super) fn as_bytes(module: &Module, callables: &[Callable]) -> Vec<(FuncId, String)> {
    let given: BTreeSet<String> = callables
        .iter()
        .flat_map(Callable::given)
        .filter(|root| Takes::Characters.fit(module, root).is_none())
        .map(|root| name(module, root.ty))
        .collect();
    let takes = |callable: &Callable| callable.params.iter().any(|param| param.takes == Some(Takes::Characters));
    let takers = callables.iter().filter(|callable| takes(callable));
    takers.flat_map(|taker| given.iter().map(|what| (taker.function, what.clone()))).collect()
}

/// Pointers in structures that calls return, other than the first.
fn results(program: &Program, callables: &[Callable]) -> Vec<(FuncId, String)> {
    let module = &program.module;
    let mut found = Vec::new();
    for giver in callables {
        let function = &module[giver.function];
        let Some(ty) = function.return_type.filter(|&ty| module.is_record(ty)) else { continue };
        let is_held = |offset: u64| offset == 0 && function.returns.first() == Some(&Ty::Ptr);
        let members = module.scalars_of(ty);
        let pointers: Option<Vec<Root>> = members.map(|members| {
            let lost = members.iter().filter(|member| !is_held(member.offset));
            lost.filter_map(|member| held(program, member.ty, Uses::default)).collect()
        });
        let takes = |taker: &&Callable| match &pointers {
            Some(pointers) => pointers.iter().any(|root| goes(module, taker, root)),
            None => taker.params.iter().any(|param| param.takes.is_some()),
        };
        if let Some(taker) = callables.iter().find(takes) {
            let what = format!("pointers in the `{}` that `{}` returns", name(module, ty), function.name);
            found.push((taker.function, what));
        }
    }
    found
}

/// Structures by value that another call has filled.
fn filled(program: &Program, callables: &[Callable]) -> Vec<(FuncId, String)> {
    let (module, facts) = (&program.module, &program.facts);
    let mut found = Vec::new();
    for callable in callables {
        for (index, given) in module.given(callable.function).iter().enumerate() {
            let Some(source) = given.source.filter(|source| module.is_record(source.ty)) else { continue };
            let mut parts = callable.params.iter().zip(&callable.leaves).filter(|(_, leaf)| leaf.param == index);
            let class: TypeId = facts.canonical(module, source.ty);
            if parts.any(|(param, _)| param.takes.is_some())
                && let Some(filler) = callables.iter().find(|other| other.takes(class))
            {
                let (what, filler) = (name(module, source.ty), &module[filler.function].name);
                found.push((callable.function, format!("a `{what}` that `{filler}` has filled")));
            }
        }
    }
    found
}

fn goes(module: &Module, callable: &Callable, root: &Root) -> bool {
    let takes = |takes: &Takes| takes.fit(module, root).is_some();
    callable.params.iter().any(|param| param.takes.as_ref().is_some_and(takes))
}
