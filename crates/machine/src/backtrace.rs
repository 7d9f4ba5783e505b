//! Call stacks.

use crate::{CodePlace, Program, SourceLine, Thread};
use ir::{FuncId, LocId, Module};

/// A frame of a call stack: the function and the instruction that it is at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FrameAt {
    pub function: FuncId,
    pub location: Option<LocId>,
}

/// A call stack, innermost frame first, without the functions of raddle's C library.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Backtrace {
    pub frames: Vec<FrameAt>,
    /// Calls that the thread makes when the one is done that this is the stack of.
    pub calls_to_come: usize,
}

impl Backtrace {
    pub fn of(program: &Program, thread: &Thread) -> Self {
        let frames = thread
            .begun()
            // What happens in the C library is done by whoever calls it.
            .filter(|frame| !program.module[frame.function].library)
            .map(|frame| FrameAt { function: frame.function, location: program.location(frame) })
            .collect();
        Backtrace { frames, calls_to_come: thread.calls_to_come() }
    }

    /// The innermost position that has a source line.
    pub fn position(&self) -> Option<LocId> {
        self.frames.iter().find_map(|f| f.location)
    }

    /// The innermost position that has a source line, or the function where there is none.
    pub fn place(&self, module: &Module) -> CodePlace {
        match self.position() {
            Some(location) => {
                let location = &module[location];
                CodePlace::Line(SourceLine { file: module[location.file].path.clone(), line: location.line })
            }
            None => {
                let function = self.frames.first().map(|f| module[f.function].name.clone());
                CodePlace::Function(function.unwrap_or_default())
            }
        }
    }
}
