//! What C constructs become.

mod support;

use ir::{
    Address, BinaryOp, BitOp, Callee, DebugType, Function, Init, IntKind, LoadOrder, Op, Operand, Order, OverflowOp,
    Piece, Qualifier, RmwOp, StoreOrder, Terminator, Ty,
};
use std::collections::HashMap;
use support::{
    Folder, assemble, calls, compile, function, global, global_id, id, insts, ops, paths, type_name, unsupported,
};

#[test]
fn an_uninitialised_variable_stays_undecided() {
    let module = compile("void fail(void);\nvoid f(int k) {\n int x;\n if (k) x = 1;\n if (x != 1) fail();\n}\n");
    let f = function(&module, "f");
    let (uninit, location) = insts(f)
        .find_map(|i| match i.op {
            Op::Uninit { dest, ty: Ty::Int(32) } => Some((dest, i.location)),
            _ => None,
        })
        .expect("an uninit value");
    let location = &module[location.expect("the declaration's position")];
    assert_eq!((location.line, location.column), (3, 6));
    assert_eq!(calls(&module, f), ["fail"]);
    let branches = f.blocks.iter().filter(|b| matches!(b.terminator, Terminator::Branch { .. })).count();
    assert_eq!(branches, 2);
    // The second test is made on a value that is 1 or the uninit one.
    let mut inputs: Vec<Operand> =
        f.blocks.iter().flat_map(|b| b.terminator.edges()).flat_map(|e| e.args.clone()).collect();
    inputs.sort_by_key(|i| matches!(i, Operand::Int(_)));
    assert_eq!(inputs, [Operand::Reg(uninit), Operand::Int(1)]);
}

#[test]
fn a_variable_of_a_loop_body_is_uninitialised_in_each_round() {
    let source =
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { int y; if (i == 1) y = 3; s += y; } return s; }\n";
    let module = compile(source);
    let f = function(&module, "f");
    let block = f.blocks.iter().position(|b| b.insts.iter().any(|i| matches!(i.op, Op::Uninit { .. })));
    assert!(block.is_some_and(|b| b > 0), "in the loop, not in the entry block");
    assert_eq!(ops(f).filter(|op| matches!(op, Op::Uninit { .. })).count(), 1);
}

#[test]
fn a_variable_written_first_leaves_no_trace() {
    let module = compile("int f(int a) { int x = a; int y; y = x + 1; return y; }\n");
    let f = function(&module, "f");
    assert!(matches!(ops(f).collect::<Vec<_>>()[..], [Op::Binary { op: BinaryOp::Add, .. }]));
}

#[test]
fn accesses_are_not_merged_moved_or_dropped() {
    let module = compile(
        "int g;\nvoid f(int *p) {\n *p;\n g = 1;\n g = 2;\n int a = *p;\n int b = *p;\n (void)a; (void)b;\n}\n",
    );
    let lines: Vec<u32> = insts(function(&module, "f"))
        .filter(|i| matches!(i.op, Op::Load { .. } | Op::Store { .. }))
        .map(|i| module[i.location.expect("a position")].line)
        .collect();
    assert_eq!(lines, [3, 4, 5, 6, 7]);
}

#[test]
fn plain_clang_bitcode_is_promoted_too() {
    let folder = Folder::new(&[("t.c", "int f(int a) { int x; if (a) x = 2; return x; }\n")]);
    folder.clang(&["-g", "-O0", "-S", "-emit-llvm", "t.c", "-o", "t.ll"]);
    let module = folder.compile(&["t.ll"]);
    let f = function(&module, "f");
    assert!(ops(f).all(|op| !matches!(op, Op::Alloca { .. } | Op::Load { .. } | Op::Store { .. })));
    assert_eq!(ops(f).filter(|op| matches!(op, Op::Uninit { .. })).count(), 1);
}

#[test]
fn records_unions_bit_fields_and_enumerations() {
    let module = compile(
        "enum color { RED, BLUE = -3, BIG = 7 };\n\
         struct in { char c; short s; };\n\
         typedef struct { unsigned a : 3; int b : 7; unsigned long c : 40; struct in in; enum color color; union { int i; char *s; }; } rec_t;\n\
         rec_t rec; unsigned flags(rec_t *r) { r->b = 2; r->in.s = 1; r->i = 4; return r->c; }\n",
    );
    let ty = global(&module, "rec").ty.expect("a type");
    assert_eq!(type_name(&module, ty), "rec_t");
    let fields = module.fields(ty);
    let bits: Vec<_> = fields.iter().map(|f| (f.name.as_str(), f.offset, f.bits)).collect();
    let expected = [
        ("a", 0, Some((0, 3))),
        ("b", 0, Some((3, 7))),
        ("c", 0, Some((10, 40))),
        ("in", 8, None),
        ("color", 12, None),
        ("", 16, None),
    ];
    assert_eq!(bits, expected);
    let DebugType::Enum { values, size: 4, .. } = &module[fields[4].ty] else { panic!("{:?}", module[fields[4].ty]) };
    assert_eq!(values, &[("RED".to_owned(), 0), ("BLUE".to_owned(), -3), ("BIG".to_owned(), 7)]);
    assert!(matches!(&module[fields[5].ty], DebugType::Record { union: true, fields, .. } if fields.len() == 2));
    let DebugType::Record { name, fields: inner, .. } = &module[fields[3].ty] else { panic!("struct in") };
    assert_eq!((name.as_str(), inner.len()), ("in", 2));
    assert!(matches!(module[inner[0].ty], DebugType::Int { kind: IntKind::Char, size: 1, .. }));
    assert_eq!(paths(function(&module, "flags")), ["->in.s", ""]);
}

#[test]
fn arrays_qualifiers_function_types_and_forward_declarations() {
    let folder = Folder::new(&[
        (
            "a.c",
            "struct later; struct never;\n\
             extern int (*hook)(const char *, ...); int grid[2][3]; _Atomic int at; volatile const long vc = 1;\n\
             struct flex { int n; struct later *l; struct never *v; int data[]; };\n\
             int use(struct flex *f, int *restrict r) { return f->data[1] + *r + grid[1][2] + hook(0); }\n",
        ),
        (
            "b.c",
            "struct later { int key; };\nint (*hook)(const char *, ...);\nint later(struct later *l) { return l->key; }\n",
        ),
    ]);
    let module = folder.compile(&["a.c", "b.c"]);
    assert_eq!(type_name(&module, global(&module, "grid").ty.expect("typed")), "int [3] [2]");
    assert!(matches!(
        module[global(&module, "at").ty.expect("typed")],
        DebugType::Qualified { qualifier: Qualifier::Atomic, .. }
    ));
    let qualified = type_name(&module, global(&module, "vc").ty.expect("typed"));
    assert!(matches!(qualified.as_str(), "volatile const long" | "const volatile long"), "{qualified}");
    assert!(global(&module, "vc").constant);
    let hook = module.pointee(global(&module, "hook").ty.expect("typed")).expect("a pointer");
    assert!(matches!(&module[hook], DebugType::Function { params, variadic: true, .. } if params.len() == 1));
    let f = function(&module, "use");
    let flex = module.pointee(f.source_params[0].ty).expect("a pointer");
    let fields = module.fields(flex);
    // The definition stands in the other file.
    let later = module.pointee(fields[1].ty).expect("a pointer");
    assert!(matches!(&module[later], DebugType::Record { name, fields, .. } if name == "later" && fields.len() == 1));
    let never = module.pointee(fields[2].ty).expect("a pointer");
    assert_eq!(type_name(&module, never), "opaque never");
    assert!(matches!(module[fields[3].ty], DebugType::Array { count: None, .. }));
    assert!(matches!(module[f.source_params[1].ty], DebugType::Qualified { qualifier: Qualifier::Restrict, .. }));
    assert_eq!(paths(f), ["->data[1]"]);
}

#[test]
fn a_header_s_types_are_entered_once() {
    let header = "typedef struct { int a; } anon_t; struct s { struct s *n; anon_t a; }; enum e { E };\n";
    let folder = Folder::new(&[
        ("h.h", header),
        ("a.c", "#include \"h.h\"\nint a(struct s *p, enum e e) { return p->a.a + e; }\n"),
        ("b.c", "#include \"h.h\"\nint b(struct s *p, enum e e) { return p->n->a.a + e; }\n"),
    ]);
    let module = folder.compile(&["a.c", "b.c"]);
    let records = module.types.iter().filter(|t| matches!(t, DebugType::Record { .. })).count();
    let enums = module.types.iter().filter(|t| matches!(t, DebugType::Enum { .. })).count();
    assert_eq!((records, enums), (2, 1));
    assert_eq!(function(&module, "a").source_params[0].ty, function(&module, "b").source_params[0].ty);
}

#[test]
fn switches_and_loops() {
    let source = "int f(unsigned char c) { switch (c) { case 1: return 5; case 200: c = 3; case 9: return c; default: return -1; } }\n";
    let module = compile(source);
    let f = function(&module, "f");
    let Terminator::Switch { ty: Ty::Int(32), cases, default, .. } = &f.blocks[0].terminator else { panic!("{f:?}") };
    let values: Vec<u64> = cases.iter().map(|c| c.0).collect();
    assert_eq!(values, [1, 200, 9]);
    assert!(cases.iter().all(|c| c.1.target != default.target));
    let minus_one = f.blocks.iter().flat_map(|b| b.terminator.edges()).flat_map(|e| &e.args);
    assert!(minus_one.into_iter().any(|a| *a == Operand::Int(0xffff_ffff)), "constants are zero-extended");
}

#[test]
fn records_in_registers_are_split() {
    let module = compile(
        "struct two { long a; int *b; }; struct big { long x[5]; };\n\
         struct two make(long a) { struct two t = { a, 0 }; return t; }\n\
         long use(struct two t) { return t.a; }\n\
         struct big copy(struct big b) { return b; }\n\
         long all(struct big b) { return use(make(b.x[1])) + copy(b).x[0]; }\n",
    );
    assert_eq!(function(&module, "make").returns, [Ty::Int(64), Ty::Ptr]);
    let use_ = function(&module, "use");
    let types: Vec<Ty> = use_.params.iter().map(|p| use_.register(p.reg).ty).collect();
    assert_eq!((types, use_.source_params.len()), (vec![Ty::Int(64), Ty::Ptr], 1));
    let copy = function(&module, "copy");
    assert!(copy.returns.is_empty());
    assert!(copy.params[0].returned_through && copy.params[0].by_value.is_none());
    assert_eq!(copy.params[1].by_value, Some(40));
    assert_eq!(type_name(&module, copy.register(copy.params[1].reg).points_to.expect("typed")), "struct big");
    let all = function(&module, "all");
    let of_make = ops(all).find_map(|op| match op {
        Op::Call { dests, callee: Callee::Direct(f), .. } if *f == id(&module, "make") => Some(dests.len()),
        _ => None,
    });
    assert_eq!(of_make, Some(2));
    let by_value = ops(all).find_map(|op| match op {
        Op::Call { args, callee: Callee::Direct(f), .. } if *f == id(&module, "copy") => Some(args[1].by_value),
        _ => None,
    });
    assert_eq!(by_value, Some(Some(40)));
}

#[test]
fn what_passes_a_structure_is_known() {
    let module = compile(
        "struct point { short x, y; int z; }; struct speed { float up, down; double across; }; struct big { long x[5]; };\n\
         struct bits { long a; int b : 3; }; struct late { int a; double b; }; struct none { };\n\
         void one(int a, struct point p, int b) { }\n\
         void floats(struct speed s) { }\n\
         struct big memory(int a, struct big b, struct late c) { return b; }\n\
         void bits(struct bits b, struct none n, char *p) { }\n\
         void full(long a, long b, long c, long d, long e, struct bits f, long g) { }\n\
         struct point plain(int a) { struct point p = { 0 }; return p; }\n",
    );
    let pieces = |name: &str| function(&module, name).pieces.clone();
    let of = |pieces: &[(u32, u64)]| pieces.iter().map(|&(source, from)| Piece::Of(source, from)).collect::<Vec<_>>();
    assert_eq!(pieces("one"), of(&[(0, 0), (1, 0), (2, 0)]));
    assert_eq!(pieces("floats"), of(&[(0, 0), (0, 4), (0, 8)]));
    assert_eq!(pieces("memory"), [vec![Piece::Result], of(&[(0, 0), (1, 0), (2, 0), (2, 8)])].concat());
    assert_eq!(pieces("bits"), of(&[(0, 0), (0, 8), (2, 0)]));
    // Of six registers for numbers one is left, so the structure lies on the stack.
    assert_eq!(pieces("full"), of(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)]));
    assert_eq!(function(&module, "full").params[5].by_value, Some(16));
    assert_eq!(pieces("plain"), []);
    assert!(!module.takes_unknown(id(&module, "plain")));
    let leaves = |name: &str| {
        module.leaves(id(&module, name)).map(|all| all.iter().map(|leaf| (leaf.param, leaf.offset)).collect::<Vec<_>>())
    };
    assert_eq!(leaves("one"), Some(vec![(0, 0), (1, 0), (1, 2), (1, 4), (2, 0)]));
    assert_eq!(leaves("bits"), None, "a bit-field has no address");
}

#[test]
fn aggregates_of_assembly_are_split_as_well() {
    let module = assemble(
        "%pair = type { i8, { ptr, i16 } }\n\
         @src = global %pair { i8 1, { ptr, i16 } { ptr @src, i16 2 } }\n\
         define %pair @f(i1 %c, %pair %x) {\n\
           %l = load %pair, ptr @src\n\
           %s = select i1 %c, %pair %l, %pair %x\n\
           %i = insertvalue %pair %s, i16 7, 1, 1\n\
           br i1 %c, label %a, label %b\n\
         a:\n  br label %b\n\
         b:\n\
           %p = phi %pair [ %i, %0 ], [ { i8 3, { ptr, i16 } { ptr null, i16 undef } }, %a ]\n\
           %e = extractvalue %pair %p, 1\n\
           store { ptr, i16 } %e, ptr getelementptr (%pair, ptr @src, i64 0, i32 1)\n\
           ret %pair %p\n\
         }\n",
    );
    let f = function(&module, "f");
    assert_eq!(f.returns, [Ty::Int(8), Ty::Ptr, Ty::Int(16)]);
    assert_eq!(f.params.len(), 4);
    let src = global_id(&module, "src");
    let loads: Vec<Operand> =
        ops(f).filter_map(|op| if let Op::Load { address, .. } = op { Some(*address) } else { None }).collect();
    assert_eq!(loads, [0, 8, 16].map(|n| Operand::Global(src, n)));
    let stores: Vec<Operand> =
        ops(f).filter_map(|op| if let Op::Store { address, .. } = op { Some(*address) } else { None }).collect();
    assert_eq!(stores, [8, 16].map(|n| Operand::Global(src, n)));
    let constant =
        f.blocks.iter().flat_map(|b| b.terminator.edges()).find(|e| e.args.first() == Some(&Operand::Int(3)));
    assert_eq!(constant.expect("the constant input").args, [Operand::Int(3), Operand::Int(0), Operand::Undef]);
}

#[test]
fn initialisers_become_bytes_and_relocations() {
    let module = compile(
        "struct op { const char *name; int (*run)(int); short n[2]; };\n\
         static int inc(int x) { return x + 1; }\n\
         int arr[4] = { 1, 2, -1 }; int *mid = &arr[2]; char text[8] = \"hi\"; double d = 1.5; long zero;\n\
         struct op ops[2] = { { \"a\", inc, { 3, 4 } }, { 0, 0, { 5 } } };\n\
         unsigned long address = (unsigned long)&arr[1]; extern int elsewhere; int *e = &elsewhere; _Thread_local int t = 9;\n\
         int f(void) { static const char *const local[] = { \"x\" }; return local[0][0] + t; }\n",
    );
    let data = |name: &str| match &global(&module, name).init {
        Init::Data { bytes, addresses } => (bytes.clone(), addresses.clone()),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(data("arr").0, [1u32, 2, u32::MAX, 0].map(u32::to_le_bytes).concat());
    assert_eq!(data("mid"), (vec![0; 8], vec![(0, Address::Global(global_id(&module, "arr"), 8))]));
    assert_eq!(data("text").0, b"hi\0\0\0\0\0\0");
    assert_eq!(data("d").0, 1.5f64.to_le_bytes());
    assert_eq!(global(&module, "zero").init, Init::Zero);
    assert_eq!(global(&module, "elsewhere").init, Init::External);
    let (bytes, addresses) = data("ops");
    assert_eq!(bytes[16..20], [3, 0, 4, 0]);
    assert_eq!(bytes[40..42], [5, 0]);
    assert_eq!(addresses.len(), 2);
    assert!(matches!(addresses[0], (0, Address::Global(g, 0)) if module[g].constant));
    assert_eq!(addresses[1], (8, Address::Func(id(&module, "inc"))));
    assert!(function(&module, "inc").address_taken && !function(&module, "inc").external);
    assert_eq!(data("address").1, [(0, Address::Global(global_id(&module, "arr"), 4))]);
    assert!(global(&module, "t").thread_local);
    let local = global(&module, "f.local");
    assert!(local.constant && !local.external);
    let t = global_id(&module, "t");
    assert!(ops(function(&module, "f")).any(|op| matches!(op, Op::ThreadLocal { global, .. } if *global == t)));
}

#[test]
fn constructors_are_kept() {
    let module = compile(
        "int n; __attribute__((constructor)) static void init(void) { n = 1; }\n__attribute__((used)) static int k;\n",
    );
    let constructors = global(&module, "llvm.global_ctors");
    assert!(matches!(&constructors.init, Init::Data { addresses, .. } if addresses.len() == 1), "{constructors:?}");
    assert!(module.globals.iter().all(|g| g.name != "llvm.used" && g.name != "llvm.compiler.used"));
}

#[test]
fn initialisers_of_unknown_value_are_unknown() {
    let module = assemble("@a = global i8 0\n@b = global i32 trunc (i64 ptrtoint (ptr @a to i64) to i32)\n");
    assert_eq!(global(&module, "b").init, Init::External);
}

#[test]
fn function_pointers_and_calls() {
    let module = compile(
        "int inc(int x) { return x + 1; } int dec(int x) { return x - 1; } int never(int x) { return x; }\n\
         int apply(int (*f)(int), int n) { return f(n); }\n\
         int main(void) { int (*f)(int) = inc; if (apply(f, 1)) f = dec; return never(f(2)); }\n",
    );
    let taken: Vec<&str> = module.functions.iter().filter(|f| f.address_taken).map(|f| f.name.as_str()).collect();
    assert_eq!(taken, ["inc", "dec"]);
    let indirect = |op: &Op| matches!(op, Op::Call { callee: Callee::Indirect(Operand::Reg(_)), .. });
    assert_eq!(ops(function(&module, "apply")).filter(|op| indirect(op)).count(), 1);
    assert_eq!(calls(&module, function(&module, "main")), ["apply", "never"]);
    let f = function(&module, "apply");
    let target = f.register(f.params[0].reg).points_to.expect("typed");
    assert!(matches!(module[target], DebugType::Function { .. }));
}

#[test]
fn variable_arguments() {
    let module = compile(
        "#include <stdarg.h>\n#include <stdio.h>\n\
         int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int s = 0; while (n--) s += va_arg(a, int); va_end(a); va_end(b); return s; }\n\
         int main(void) { printf(\"%d %f\\n\", sum(2, 1, 2), 0.5); return 0; }\n",
    );
    let sum = function(&module, "sum");
    assert!(sum.variadic && sum.params.len() == 1);
    let count = |f: fn(&Op) -> bool| ops(sum).filter(|op| f(op)).count();
    assert_eq!(count(|op| matches!(op, Op::VaStart { .. })), 1);
    assert_eq!(count(|op| matches!(op, Op::VaCopy { .. })), 1);
    assert_eq!(count(|op| matches!(op, Op::VaEnd { .. })), 2);
    let types: Vec<Vec<Ty>> = ops(function(&module, "main"))
        .filter_map(|op| if let Op::Call { args, .. } = op { Some(args.iter().map(|a| a.ty).collect()) } else { None })
        .collect();
    assert_eq!(types, [vec![Ty::Int(32); 3], vec![Ty::Ptr, Ty::Int(32), Ty::F64]]);
    assert_eq!(unsupported(sum), [""; 0]);
}

#[test]
fn atomics_keep_their_orders() {
    let module = compile(
        "#include <stdatomic.h>\n_Atomic int a; _Atomic(int *) p; int plain; volatile int v;\n\
         void f(void) {\n\
           a = 1; atomic_store_explicit(&a, 2, memory_order_release); atomic_store_explicit(&a, 3, memory_order_relaxed);\n\
           (void)a; (void)atomic_load_explicit(&a, memory_order_acquire); (void)atomic_load_explicit(&a, memory_order_relaxed);\n\
           a++; atomic_fetch_and_explicit(&a, 1, memory_order_acq_rel); atomic_exchange_explicit(&p, 0, memory_order_acquire);\n\
           int e = 0; atomic_compare_exchange_strong(&a, &e, 1);\n\
           atomic_compare_exchange_weak_explicit(&a, &e, 1, memory_order_acq_rel, memory_order_relaxed);\n\
           atomic_thread_fence(memory_order_release); atomic_signal_fence(memory_order_seq_cst);\n\
           plain = 1; v = 2; __atomic_fetch_max(&plain, 3, __ATOMIC_RELAXED);\n\
         }\n",
    );
    let f = function(&module, "f");
    let a = global_id(&module, "a");
    let stores: Vec<_> = ops(f)
        .filter_map(|op| match op {
            Op::Store { order, address: Operand::Global(g, 0), volatile, .. } => {
                Some((module[*g].name.as_str(), *order, *volatile))
            }
            _ => None,
        })
        .collect();
    let expected = [
        ("a", Some(StoreOrder::SeqCst), false),
        ("a", Some(StoreOrder::Release), false),
        ("a", Some(StoreOrder::Relaxed), false),
        ("plain", None, false),
        ("v", None, true),
    ];
    assert_eq!(stores, expected);
    let loads: Vec<_> = ops(f)
        .filter_map(|op| match op {
            Op::Load { order, address: Operand::Global(g, 0), .. } if *g == a => *order,
            _ => None,
        })
        .collect();
    assert_eq!(loads, [LoadOrder::SeqCst, LoadOrder::Acquire, LoadOrder::Relaxed]);
    let rmws: Vec<_> = ops(f)
        .filter_map(|op| match op {
            Op::AtomicRmw { op, order, ty, .. } => Some((*op, *order, *ty)),
            _ => None,
        })
        .collect();
    let expected = [
        (RmwOp::Add, Order::SeqCst, Ty::Int(32)),
        (RmwOp::And, Order::AcqRel, Ty::Int(32)),
        // clang exchanges pointers as integers or as pointers, depending on its version.
        (RmwOp::Exchange, Order::Acquire, rmws[2].2),
        (RmwOp::Max, Order::Relaxed, Ty::Int(32)),
    ];
    assert_eq!(rmws, expected);
    let exchanges: Vec<_> = ops(f)
        .filter_map(|op| match op {
            Op::CompareExchange { weak, success_order, failure_order, .. } => {
                Some((*weak, *success_order, *failure_order))
            }
            _ => None,
        })
        .collect();
    assert_eq!(exchanges, [(false, Order::SeqCst, LoadOrder::SeqCst), (true, Order::AcqRel, LoadOrder::Relaxed)]);
    let fences: Vec<_> = ops(f)
        .filter_map(|op| match op {
            Op::Fence { order, single_thread } => Some((*order, *single_thread)),
            _ => None,
        })
        .collect();
    assert_eq!(fences, [(Order::Release, false), (Order::SeqCst, true)]);
}

#[test]
fn intrinsics() {
    let module = compile(
        "#include <string.h>\nstruct s { int a[20]; };\n\
         void copy(struct s *d, struct s *e, unsigned n) { *d = *e; memcpy(d, e, n); memmove(d, e, 4); memset(d, 1, n); }\n\
         int over(int a, int b, int *r) { return __builtin_mul_overflow(a, b, r); }\n\
         int bits(unsigned x) { return __builtin_popcount(x) + __builtin_clz(x) + __builtin_ctz(x) + (int)__builtin_bswap32(x); }\n\
         unsigned rotate(unsigned x, unsigned n) { return __builtin_rotateleft32(x, n) ^ __builtin_rotateright32(x, n); }\n\
         int hint(int x) { if (__builtin_expect(x, 0)) return 1; return __builtin_constant_p(x) + (int)__builtin_object_size(&x, 0); }\n\
         int size(char *p) { return __builtin_object_size(p, 0) == (unsigned long)-1; }\n\
         void stop(void) { __builtin_trap(); }\n\
         int vla(int n) { int s = 0; { int a[n]; a[0] = 1; s = a[n - 1]; } return s; }\n\
         int magnitude(int x) { return __builtin_abs(x); }\n",
    );
    let copies: Vec<bool> = ops(function(&module, "copy"))
        .filter_map(|op| if let Op::MemCopy { may_overlap, .. } = op { Some(*may_overlap) } else { None })
        .collect();
    assert_eq!(copies, [false, false, true]);
    assert!(ops(function(&module, "copy")).any(|op| matches!(op, Op::MemSet { byte: Operand::Int(1), .. })));
    assert!(
        ops(function(&module, "over"))
            .any(|op| matches!(op, Op::Overflow { op: OverflowOp::SMul, ty: Ty::Int(32), .. }))
    );
    let found: Vec<BitOp> = ops(function(&module, "bits"))
        .filter_map(|op| if let Op::Bits { op, .. } = op { Some(*op) } else { None })
        .collect();
    assert_eq!(found, [BitOp::PopCount, BitOp::LeadingZeros, BitOp::TrailingZeros, BitOp::ByteSwap]);
    let shifts = ops(function(&module, "rotate"))
        .filter(|op| matches!(op, Op::Binary { op: BinaryOp::Shl | BinaryOp::LShr, .. }));
    assert_eq!(shifts.count(), 6);
    assert_eq!(calls(&module, function(&module, "stop")), ["llvm.trap"]);
    assert!(function(&module, "llvm.trap").no_return);
    let vla = function(&module, "vla");
    assert!(
        ops(vla).any(|op| matches!(op, Op::StackSave { .. }))
            && ops(vla).any(|op| matches!(op, Op::StackRestore { .. }))
    );
    assert!(ops(vla).any(|op| matches!(op, Op::Alloca { count: Operand::Reg(_), size: 4, .. })));
    for f in module.functions.iter().filter(|f| !f.is_declaration()) {
        assert_eq!(unsupported(f), [""; 0], "{}", f.name);
    }
}

#[test]
fn what_is_not_known_is_named_and_the_rest_goes_on() {
    let module = compile(
        "_Float16 half(_Float16 x) { return x / 2; } __float128 quad(__float128 x) { return -x; }\n\
         int swap(int x) { __asm__ volatile(\"bswapl %0\" : \"+r\"(x)); return x; }\n\
         int move(int *p) { int x; __asm__ volatile(\"movl %1, %0\" : \"=r\"(x) : \"m\"(*p)); return x; }\n\
         int unlocked(int *p) { __asm__ volatile(\"incl %0\" : \"+m\"(*p)); return 0; }\n\
         void spin(void) { __asm__ volatile(\"pause\" ::: \"memory\"); } void barrier(void) { __asm__ volatile(\"\" ::: \"memory\"); }\n\
         int opaque(int x) { __asm__(\"\" : \"+r\"(x)); return x; }\n\
         typedef int four __attribute__((vector_size(16))); four v(four a) { return a + a; }\n\
         int jump(int x) { void *to[] = { &&a, &&b }; goto *to[x]; a: return 1; b: return 2; }\n\
         int fine(int x) { return x; }\n\
         unsigned __int128 wide(unsigned __int128 x) { return x * 3; }\n\
         void *where(void) { return __builtin_return_address(0); }\n",
    );
    let what = |name: &str| unsupported(function(&module, name));
    assert!(what("half")[0].contains("16-bit floating-point"), "{:?}", what("half"));
    assert!(what("quad")[0].contains("128-bit floating-point"), "{:?}", what("quad"));
    assert_eq!(what("swap"), ["inline assembly `bswapl $0`"]);
    let loads =
        |name: &str| ops(function(&module, name)).filter(|op| matches!(op, Op::Load { order: Some(_), .. })).count();
    let stores =
        |name: &str| ops(function(&module, name)).filter(|op| matches!(op, Op::Store { order: Some(_), .. })).count();
    assert_eq!((loads("move"), stores("move")), (1, 0));
    assert_eq!((loads("unlocked"), stores("unlocked")), (1, 1), "another thread could come between");
    assert_eq!(what("spin"), [""; 0]);
    assert_eq!(what("barrier"), [""; 0]);
    assert_eq!(what("opaque"), [""; 0]);
    assert_eq!(what("v"), [""; 0]);
    assert_eq!(what("jump"), [""; 0]);
    assert_eq!(what("fine"), [""; 0]);
    assert_eq!(what("wide"), [""; 0]);
    assert_eq!(what("where"), ["`__builtin_return_address`"]);
}

#[test]
fn constants_of_unusual_width() {
    let module = compile(
        "unsigned __int128 big(void) { return ((unsigned __int128)1 << 100) | 5; }\n\
         __int128 minus(void) { return -2; }\nlong double one(void) { return 1.0L; }\nfloat third(void) { return 1.0f / 3; }\n",
    );
    let returned = |name: &str| match &function(&module, name).blocks[0].terminator {
        Terminator::Return { values } => values.clone(),
        other => panic!("{other:?}"),
    };
    // The System V ABI returns 128-bit integers whole in LLVM's eyes.
    assert!(matches!(returned("big")[..], [Operand::Wide(w)] if module[w] == (1 << 100) | 5), "{:?}", returned("big"));
    assert!(matches!(returned("minus")[..], [Operand::Wide(w)] if module[w] == u128::MAX - 1));
    assert!(matches!(returned("one")[..], [Operand::Wide(w)] if module[w] == 0x3fff_8000_0000_0000_0000));
    assert_eq!(returned("third"), [Operand::Int(u64::from((1.0f32 / 3.0).to_bits()))]);
}

#[test]
fn positions_of_inlined_code_name_both_places() {
    let folder = Folder::new(&[(
        "t.c",
        "int g;\nstatic inline int get(void) {\n  return g;\n}\nint f(void) {\n  return get() + 1;\n}\n",
    )]);
    folder.clang(&["-g", "-O1", "-c", "-emit-llvm", "t.c", "-o", "t.bc"]);
    let module = folder.compile(&["t.bc"]);
    let load = insts(function(&module, "f")).find(|i| matches!(i.op, Op::Load { .. })).expect("the load");
    let inner = &module[load.location.expect("a position")];
    assert_eq!((inner.function.as_str(), inner.line), ("get", 3));
    let outer = &module[inner.inlined_at.expect("a call")];
    assert_eq!((outer.function.as_str(), outer.line, outer.inlined_at), ("f", 6, None));
}

#[test]
fn pointers_learn_from_their_use() {
    let module = compile(
        "#include <stdlib.h>\nstruct node { int key; struct node *next; }; struct list { struct node *head; };\n\
         int from_void(void *arg) { struct node *n = arg; return n->key; }\n\
         int cast(void *arg) { return ((struct node *)arg)->key; }\n\
         void push(struct list *l) { void *raw = malloc(sizeof(struct node)); l->head = raw; }\n\
         int walk(struct list *l) { int s = 0; for (struct node *n = l->head; n; n = n->next) s += n->key; return s; }\n\
         int pick(struct list *l, struct node *o, int c) { return (c ? l->head : o)->key; }\n\
         int bytes(char *s) { return s[1] + *(s + 2); }\n",
    );
    let node = |name: &str, register: Option<&str>| {
        let f = function(&module, name);
        let found = f.registers.iter().find(|r| match register {
            Some(n) => r.name.as_deref() == Some(n),
            None => r.ty == Ty::Ptr,
        });
        type_name(&module, found.expect("a register").points_to.expect("typed"))
    };
    assert_eq!(node("from_void", None), "struct node");
    assert_eq!(node("cast", None), "struct node");
    assert_eq!(node("push", Some("raw")), "struct node");
    assert_eq!(node("walk", Some("n")), "struct node");
    assert_eq!(node("bytes", None), "char");
    assert_eq!(paths(function(&module, "walk")), ["->head", "->key", "->next"]);
    let bytes = function(&module, "bytes");
    assert!(ops(bytes).all(|op| !matches!(op, Op::Offset { array: false, .. })));
    let pick = function(&module, "pick");
    let joined = pick.blocks.iter().find(|b| !b.params.is_empty()).expect("a join").params[0];
    assert_eq!(pick.register(joined).points_to.map(|t| type_name(&module, t)).as_deref(), Some("struct node"));
}

#[test]
fn paths_of_nested_places() {
    let module = compile(
        "struct in { int a, b; }; struct out { struct in arr[3]; struct { int x; } un; union { struct in u; long l; } v; struct in *p; };\n\
         struct out g; int m[2][3];\n\
         int f(struct out *o, struct in *q, int i, long j) {\n\
           struct out l; l.arr[i].b = 1; l.un.x = 2;\n\
           o->arr[i].a = 3; o->un.x = 4; o->v.u.b = 5; o->p[j].b = 6; q[i].a = 7; (q + 1)->b = 8; g.arr[i].b = 9; m[i][j] = 10; o->arr[i + 1].a = 11;\n\
           return l.arr[0].a;\n\
         }\n",
    );
    let expected = [
        ".arr[i].b",
        ".un.x",
        "->arr[i].a",
        "->un.x",
        "->v.u.b",
        "->p",
        "[j].b",
        "[i].a",
        "[1].b",
        ".arr[i].b",
        "[i][j]",
        "->arr[?].a",
        ".arr[0].a",
    ];
    assert_eq!(paths(function(&module, "f")), expected);
}

#[test]
fn unreachable_code_is_gone_and_unused_values_too() {
    let module =
        compile("void abort(void);\nint f(int x) { if (x) { abort(); x = 3; } return x; goto end; end: return 7; }\n");
    let f = function(&module, "f");
    assert!(f.blocks.len() <= 4, "{:?}", f.blocks);
    assert!(f.blocks.iter().all(|b| b.terminator != Terminator::Return { values: vec![Operand::Int(7)] }));
    let module = compile("#include <stdlib.h>\nvoid f(void) { exit(1); }\n");
    assert!(function(&module, "exit").no_return);
    assert_eq!(function(&module, "f").blocks[0].terminator, Terminator::Unreachable);
}

#[test]
fn old_style_and_asm_named_functions() {
    let folder = Folder::new(&[
        (
            "a.c",
            "int old(); int wrong(); int elsewhere(); int twice(a) int a; { return 2 * a; }\n\
             int renamed(int) __asm__(\"other_symbol\"); int renamed(int x) { return x; }\n\
             int alias(int) __attribute__((alias(\"other_symbol\")));\n\
             int f(void) { return old(1, 2) + twice(3) + renamed(4) + elsewhere(5) + wrong(1, 2) + alias(6); }\n",
        ),
        ("b.c", "int old(int a, int b) { return a + b; }\nint wrong(int a) { return a; }\n"),
    ]);
    let module = folder.compile(&["a.c", "b.c"]);
    let twice = function(&module, "twice");
    assert_eq!(twice.source_params.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(function(&module, "renamed").source_params.len(), 1);
    let f = function(&module, "f");
    assert_eq!(calls(&module, f), ["old", "twice", "renamed", "elsewhere", "renamed"]);
    // A call with the wrong number of arguments is left to be judged where it happens.
    let wrong = id(&module, "wrong");
    let indirect = |op: &Op| matches!(op, Op::Call { callee: Callee::Indirect(Operand::Func(id)), .. } if *id == wrong);
    assert_eq!(ops(f).filter(|op| indirect(op)).count(), 1);
}

#[test]
fn external_functions_of_one_name_are_told_apart() {
    // The C name of the definition is the symbol of the declaration.
    let module = compile(
        "int open_it(int) __asm__(\"open64\"); int open_it(int x) { return x; }\n\
         int other(int) __asm__(\"open_it\"); int f(void) { return open_it(1) + other(2); }\n",
    );
    let named: Vec<bool> = module.functions_named("open_it").map(|id| module[id].is_declaration()).collect();
    assert_eq!(named, [true]);
    assert_eq!(calls(&module, function(&module, "f")), ["open64", "open_it"]);
}

/// Marks of the variables of blocks in a function, in the order of its blocks, by the variables' names.
fn marks(f: &Function) -> Vec<String> {
    let mut names = HashMap::new();
    let mut marks = Vec::new();
    for op in ops(f) {
        match op {
            Op::Alloca { dest, name, .. } => drop(names.insert(*dest, name.clone().unwrap_or_default())),
            Op::LocalBegin { variable } => marks.push(format!("begin {}", names[variable])),
            Op::LocalEnd { variable } => marks.push(format!("end {}", names[variable])),
            _ => {}
        }
    }
    marks
}

#[test]
fn variables_end_with_their_blocks() {
    let module = compile(
        "void use(int *); void done(int *);
         void function(void) { int a = 0; use(&a); }
         void block(void) { { int a = 0; use(&a); } use(0); }
         void loop(int n) { for (int i = 0; i < n; i++) { int a; use(&a); if (i == 5) return; } }
         void both(int n) { if (n) { int a; use(&a); } else { int b; use(&b); } use(0); }
         void last(int n) { if (n) { int a; use(&a); } }
         void nested(void) { { int a; use(&a); { int b; use(&b); use(&a); } use(&a); } use(0); }
         void counted(void) { for (int i = 0; i < 3; i++) use(&i); use(0); }
         void cleaned(void) { { int a __attribute__((cleanup(done))) = 0; use(&a); } use(0); }
         void promoted(void) { { int a = 0; a++; } use(0); }
         static inline __attribute__((always_inline)) void inlined(int n) { { int a; use(&a); } use(0); }
         void caller(int n) { { inlined(n); } use(0); }",
    );
    let marks = |name| marks(function(&module, name));
    assert_eq!(marks("function"), [""; 0]);
    assert_eq!(marks("block"), ["end a"]);
    // The function ends all the same where it returns.
    assert_eq!(marks("loop"), ["begin a", "end a"]);
    assert_eq!(marks("both"), ["end a", "end b"]);
    assert_eq!(marks("last"), [""; 0]);
    assert_eq!(marks("nested"), ["end b", "end a"]);
    assert_eq!(marks("counted"), ["end i"]);
    assert_eq!(marks("cleaned"), [""; 0]);
    assert_eq!(marks("promoted"), [""; 0]);
    assert_eq!(marks("caller"), [""; 0]);
}
