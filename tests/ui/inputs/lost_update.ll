;@ run: check
; LLVM's text as input. Its debug information names this file, and each access its own line here.
target triple = "x86_64-pc-linux-gnu"

@hits = global i32 0, align 4, !dbg !5

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

define internal ptr @worker(ptr %arg) !dbg !9 {
  %old = load i32, ptr @hits, align 4, !dbg !20 ;~ RACE@update read
  %new = add nsw i32 %old, 1, !dbg !21
  store i32 %new, ptr @hits, align 4, !dbg !22 ;~ RACE write/write ;~ RACE@update write
  ret ptr %arg, !dbg !23
}

define i32 @main() !dbg !12 {
  %t = alloca i64, align 8, !dbg !24
  %1 = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr null), !dbg !24
  %2 = call ptr @worker(ptr null), !dbg !25
  %3 = load i64, ptr %t, align 8, !dbg !26
  %4 = call i32 @pthread_join(i64 %3, ptr null), !dbg !26
  ret i32 0, !dbg !27
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "hand", isOptimized: false, emissionKind: FullDebug, globals: !2)
!1 = !DIFile(filename: "lost_update.ll", directory: ".")
!2 = !{!5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 7, !"Dwarf Version", i32 5}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(name: "hits", scope: !0, file: !1, line: 5, type: !7, isLocal: false, isDefinition: true)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!9 = distinct !DISubprogram(name: "worker", scope: !1, file: !1, line: 10, type: !10, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{!8, !8}
!12 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 17, type: !13, spFlags: DISPFlagDefinition, unit: !0)
!13 = !DISubroutineType(types: !14)
!14 = !{!7}
!20 = !DILocation(line: 11, column: 3, scope: !9)
!21 = !DILocation(line: 12, column: 3, scope: !9)
!22 = !DILocation(line: 13, column: 3, scope: !9)
!23 = !DILocation(line: 14, column: 3, scope: !9)
!24 = !DILocation(line: 19, column: 3, scope: !12)
!25 = !DILocation(line: 20, column: 3, scope: !12)
!26 = !DILocation(line: 22, column: 3, scope: !12)
!27 = !DILocation(line: 23, column: 3, scope: !12)
