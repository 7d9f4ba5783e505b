//! Kernels as CUDA.

use super::{Array, Divisor, Index, Kernel, Stmt, Sum};
use std::fmt::Write;

/// One source of all kernels.
pub fn render(kernels: &[Kernel]) -> String {
    let mut text = String::new();
    for kernel in kernels {
        let _ = writeln!(text, "__global__ void {}(int n, int *a)\n{{", kernel.name);
        let _ = writeln!(text, "    __shared__ int s[65536];\n    int seen = 0;");
        body(&mut text, 1, &kernel.body);
        let _ = writeln!(text, "    (void)seen;\n}}");
    }
    text
}

fn body(text: &mut String, indent: usize, stmts: &[Stmt]) {
    let margin = "    ".repeat(indent);
    for stmt in stmts {
        let _ = match stmt {
            Stmt::Access { array, index: at, write, atomic } => {
                let name = if *array == Array::Shared { "s" } else { "a" };
                let at = format!("{name}[{}]", index(at));
                match (*write, *atomic) {
                    (_, true) => writeln!(text, "{margin}atomicAdd(&{at}, 1);"),
                    (true, false) => writeln!(text, "{margin}{at} = 1;"),
                    (false, false) => writeln!(text, "{margin}seen += {at};"),
                }
            }
            Stmt::Barrier => writeln!(text, "{margin}__syncthreads();"),
            Stmt::Warp => writeln!(text, "{margin}__syncwarp();"),
            Stmt::If { left, right, body: within } => {
                let _ = writeln!(text, "{margin}if ({} < {}) {{", sum(left), sum(right));
                body(text, indent + 1, within);
                writeln!(text, "{margin}}}")
            }
        };
    }
}

fn index(index: &Index) -> String {
    let sum = sum(&index.sum);
    match index.rest_by {
        None => sum,
        Some(Divisor::Constant(by)) => format!("({sum}) % {by}"),
        Some(Divisor::N) => format!("({sum}) % n"),
        Some(Divisor::BlockDim) => format!("({sum}) % (int)blockDim.x"),
    }
}

fn sum(sum: &Sum) -> String {
    let named = [
        (sum.tid, "(int)threadIdx.x"),
        (sum.bid, "(int)blockIdx.x"),
        (sum.all, "(int)(blockIdx.x * blockDim.x + threadIdx.x)"),
        (sum.n, "n"),
    ];
    let mut parts: Vec<String> = Vec::new();
    for (by, name) in named {
        match by {
            0 => {}
            1 => parts.push(name.to_owned()),
            by => parts.push(format!("{by} * {name}")),
        }
    }
    if sum.constant != 0 || parts.is_empty() {
        parts.push(sum.constant.to_string());
    }
    parts.join(" + ")
}
