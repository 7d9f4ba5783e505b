//! Which operations callers never call at once: by their roles, and by what the user says of callers.

use super::select;
use super::session::Session;
use crate::errors::UsageError;
use crate::notice::complain;
use clients::{Role, RoleKind, Roles, Subject};
use explore::{Operation, Sequence};
use ir::{FuncId, LocId, Module, c_type};
use report::{Assumption, Lifecycle, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// What keeps two calls apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Contract {
    /// What this function makes or ends, its caller has alone.
    Role(FuncId),
    /// The user says that this one has no other beside it.
    Exclusive(FuncId),
    /// The user says that of this group only one runs.
    Serial(usize),
}

/// What callers keep to.
#[derive(Debug, Default)]
pub(super) struct Contracts {
    roles: Roles,
    /// Roles keep no operations apart where the user names them: what is named is to be looked at.
    named: bool,
    exclusive: BTreeSet<FuncId>,
    serial: Vec<Vec<FuncId>>,
    concurrent: BTreeSet<FuncId>,
}

impl Contracts {
    /// # Errors
    /// When the user names what is no operation, or says two things of one.
    pub(super) fn new(session: &Session, operations: &[Operation]) -> Result<Self, UsageError> {
        let module = &session.engine.program.module;
        let given = &session.parameters.library.contracts;
        let function = |key: &str, name: &String| {
            let place = |error: UsageError| match given.configured {
                true => error.within(&format!("`{key}` under [contracts] in raddle.toml")),
                false => error.within(&format!("--{key}")),
            };
            let function = select::named_by(module, name, "operation", &format!("--{key}")).map_err(place)?;
            if operations.iter().all(|operation| operation.function != function) {
                let among = select::listed(operations.iter().map(|operation| operation.name.as_str()));
                let message = format!("`{name}` is none of the operations that are explored: {among}");
                return Err(place(UsageError::new("no_operation", message)));
            }
            Ok(function)
        };
        let all = |key: &'static str, names: &[String]| -> Result<Vec<FuncId>, UsageError> {
            names.iter().map(|name| function(key, name)).collect()
        };
        if given.serial.iter().any(Vec::is_empty) {
            let place = if given.configured { "`serial` under [contracts] in raddle.toml" } else { "--serial" };
            let message = format!(
                "a group of {place} names no operation: leave it out, or name those that callers never call at once"
            );
            return Err(UsageError::new("no_operation", message));
        }
        let mut known = select::public(module);
        known.extend(operations.iter().map(|operation| operation.function));
        known.sort_unstable();
        known.dedup();
        let contracts = Contracts {
            roles: Roles::of(&session.engine.program, &known),
            named: !session.parameters.library.operations.is_empty(),
            exclusive: all("exclusive", &given.exclusive)?.into_iter().collect(),
            serial: given.serial.iter().map(|group| all("serial", group)).collect::<Result<_, _>>()?,
            concurrent: all("concurrent", &given.concurrent)?.into_iter().collect(),
        };
        let contradicts =
            |id: &&FuncId| contracts.exclusive.contains(id) || contracts.serial.iter().any(|group| group.contains(id));
        if let Some(&id) = contracts.concurrent.iter().find(contradicts) {
            let name = &module[id].name;
            let message = format!(
                "`{name}` cannot be both: callers call it at once with others (concurrent), or they do not (exclusive, serial)"
            );
            return Err(UsageError::new("contradiction", message));
        }
        let has_none = |id: &&FuncId| !contracts.roles.roles(**id).iter().any(|role| role.exclusive);
        for name in contracts.concurrent.iter().filter(has_none).map(|&id| &module[id].name) {
            complain(&format!(
                "raddle: notice: no role keeps `{name}` from other operations, so `concurrent` changes nothing for it\n"
            ));
        }
        Ok(contracts)
    }

    /// Why threads do not make these calls at once, if they do not.
    pub(super) fn keeps_apart<'s>(&self, threads: impl Iterator<Item = &'s Sequence> + Clone) -> Option<Contract> {
        let mut others = threads.clone();
        for one in threads {
            others.next();
            for other in others.clone() {
                for this in one.calls() {
                    let that = other.calls().map(|that| self.of_two(this.function, that.function));
                    if let Some(contract) = that.flatten().next() {
                        return Some(contract);
                    }
                }
            }
        }
        None
    }

    /// What threads call that are kept apart on some objects: each caller has those to itself, and the calls may yet meet elsewhere.
    /// None where they are kept apart for other reasons.
    pub(super) fn on_own_objects(&self, threads: &[&Sequence]) -> Option<Vec<Sequence>> {
        let [one, other] = threads else { return None };
        let (function, beside) = (one.first.function, other.first.function);
        let single = one.length() == 1 && other.length() == 1;
        let by_role = matches!(self.of_two(function, beside), Some(Contract::Role(_)));
        if !single || !by_role {
            return None;
        }
        let alone = |sequence: &Sequence, beside: FuncId| {
            let alone = self.roles.alone(sequence.first.function, beside)?;
            let first = Operation { alone, ..sequence.first.clone() };
            Some(Sequence { first, then: Vec::new() })
        };
        Some(vec![alone(one, beside)?, alone(other, function)?])
    }

    fn of_two(&self, one: FuncId, other: FuncId) -> Option<Contract> {
        let both = [one, other];
        if let Some(&id) = both.iter().find(|id| self.exclusive.contains(id)) {
            return Some(Contract::Exclusive(id));
        }
        if let Some(group) = self.serial.iter().position(|group| both.iter().all(|id| group.contains(id))) {
            return Some(Contract::Serial(group));
        }
        let (id, _) = self.roles.exclusive(one, other).filter(|_| !self.named)?;
        (!self.concurrent.contains(&id)).then_some(Contract::Role(id))
    }

    /// What is taken for granted of callers, and in how many entries of the matrix each of it decides.
    pub(super) fn assumptions(
        &self,
        module: &Module,
        operations: &[Operation],
        decided: &BTreeMap<Contract, u64>,
    ) -> Vec<Assumption> {
        let name = |id: FuncId| {
            let operation = operations.iter().find(|operation| operation.function == id);
            operation.map_or_else(|| module[id].name.clone(), |operation| operation.name.clone())
        };
        let one = |(contract, count): (&Contract, &u64)| {
            let (function, detail) = match *contract {
                Contract::Role(id) => (name(id), self.role_in_words(module, id)),
                Contract::Exclusive(id) => {
                    (name(id), "no caller calls it while another operation runs, as the user says".to_owned())
                }
                Contract::Serial(group) => {
                    let group: Vec<String> = self.serial[group].iter().map(|&id| name(id)).collect();
                    let detail = "callers never call two of them at once, nor one of them twice, as the user says";
                    (group.join(", "), detail.to_owned())
                }
            };
            Assumption {
                kind: "exclusive".to_owned(),
                r#where: Some(function),
                count: Some(*count),
                detail,
                ..Assumption::default()
            }
        };
        decided.iter().map(one).collect()
    }

    /// What operations are for objects that others take: findings that break it have one cause.
    pub(super) fn lifecycles(&self, module: &Module, operations: &[Operation]) -> Vec<Lifecycle> {
        let mut all = Vec::new();
        for operation in operations {
            for role in self.roles.roles(operation.function) {
                let takes = |other: &&Operation| self.roles.takes(other.function, role);
                all.push(Lifecycle {
                    operation: operation.name.clone(),
                    object: role.of.clone(),
                    stage: match role.kind {
                        RoleKind::Constructor => Stage::Begins,
                        RoleKind::Destructor => Stage::Ends,
                    },
                    evidence: role.evidence,
                    at: role.at.map_or_else(String::new, |at| place(module, at)),
                    others: operations.iter().filter(takes).map(|other| other.name.clone()).collect(),
                    apart: apart(module, operation.function, role.subject),
                });
            }
        }
        all
    }

    fn role_in_words(&self, module: &Module, id: FuncId) -> String {
        let Some(role) = self.roles.roles(id).iter().find(|role| role.exclusive) else { return String::new() };
        let kind = match role.kind {
            RoleKind::Constructor => "constructor",
            RoleKind::Destructor => "destructor",
        };
        let Role { of, evidence, .. } = role;
        let at = role.at.map_or_else(String::new, |at| format!(" at {}", place(module, at)));
        let name = &module[id].name;
        format!("{kind} of {of} ({evidence}{at}): no caller uses that meanwhile; --concurrent {name} looks at it")
    }
}

/// The types that a function's other parameters lead to.
fn apart(module: &Module, function: FuncId, subject: Subject) -> BTreeSet<String> {
    let params = module[function].source_params.iter().enumerate();
    let others = params.filter(|(index, _)| Subject::Parameter(*index) != subject);
    let types = others.filter_map(|(_, param)| module.pointee(param.ty));
    types.flat_map(|ty| [c_type(module, ty), c_type(module, module.strip(ty))]).collect()
}

fn place(module: &Module, at: LocId) -> String {
    let location = &module[at];
    format!("{}:{}", module[location.file].path, location.line)
}
