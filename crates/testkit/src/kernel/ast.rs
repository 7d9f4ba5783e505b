//! What kernels are made of.

/// Where a cell stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// One for each block.
    Shared,
    Global,
    /// In what the kernel's parameter leads to ([`Heap`]).
    First,
    Last,
}

/// Which cell of its array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    Constant(u32),
    /// That with the thread's own number in its block.
    Own,
    /// The next one, round.
    Next,
}

/// A cell of an array of [`Kernel::CELLS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    pub space: Space,
    pub which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    Block,
    Device,
}

/// What decides a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// `threadIdx.x == n`
    Thread(u32),
    /// `blockIdx.x == n`
    Block(u32),
    /// What was read last is not 0.
    Read,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    Read(Cell),
    Write(Cell, u32),
    /// `r = atomicAdd(&cell, n)`
    Add(Cell, u32, Scope),
    Fence(Scope),
    Barrier,
    SyncWarp,
    /// `r = __shfl_xor_sync(~0u, r, 1)`
    Shuffle,
    If(Condition, Vec<Stmt>, Vec<Stmt>),
}

/// A statement, and the line that it stands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    pub line: u32,
    pub what: What,
}

/// What the kernel's parameter leads to: two nodes, each with an array of cells, or one node by both ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heap {
    /// Nobody says.
    Any,
    /// A predicate says that all cells are 0, and nothing more.
    Zero,
    /// And that there are two.
    Apart,
    /// And that there is one.
    Same,
}

impl Heap {
    /// For each kind of heap that there may be, whether both ways lead to one node.
    pub fn coincide(self) -> &'static [bool] {
        match self {
            Heap::Any | Heap::Zero => &[false, true],
            Heap::Apart => &[false],
            Heap::Same => &[true],
        }
    }
}

/// A kernel with its launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    pub name: String,
    pub body: Vec<Stmt>,
    pub blocks: u32,
    /// Of a block.
    pub threads: u32,
    /// Threads of a warp.
    pub warp: u32,
    /// Warps are in lockstep.
    pub lockstep: bool,
    pub heap: Option<Heap>,
}

impl Kernel {
    /// Of each array.
    pub const CELLS: u32 = 4;

    /// What the kernel does, in words, each once.
    pub fn actions(&self) -> Vec<&'static str> {
        fn collect(body: &[Stmt], into: &mut Vec<&'static str>) {
            for stmt in body {
                if let What::If(_, then, otherwise) = &stmt.what {
                    collect(then, into);
                    collect(otherwise, into);
                }
                into.push(match &stmt.what {
                    What::Read(_) => "read",
                    What::Write(..) => "write",
                    What::Add(.., Scope::Block) => "atomic of a block",
                    What::Add(.., Scope::Device) => "atomic",
                    What::Fence(Scope::Block) => "fence of a block",
                    What::Fence(Scope::Device) => "fence",
                    What::Barrier => "barrier",
                    What::SyncWarp => "syncwarp",
                    What::Shuffle => "shuffle",
                    What::If(..) => "branch",
                });
            }
        }
        let mut all = Vec::new();
        collect(&self.body, &mut all);
        all.extend(self.heap.map(|heap| match heap {
            Heap::Any => "any heap",
            Heap::Zero | Heap::Apart | Heap::Same => "valid heap",
        }));
        all.sort_unstable();
        all.dedup();
        all
    }
}
