//! What both sides of a CUDA source become.

mod support;

use ir::{Address, Module, Op, Operand, Space};
use support::{Folder, calls, function, global, insts};

const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../raddle/include/cuda");

fn both(files: &[(&str, &str)]) -> Module {
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    Folder::new(files).compile(&[&["--host", "--cuda", HEADERS], &*names].concat())
}

/// The kernels whose addresses stand in a function.
fn given(module: &Module, function: &ir::Function) -> Vec<String> {
    let mut found = Vec::new();
    for inst in insts(function) {
        inst.op.for_each_operand(|operand| {
            if let Operand::Func(id) = operand {
                found.push(module[id].name.clone());
            }
        });
    }
    found
}

#[test]
fn a_stub_launches_the_kernel() {
    let source = "static __global__ void fill(int *p, int n) { p[0] = n; }\n\
                  int main() { fill<<<1, 2>>>(nullptr, 3); void *f = (void *)fill; return f == nullptr; }\n";
    let module = both(&[("t.cu", source)]);
    let kernel = function(&module, "fill");
    assert!(kernel.kernel && !kernel.is_declaration());
    let launches = |f: &&ir::Function| calls(&module, f).contains(&"cudaLaunchKernel");
    let stub = module.functions.iter().find(launches).expect("a stub");
    assert!(stub.library && !stub.kernel && !stub.device && kernel.device);
    assert_eq!(stub.stands_for.map(|own| module[own].name.as_str()), Some("fill"));
    assert_eq!(given(&module, stub), [stub.name.as_str()]);
    let main = function(&module, "main");
    assert!(calls(&module, main).contains(&stub.name.as_str()));
    assert!(given(&module, main).iter().all(|name| *name == stub.name));
}

#[test]
fn static_kernels_of_two_sources_are_two() {
    let source = |value: u32| {
        format!(
            "static __global__ void set(int *p) {{ *p = {value}; }}\nvoid run{value}() {{ set<<<1, 1>>>(nullptr); }}\n"
        )
    };
    let module = both(&[("a.cu", &(source(1) + "int main() { return 0; }\n")), ("b.cu", &source(2))]);
    assert_eq!(module.functions().filter(|(_, f)| f.kernel).count(), 2);
}

#[test]
fn variables_of_the_device_have_shadows_unless_they_are_managed() {
    let source = "__device__ int seen = 4;\n__constant__ int factors[2];\n__managed__ int sum;\nint own;\n\
                  int *at[] = {&sum, &seen};\n\
                  __global__ void use(int *p) { *p = seen + factors[0] + sum; }\n\
                  int main() { sum = 1; return cudaMemcpyToSymbol(factors, &own, 4); }\n";
    let module = both(&[("t.cu", source)]);
    let spaces = |name: &str| -> Vec<(Space, Option<Space>)> {
        let named = module.globals().filter(|(_, global)| global.name == name);
        let mut found: Vec<_> = named.map(|(_, g)| (g.space, g.stands_for.map(|own| module[own].space))).collect();
        found.sort_by_key(|(_, own)| own.is_some());
        found
    };
    assert_eq!(spaces("seen"), [(Space::Device, None), (Space::Ordinary, Some(Space::Device))]);
    assert_eq!(spaces("factors"), [(Space::Constant, None), (Space::Ordinary, Some(Space::Constant))]);
    assert_eq!(spaces("sum"), [(Space::Managed, None)]);
    assert_eq!(spaces("own"), [(Space::Ordinary, None)]);
    let ir::Init::Data { addresses, .. } = &global(&module, "at").init else { panic!("an initialiser") };
    let names: Vec<&str> = addresses
        .iter()
        .filter_map(|(_, address)| match address {
            Address::Global(id, 0) => Some(module[*id].name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["sum", "seen"]);
}

#[test]
fn functions_of_both_sides_are_two() {
    let source = "__host__ __device__ inline int side()\n{\n#ifdef __CUDA_ARCH__\n    return 1;\n#else\n    return 2;\n#endif\n}\n\
                  __global__ void use(int *p) { *p = side(); }\nint main() { return side(); }\n";
    let module = both(&[("t.cu", source)]);
    let returned: Vec<Operand> = module
        .functions()
        .filter(|(_, f)| f.name.contains("side") && !f.is_declaration())
        .flat_map(|(_, f)| &f.blocks)
        .filter_map(|block| match &block.terminator {
            ir::Terminator::Return { values, .. } => values.first().copied(),
            _ => None,
        })
        .collect();
    assert_eq!(returned.len(), 2);
    assert!(returned.contains(&Operand::Int(1)) && returned.contains(&Operand::Int(2)));
}

#[test]
fn without_a_main_the_device_is_alone() {
    let source = "__global__ void fill(int *p) { *p = 1; }\nvoid host() { fill<<<1, 1>>>(nullptr); }\n";
    let module = both(&[("t.cu", source)]);
    assert_eq!(module.functions().filter(|(_, f)| f.name == "host").count(), 0);
    assert!(!insts(function(&module, "fill")).any(|inst| matches!(inst.op, Op::Call { .. })));
}
