//! Functions that are no side of a race, and names of functions that nobody calls.

use super::suite::Ran;
use crate::analysis::may_mean;
use crate::errors::{InputError, UsageError};
use clients::Roles;
use std::collections::{BTreeMap, BTreeSet};

/// The functions that are meant by names as they were typed (`name`, `file.c:name`), as C calls them.
///
/// # Errors
/// When no test calls one of them.
pub(super) fn named(names: &[String], ran: &[Ran]) -> anyhow::Result<Vec<String>> {
    let one = |name: &String| {
        let meant = |ran: &Ran| {
            let module = &ran.test.program.module;
            let is_it = ran.test.trace.calls.iter().find(|call| may_mean(module, name, call.function))?;
            Some(module[is_it.function].name.clone())
        };
        ran.iter().find_map(meant).ok_or_else(|| not_called(name, ran))
    };
    names.iter().map(one).collect()
}

/// That no test calls a function which is named.
fn not_called(name: &str, ran: &[Ran]) -> anyhow::Error {
    let defined = ran.iter().any(|ran| {
        let module = &ran.test.program.module;
        module.functions().any(|(id, _)| may_mean(module, name, id))
    });
    let called: BTreeSet<&str> = ran.iter().flat_map(|ran| ran.calls().map(String::as_str)).collect();
    let called = called.into_iter().collect::<Vec<_>>().join(", ");
    match defined {
        true => InputError::new("not_called", format!("--op {name}: no test calls it; they call {called}")).into(),
        false => {
            UsageError::new("operation", format!("--op {name}: there is no such function; the tests call {called}"))
                .into()
        }
    }
}

/// Functions that their callers do not call beside others: they make or end an object; why.
pub(super) fn excluded(ran: &[Ran], named: &[String]) -> BTreeMap<String, String> {
    let mut excluded = BTreeMap::new();
    for ran in ran {
        let program = &ran.test.program;
        let mut public: Vec<ir::FuncId> = ran.test.trace.calls.iter().map(|call| call.function).collect();
        public.sort_unstable();
        public.dedup();
        let roles = Roles::of(program, &public);
        for &function in &public {
            let name = &program.module[function].name;
            if let Some(role) = roles.roles(function).iter().find(|role| role.exclusive)
                && !named.contains(name)
            {
                let what = match role.kind {
                    clients::RoleKind::Constructor => "makes",
                    clients::RoleKind::Destructor => "ends",
                };
                excluded.insert(name.clone(), format!("it {what} `{}`", role.of));
            }
        }
    }
    // What the code leaves open the tests may tell.
    let mut ends: BTreeMap<&String, Option<usize>> = BTreeMap::new();
    for ran in ran {
        let program = &ran.test.program;
        for call in &ran.test.trace.calls {
            let ended = call.ends(program);
            let known = ends.entry(&program.module[call.function].name).or_insert(ended);
            *known = known.filter(|_| ended == *known);
        }
    }
    for (name, ended) in ends {
        if ended.is_some() && !named.contains(name) {
            excluded
                .entry(name.clone())
                .or_insert_with(|| "whenever the tests call it, it frees what it is given".to_owned());
        }
    }
    excluded
}
