//! Kernels as CUDA. Writes down on which line each statement stands.

use super::{Array, Kernel, Step, Stmt, Sum, What};
use std::fmt::Write;

/// One source of all kernels.
pub fn render(kernels: &mut [Kernel]) -> String {
    let mut out = Out { text: String::new(), line: 1, within: "" };
    out.put(0, "struct arrays { int *a, *b; };");
    for kernel in kernels {
        let (given, within) = if kernel.by_structure { ("arrays p", "p.") } else { ("int *a, int *b", "") };
        out.within = within;
        out.put(0, &format!("__global__ void {}(int n, {given})", kernel.name));
        out.put(0, "{");
        out.put(1, "__shared__ int s[65536 / 4];");
        out.put(1, "int seen = 0;");
        out.body(1, 0, &mut kernel.body);
        out.put(1, "(void)seen;");
        out.put(0, "}");
    }
    out.text
}

struct Out {
    text: String,
    line: u32,
    /// What comes before the name of an array that the kernel is given.
    within: &'static str,
}

impl Out {
    fn put(&mut self, indent: usize, text: &str) -> u32 {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = indent * 4);
        self.line += 1;
        self.line - 1
    }

    fn body(&mut self, indent: usize, depth: usize, body: &mut [Stmt]) {
        for Stmt { line, what } in body {
            *line = match what {
                What::Access { array, index, write, atomic } => {
                    let name = match array {
                        Array::Shared => "s".to_owned(),
                        Array::Given(0) => format!("{}a", self.within),
                        Array::Given(_) => format!("{}b", self.within),
                    };
                    let at = format!("{name}[{}]", sum(index));
                    let text = match (*write, *atomic) {
                        (_, true) => format!("atomicAdd(&{at}, 1);"),
                        (true, false) => format!("{at} = 1;"),
                        (false, false) => format!("seen += {at};"),
                    };
                    self.put(indent, &text)
                }
                What::Barrier => self.put(indent, "__syncthreads();"),
                What::For { from, to, step, body } => {
                    let step = match step {
                        Step::By(by) => by.to_string(),
                        Step::Block => "blockDim.x".to_owned(),
                        Step::Launch => "blockDim.x * gridDim.x".to_owned(),
                    };
                    let (from, to) = (sum(from), sum(to));
                    let at = self
                        .put(indent, &format!("for (int i{depth} = {from}; i{depth} < {to}; i{depth} += {step}) {{"));
                    self.body(indent + 1, depth + 1, body);
                    self.put(indent, "}");
                    at
                }
                What::If { left, right, body } => {
                    let at = self.put(indent, &format!("if ({} < {}) {{", sum(left), sum(right)));
                    self.body(indent + 1, depth, body);
                    self.put(indent, "}");
                    at
                }
                What::Leave { left, right } => {
                    self.put(indent, &format!("if ({} < {}) return;", sum(left), sum(right)))
                }
            };
        }
    }
}

fn sum(sum: &Sum) -> String {
    let named =
        [(sum.tid, "(int)threadIdx.x".to_owned()), (sum.bid, "(int)blockIdx.x".to_owned()), (sum.n, "n".to_owned())];
    let loops = sum.loops.iter().enumerate().map(|(depth, &by)| (by, format!("i{depth}")));
    let mut parts: Vec<String> = Vec::new();
    for (by, name) in named.into_iter().chain(loops) {
        match by {
            0 => {}
            1 => parts.push(name),
            by => parts.push(format!("{by} * {name}")),
        }
    }
    if sum.constant != 0 || parts.is_empty() {
        parts.push(sum.constant.to_string());
    }
    parts.join(" + ")
}
