//! From a witness back to what it says of a program.

use crate::concrete::{Cell, Concrete, ConcreteHeap, ConcreteObject, Setting, Threads};
use crate::format::{ArgumentValue, CellValue, Command, OperationCall, Witness};
use explore::{Kernel, Operation, RootRule, Sequence, Turn};
use ir::{Module, TypeId, c_type};
use memory::Limits;
use std::collections::BTreeMap;

/// Why a witness does not fit a program.
#[derive(Debug, thiserror::Error)]
pub enum MismatchError {
    #[error("the program has no function `{0}`")]
    Function(String),
    #[error("the program has no type `{0}`")]
    Type(String),
    #[error("the witness is damaged: {0}")]
    Damaged(String),
}

/// What a witness says, in terms of a program.
///
/// # Errors
/// When the program lacks what the witness names.
pub fn read_witness(module: &Module, witness: &Witness) -> Result<(Setting, Concrete), MismatchError> {
    let function = |name: &str| {
        let found = module.functions().find(|(_, f)| f.name == name && !f.is_declaration()).map(|(id, _)| id);
        found.ok_or_else(|| MismatchError::Function(name.to_owned()))
    };
    let s = witness.settings;
    let entry = match witness.command {
        Command::Check | Command::Cover => Threads::Main(function("main")?),
        Command::Gpu if s.device.is_some() => Threads::Main(function("main")?),
        Command::Gpu => {
            let damaged = |what: &str| MismatchError::Damaged(format!("it has no {what}"));
            let call = witness.operations.first().ok_or_else(|| damaged("kernel"))?;
            Threads::Launch(Kernel {
                operation: read_operation(module, call)?,
                launch: witness.launch.ok_or_else(|| damaged("launch"))?,
                on_any_heap: false,
                globals_symbolic: witness.settings.globals_symbolic,
                valid: None,
                given: Box::default(),
            })
        }
        Command::Races => {
            let sequence = |thread: &OperationCall| {
                let then: Result<Vec<Operation>, MismatchError> =
                    thread.then.iter().map(|call| read_operation(module, call)).collect();
                Ok::<_, MismatchError>(Sequence { first: read_operation(module, thread)?, then: then? })
            };
            let threads: Result<Vec<Sequence>, MismatchError> = witness.operations.iter().map(sequence).collect();
            Threads::Library(threads?)
        }
    };
    let setting = Setting {
        entry,
        limits: Limits { depth: s.depth, array: s.array, rules: s.rules },
        globals_symbolic: s.globals_symbolic,
        roots: if s.roots_any { RootRule::Any } else { RootRule::Same },
        valid: None,
    };
    let concrete = Concrete {
        heap: read_heap(module, witness)?,
        symbols: read_symbols(witness),
        first_picks: witness.first_picks.clone(),
        turns: witness
            .schedule
            .iter()
            .map(|step| Turn { thread: step.thread_name.clone(), picks: step.picks.clone() })
            .collect(),
        ending: Vec::new(),
        depends_on: witness.failure.depends_on.clone(),
    };
    Ok((setting, concrete))
}

fn read_operation(module: &Module, call: &OperationCall) -> Result<Operation, MismatchError> {
    let found = module.functions().find(|(_, f)| {
        f.name == call.function
            && !f.is_declaration()
            && f.file.is_none_or(|file| call.file.is_empty() || module[file].path == call.file)
    });
    let (function, _) = found.ok_or_else(|| MismatchError::Function(call.function.clone()))?;
    let those = |has: &dyn Fn(&ArgumentValue) -> bool| -> Vec<usize> {
        call.args.iter().enumerate().filter(|(_, arg)| has(arg)).map(|(index, _)| index).collect()
    };
    let (private, alone) = (those(&|arg| arg.private), those(&|arg| arg.alone));
    Ok(Operation { private, alone, ..Operation::new(function, call.name.clone()) })
}

fn read_heap(module: &Module, witness: &Witness) -> Result<ConcreteHeap, MismatchError> {
    let count = witness.heap.objects.len();
    let cell = |value: &CellValue, size: u64| -> Result<Cell, MismatchError> {
        Ok(match value {
            CellValue::Integer(bits) => Cell::Integer(size.min(16) as u8, *bits),
            CellValue::Null => Cell::Null,
            CellValue::Pointer { object, offset, .. } if (*object as usize) < count => {
                Cell::Pointer(*object as usize, *offset)
            }
            CellValue::Pointer { object, .. } => {
                return Err(MismatchError::Damaged(format!("there is no object {object}")));
            }
            CellValue::Function(name) => Cell::Function(
                module.functions_named(name).next().ok_or_else(|| MismatchError::Function(name.clone()))?,
            ),
        })
    };
    let mut heap = ConcreteHeap::default();
    for object in &witness.heap.objects {
        let mut cells = BTreeMap::new();
        for c in &object.cells {
            cells.insert(c.offset, cell(&c.value, c.size)?);
        }
        heap.objects.push(ConcreteObject {
            global: object.global.then(|| object.name.clone()),
            passed: object.by_value,
            // Objects are made by the pointers that reach them; the type is for reading.
            ty: (0..module.types.len())
                .map(TypeId::new)
                .find(|&ty| c_type(module, ty) == object.c_type)
                .ok_or_else(|| MismatchError::Type(object.c_type.clone()))?,
            count: object.count,
            cells,
        });
    }
    for (path, value) in &witness.roots {
        heap.roots.insert(path.clone(), cell(value, module.pointer.bytes())?);
    }
    Ok(heap)
}

fn read_symbols(witness: &Witness) -> BTreeMap<String, (u32, u128)> {
    witness.symbols.iter().map(|s| (s.name.clone(), (s.bits, u128::from_str_radix(&s.hex, 16).unwrap_or(0)))).collect()
}
