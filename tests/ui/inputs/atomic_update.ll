;@ run: check
; The silent twin of lost_update.ll, without debug information: an atomic addition. Two orders.
target triple = "x86_64-pc-linux-gnu"

@hits = global i32 0, align 4

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

define internal ptr @worker(ptr %arg) {
  %old = atomicrmw add ptr @hits, i32 1 seq_cst, align 4
  ret ptr %arg
}

define i32 @main() {
  %t = alloca i64, align 8
  %1 = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr null)
  %2 = call ptr @worker(ptr null)
  %3 = load i64, ptr %t, align 8
  %4 = call i32 @pthread_join(i64 %3, ptr null)
  ret i32 0
}
;~ SAFE executions=2
