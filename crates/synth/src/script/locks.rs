//! Locks in objects of a test's own, which the test initialises by a call: their bytes are not for others to write.

use super::writer::Writer;
use super::{Part, Template, VariableId};
use ir::{DebugType, Module, TypeId};

/// By type, the function that initialises an object of it, and what that is given beside it. Attributes are those that there are by default.
const INITS: [(&str, &str, &str); 4] = [
    ("pthread_mutex_t", "pthread_mutex_init", "NULL"),
    ("pthread_rwlock_t", "pthread_rwlock_init", "NULL"),
    ("pthread_cond_t", "pthread_cond_init", "NULL"),
    ("pthread_spinlock_t", "pthread_spin_init", "0"),
];

/// Members that the C library's types have, whose names are its own.
const INNER: &str = ".__";

impl Writer<'_> {
    /// The statement that initialises the lock which lies at a byte of the client's own object, and where that ends. None where none does.
    pub(super) fn initialise(
        &self,
        variable: VariableId,
        object: &memory::Object,
        at: usize,
    ) -> Option<(Template, usize)> {
        let ty = object.ty?;
        let element = self.module.size_of(ty).filter(|&size| size > 0)?;
        let base = at as u64 / element * element;
        let (init, begin, end) = lock_at(self.module, ty, at as u64 - base)?;
        let (_, function, other) = INITS.iter().find(|(named, ..)| *named == init)?;
        let mut place = self.within(variable, object, ((base + begin) as i64, true)).text;
        if let Some(Part::Text(last)) = place.0.last_mut()
            && let Some(inner) = last.find(INNER)
        {
            last.truncate(inner);
        }
        Some((place.around(&format!("{function}("), &format!(", {other});")), (base + end) as usize))
    }
}

/// The name of the lock's type around a byte of a type, and its first and last byte.
fn lock_at(module: &Module, ty: TypeId, at: u64) -> Option<(&str, u64, u64)> {
    let (mut ty, mut base) = (ty, 0);
    loop {
        match &module[ty] {
            DebugType::Typedef { name, .. } if INITS.iter().any(|(named, ..)| named == name) => {
                return Some((name, base, base + module.size_of(ty)?));
            }
            DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => ty = *to,
            DebugType::Array { of, .. } => {
                let step = module.size_of(*of).filter(|&size| size > 0)?;
                base += (at - base) / step * step;
                ty = *of;
            }
            DebugType::Record { fields, .. } => {
                let is_there = |field: &&ir::Field| {
                    let begin = base + field.offset;
                    begin <= at && at < begin + module.size_of(field.ty).unwrap_or(0)
                };
                let field = fields.iter().find(is_there)?;
                (base, ty) = (base + field.offset, field.ty);
            }
            _ => return None,
        }
    }
}
