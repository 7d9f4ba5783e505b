//! The content of a program, and where it stands in its files.

use ir::{LocId, Location, Module};
use machine::{CodePlace, Program, SourceLine};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// What the code of a program is, and where its parts stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// Of all that what the program does depends on. Lines count from the beginning of their functions, so that a function
    /// stays what it is when another one before it grows.
    pub hash: [u8; blake3::OUT_LEN],
    /// Of each of the module's locations. Programs of equal content have as many, in the same order.
    pub places: Vec<SourceLine>,
}

impl Content {
    pub fn of(program: &Program) -> Self {
        let module = &program.module;
        let places = module.locations.iter().map(|location| place(module, location)).collect();
        let mut hasher = blake3::Hasher::new();
        let all = (in_place(module), program.facts.of_whole());
        let bytes = postcard::to_stdvec(&all).expect("a vector grows, and tables have lengths");
        hasher.update(&bytes);
        Content { hash: *hasher.finalize().as_bytes(), places }
    }
}

fn place(module: &Module, location: &Location) -> SourceLine {
    SourceLine { file: module[location.file].path.clone(), line: location.line }
}

/// The module as if each function began in line 0, and variables stood nowhere.
fn in_place(module: &Module) -> Module {
    let mut module = module.clone();
    let begins: FxHashMap<(ir::FileId, String), u32> = {
        let begin = |location: LocId| (module[location].file, module[location].line);
        let defined = module.functions.iter().filter_map(|f| f.location.map(|location| (f, begin(location))));
        defined.map(|(function, (file, line))| ((file, function.name.clone()), line)).collect()
    };
    for location in &mut module.locations {
        if let Some(first) = begins.get(&(location.file, location.function.clone())) {
            location.line = location.line.wrapping_sub(*first);
        }
    }
    for global in &mut module.globals {
        if let Some(location) = global.location {
            module.locations[location.index()].line = 0;
        }
    }
    for file in &mut module.files {
        file.directory.clear();
    }
    module
}

/// Where the code of a program stands now that stood elsewhere before.
#[derive(Debug)]
pub struct Moved {
    places: FxHashMap<SourceLine, SourceLine>,
}

impl Moved {
    /// From the places of one program to those of another, of equal content. None where one place became two.
    pub fn between(before: &[SourceLine], now: &[SourceLine]) -> Option<Self> {
        if before.len() != now.len() {
            return None;
        }
        let mut places: FxHashMap<SourceLine, SourceLine> = FxHashMap::default();
        for (before, now) in before.iter().zip(now) {
            match places.entry(before.clone()) {
                Entry::Vacant(vacant) => drop(vacant.insert(now.clone())),
                Entry::Occupied(known) if known.get() == now => {}
                Entry::Occupied(_) => return None,
            }
        }
        Some(Moved { places })
    }

    /// Whether all is where it was.
    pub fn is_nothing(&self) -> bool {
        self.places.iter().all(|(before, now)| before == now)
    }

    /// Where a place is now; none if it is not known.
    pub fn place(&self, before: &SourceLine) -> Option<&SourceLine> {
        self.places.get(before)
    }

    /// Where a place in the code is now; none if it is not known.
    pub fn code(&self, before: &CodePlace) -> Option<CodePlace> {
        match before {
            CodePlace::Line(line) => self.place(line).cloned().map(CodePlace::Line),
            CodePlace::Function(_) => Some(before.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(lines: &[u32]) -> Vec<SourceLine> {
        lines.iter().map(|&line| SourceLine { file: "a.c".to_owned(), line }).collect()
    }

    #[test]
    fn what_the_rest_of_a_program_does_counts() {
        let content = |rest: &str| {
            let text = format!(
                "T0 = void\nT1 = signed int 4\nT2 = ptr T1\nT3 = struct pair 8 {{ 0 a: T1, 4 b: T1 }}\nT4 = ptr T3\n\
                 global g0 own: 4 align 4 T1 = zero\n\
                 fn f0 read(%0 p: ptr(T3)) -> i32 external {{\nb0:\n  %1 = load i32 [%0]\n  \
                 %2 = load i32 [g0:own]\n  return %2\n}}\n{rest}"
            );
            let module = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}"));
            let whole = Program::new(module, 2).unwrap_or_else(|error| panic!("{error}"));
            let part = whole.part([ir::FuncId::new(0)].into_iter(), true).unwrap_or_else(|error| panic!("{error}"));
            Content::of(&part.program).hash
        };
        let with = |body: &str| content(&format!("fn f1 other(%0 p: ptr(T3)) -> ptr external {{\nb0:\n  {body}\n}}\n"));
        let nothing = with("return null");
        assert_eq!(nothing, content(""));
        let member = with("%1: ptr(T1) = offset %0 + 4 \"->b\" within T3\n  return %1");
        let variable = with("return g0:own");
        let written = with("store i32 1, [g0:own]\n  return null");
        let all = [nothing, member, variable, written];
        for (index, hash) in all.iter().enumerate() {
            assert!(!all[..index].contains(hash), "{index}");
        }
    }

    #[test]
    fn places_move() {
        let moved = Moved::between(&places(&[3, 14, 14]), &places(&[3, 20, 20])).expect("each is at one place");
        assert!(!moved.is_nothing());
        let line = |line| CodePlace::Line(SourceLine { file: "a.c".to_owned(), line });
        assert_eq!(moved.code(&line(14)), Some(line(20)));
        assert_eq!(moved.code(&line(3)), Some(line(3)));
        assert_eq!(moved.code(&line(15)), None, "nobody knows where that is now");
        let function = CodePlace::Function("a.c:14".to_owned());
        assert_eq!(moved.code(&function), Some(function.clone()), "a name is no place");
    }

    #[test]
    fn one_place_that_became_two_is_none() {
        assert!(Moved::between(&places(&[3, 3]), &places(&[3, 4])).is_none());
        assert!(Moved::between(&places(&[3]), &places(&[3, 4])).is_none());
        assert!(Moved::between(&places(&[3, 4]), &places(&[5, 5])).is_some_and(|moved| !moved.is_nothing()));
        assert!(Moved::between(&places(&[3, 4]), &places(&[3, 4])).is_some_and(|moved| moved.is_nothing()));
    }
}
