//! The content of a program, and where it stands in its files.

use ir::{LocId, Location, Module};
use machine::Program;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry;

/// Where something stands: file and line.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

/// What the code of a program is, and where its parts stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// Of all that what the program does depends on. Lines count from the beginning of their functions, so that a function
    /// stays what it is when another one before it grows.
    pub hash: [u8; blake3::OUT_LEN],
    /// Of each of the module's locations. Programs of equal content have as many, in the same order.
    pub places: Vec<Place>,
}

impl Content {
    pub fn of(program: &Program) -> Self {
        let module = &program.module;
        let places = module.locations.iter().map(|location| place(module, location)).collect();
        let mut hasher = blake3::Hasher::new();
        let stepped_over: Vec<ir::TypeId> = program.facts.stepped_over().collect();
        let bytes =
            postcard::to_stdvec(&(in_place(module), stepped_over)).expect("a vector grows, and tables have lengths");
        hasher.update(&bytes);
        Content { hash: *hasher.finalize().as_bytes(), places }
    }
}

fn place(module: &Module, location: &Location) -> Place {
    Place { file: module[location.file].path.clone(), line: location.line }
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
    places: FxHashMap<Place, Place>,
    /// Files whose places are known.
    files: Vec<String>,
}

impl Moved {
    /// From the places of one program to those of another, of equal content. None where one place became two.
    pub fn between(before: &[Place], now: &[Place]) -> Option<Self> {
        if before.len() != now.len() {
            return None;
        }
        let mut places: FxHashMap<Place, Place> = FxHashMap::default();
        for (before, now) in before.iter().zip(now) {
            match places.entry(before.clone()) {
                Entry::Vacant(vacant) => drop(vacant.insert(now.clone())),
                Entry::Occupied(known) if known.get() == now => {}
                Entry::Occupied(_) => return None,
            }
        }
        let mut files: Vec<String> = places.keys().map(|place| place.file.clone()).filter(|f| !f.is_empty()).collect();
        // A longer name may end in a shorter one.
        files.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        files.dedup();
        Some(Moved { places, files })
    }

    /// Whether all is where it was.
    pub fn is_nothing(&self) -> bool {
        self.places.iter().all(|(before, now)| before == now)
    }

    /// Where a place is now; none if it is not known.
    pub fn place(&self, before: &Place) -> Option<&Place> {
        self.places.get(before)
    }

    /// A text with all places in it, `FILE:LINE`, as they are now; none if one of them is not known.
    pub fn text(&self, before: &str) -> Option<String> {
        let mut now = String::with_capacity(before.len());
        let mut rest = before;
        while !rest.is_empty() {
            let named = self.files.iter().find_map(|file| {
                let behind = rest.strip_prefix(file.as_str())?.strip_prefix(':')?;
                let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let line = behind[..digits].parse().ok()?;
                Some((Place { file: file.clone(), line }, &behind[digits..]))
            });
            let length = match named {
                Some((place, behind)) => {
                    let Place { file, line } = self.place(&place)?;
                    now.push_str(&format!("{file}:{line}"));
                    rest = behind;
                    continue;
                }
                // To the end of a word: a name that only ends in that of a file is another one.
                None => rest.find(|c: char| c.is_whitespace() || "(,;\"'".contains(c)),
            };
            let end = length.map_or(rest.len(), |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
            now.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        Some(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(lines: &[u32]) -> Vec<Place> {
        lines.iter().map(|&line| Place { file: "a.c".to_owned(), line }).collect()
    }

    #[test]
    fn places_in_texts_move() {
        let moved = Moved::between(&places(&[3, 14, 14]), &places(&[3, 20, 20])).expect("each is at one place");
        assert!(!moved.is_nothing());
        let text = |before| moved.text(before);
        assert_eq!(text("x is NULL at a.c:14, (a.c:3:7)").as_deref(), Some("x is NULL at a.c:20, (a.c:3:7)"));
        assert_eq!(text("aa.c:14 and a.c: 14").as_deref(), Some("aa.c:14 and a.c: 14"));
        assert_eq!(text("a.c:15"), None, "nobody knows where that is now");
        assert_eq!(text("").as_deref(), Some(""));
    }

    #[test]
    fn one_place_that_became_two_is_none() {
        assert!(Moved::between(&places(&[3, 3]), &places(&[3, 4])).is_none());
        assert!(Moved::between(&places(&[3]), &places(&[3, 4])).is_none());
        assert!(Moved::between(&places(&[3, 4]), &places(&[5, 5])).is_some_and(|moved| !moved.is_nothing()));
        assert!(Moved::between(&places(&[3, 4]), &places(&[3, 4])).is_some_and(|moved| moved.is_nothing()));
    }
}
