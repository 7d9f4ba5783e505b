//! Kernels as CUDA: one statement a line, so that a line names it.

use super::ast::{Cell, Condition, Heap, Kernel, Scope, Space, Stmt, What, Which};

/// Writes kernels as one file, and into each statement the line that it stands on.
pub fn render(kernels: &mut [Kernel]) -> String {
    let mut out = Lines::default();
    out.line(0, &format!("__device__ unsigned g[{}];", Kernel::CELLS));
    out.line(0, &format!("struct node {{ unsigned cells[{}]; }};", Kernel::CELLS));
    out.line(0, "struct ends { struct node *first, *last; };");
    for kernel in kernels {
        let valid = predicate(kernel).map_or_else(String::new, |name| format!(" --valid {name}"));
        out.predicate(kernel);
        let sched = if kernel.lockstep { "lockstep" } else { "independent" };
        out.line(
            0,
            &format!(
                "// --grid {} --block {} --warp {} --sched {sched}{valid}",
                kernel.blocks, kernel.threads, kernel.warp
            ),
        );
        let parameter = if kernel.heap.is_some() { "struct ends *p" } else { "" };
        out.line(0, &format!("__global__ void {}({parameter})", kernel.name));
        out.line(0, "{");
        out.line(1, &format!("__shared__ unsigned s[{}];", Kernel::CELLS));
        out.line(1, "unsigned r = 0;");
        // Before this, nobody touches what is shared.
        out.line(1, "if (threadIdx.x == 0)");
        out.line(2, &format!("for (unsigned i = 0; i < {}; ++i)", Kernel::CELLS));
        out.line(3, "s[i] = 0;");
        out.line(1, "__syncthreads();");
        out.body(1, &mut kernel.body, kernel.threads);
        out.line(0, "}");
    }
    out.text
}

/// Host functions that make the launches of kernels, each from the heaps that the kernel's predicate accepts; they come behind what [`render`]
/// writes. None for a kernel that may be given anything.
pub fn hosts(kernels: &[Kernel]) -> String {
    let mut out = Lines::default();
    out.line(0, "extern \"C\" void raddle_symbolic(void *at, size_t size, const char *name);");
    for kernel in kernels {
        let Some(name) = host(kernel) else { continue };
        out.line(0, &format!("int {name}()"));
        out.line(0, "{");
        if let Some(heap) = kernel.heap {
            out.ends(heap);
        }
        let argument = if kernel.heap.is_some() { "p" } else { "" };
        out.line(1, &format!("{}<<<{}, {}>>>({argument});", kernel.name, kernel.blocks, kernel.threads));
        out.line(1, "return cudaDeviceSynchronize();");
        out.line(0, "}");
    }
    out.line(0, "int main() { return 0; }");
    out.text
}

/// The name of the host function that launches a kernel, if there is one.
pub fn host(kernel: &Kernel) -> Option<String> {
    (kernel.heap != Some(Heap::Any)).then(|| format!("{}_host", kernel.name))
}

/// The name of the predicate that says which heaps the kernel is given, if there is one.
pub fn predicate(kernel: &Kernel) -> Option<String> {
    kernel.heap.filter(|heap| *heap != Heap::Any).map(|_| format!("{}_valid", kernel.name))
}

#[derive(Default)]
struct Lines {
    text: String,
    count: u32,
}

impl Lines {
    fn line(&mut self, depth: usize, text: &str) -> u32 {
        self.text.push_str(&"    ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
        self.count += 1;
        self.count
    }

    fn predicate(&mut self, kernel: &Kernel) {
        let Some(name) = predicate(kernel) else { return };
        self.line(0, &format!("__device__ bool {name}(const struct ends *p)"));
        self.line(0, "{");
        self.line(1, "if (!p->first || !p->last)");
        self.line(2, "return false;");
        self.line(1, &format!("for (unsigned i = 0; i < {}; ++i)", Kernel::CELLS));
        self.line(2, "if (p->first->cells[i] || p->last->cells[i])");
        self.line(3, "return false;");
        let holds = match kernel.heap {
            Some(Heap::Apart) => "p->first != p->last",
            Some(Heap::Same) => "p->first == p->last",
            _ => "true",
        };
        self.line(1, &format!("return {holds};"));
        self.line(0, "}");
    }

    /// Makes the heap that a kernel is given, in the device's memory.
    fn ends(&mut self, heap: Heap) {
        self.line(1, "struct ends ends, *p;");
        self.line(1, "cudaMalloc(&ends.first, sizeof(struct node));");
        self.line(1, "cudaMemset(ends.first, 0, sizeof(struct node));");
        self.line(1, "cudaMalloc(&ends.last, sizeof(struct node));");
        self.line(1, "cudaMemset(ends.last, 0, sizeof(struct node));");
        match heap {
            Heap::Apart | Heap::Any => {}
            Heap::Same => _ = self.line(1, "ends.last = ends.first;"),
            Heap::Zero => {
                self.line(1, "bool is_one;");
                self.line(1, "raddle_symbolic(&is_one, 1, \"is_one\");");
                self.line(1, "if (is_one)");
                self.line(2, "ends.last = ends.first;");
            }
        }
        self.line(1, "cudaMalloc(&p, sizeof ends);");
        self.line(1, "cudaMemcpy(p, &ends, sizeof ends, cudaMemcpyHostToDevice);");
    }

    fn body(&mut self, depth: usize, body: &mut [Stmt], threads: u32) {
        for stmt in body {
            stmt.line = match &mut stmt.what {
                What::If(condition, then, otherwise) => {
                    let line = self.line(depth, &format!("if ({}) {{", condition_text(*condition)));
                    self.body(depth + 1, then, threads);
                    if !otherwise.is_empty() {
                        self.line(depth, "} else {");
                        self.body(depth + 1, otherwise, threads);
                    }
                    self.line(depth, "}");
                    line
                }
                simple => {
                    let text = simple_text(simple, threads);
                    self.line(depth, &text)
                }
            };
        }
    }
}

fn condition_text(condition: Condition) -> String {
    match condition {
        Condition::Thread(number) => format!("threadIdx.x == {number}"),
        Condition::Block(number) => format!("blockIdx.x == {number}"),
        Condition::Read => "r != 0".to_owned(),
    }
}

fn simple_text(what: &What, threads: u32) -> String {
    let at = |cell: &Cell| cell_text(cell, threads);
    match what {
        What::Read(cell) => format!("r = {};", at(cell)),
        What::Write(cell, value) => format!("{} = {value};", at(cell)),
        What::Add(cell, by, Scope::Device) => format!("r = atomicAdd(&{}, {by}u);", at(cell)),
        What::Add(cell, by, Scope::Block) => format!("r = atomicAdd_block(&{}, {by}u);", at(cell)),
        What::Fence(Scope::Device) => "__threadfence();".to_owned(),
        What::Fence(Scope::Block) => "__threadfence_block();".to_owned(),
        What::Barrier => "__syncthreads();".to_owned(),
        What::SyncWarp => "__syncwarp();".to_owned(),
        What::Shuffle => "r = __shfl_xor_sync(~0u, r, 1);".to_owned(),
        What::If(..) => String::new(),
    }
}

fn cell_text(cell: &Cell, threads: u32) -> String {
    let array = match cell.space {
        Space::Shared => "s",
        Space::Global => "g",
        Space::First => "p->first->cells",
        Space::Last => "p->last->cells",
    };
    match cell.which {
        Which::Constant(number) => format!("{array}[{number}]"),
        Which::Own => format!("{array}[threadIdx.x]"),
        Which::Next => format!("{array}[(threadIdx.x + 1) % {threads}]"),
    }
}
