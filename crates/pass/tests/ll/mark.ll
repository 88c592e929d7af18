; passes: raceproof-mark,raceproof-lower
; Every access of the source is marked, but for those of memory that nobody else can reach or write.

@shared = global i32 0
@fixed = constant i32 7
declare void @use(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @accesses(ptr %p, ptr %q) sanitize_thread {
; CHECK-LABEL: define void @accesses(
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK-NEXT: load i64
  %v = load i64, ptr %p, align 8
; CHECK: call void @__tsan_unaligned_write4(ptr %q)
  store i32 1, ptr %q, align 1
; CHECK: call void @__tsan_write1(ptr @shared)
  store i8 1, ptr @shared, align 4
; CHECK: call void @__tsan_read_range(ptr %q, i64 24)
; CHECK: call void @__tsan_write_range(ptr %p, i64 24)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 24, i1 false)
  ret void
}

define i32 @unshared() sanitize_thread {
; CHECK-LABEL: define i32 @unshared(
; CHECK-NOT: tsan
  %local = alloca [4 x i32]
  %second = getelementptr i32, ptr %local, i64 1
  store i32 1, ptr %second
  %a = load i32, ptr %second
  %b = load i32, ptr @fixed
  %sum = add i32 %a, %b
  ret i32 %sum
}

define void @given_away() sanitize_thread {
; CHECK-LABEL: define void @given_away(
; CHECK: call void @__tsan_write4(ptr %local)
  %local = alloca i32
  store i32 1, ptr %local
  call void @use(ptr nocapture %local)
  ret void
}

define void @not_instrumented(ptr %p) {
; CHECK-LABEL: define void @not_instrumented(
; CHECK-NOT: tsan
; CHECK: ret void
  store i32 1, ptr %p
  ret void
}
