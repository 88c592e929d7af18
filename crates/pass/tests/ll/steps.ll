; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; What ends a step is decided from attributes and definitions.

target triple = "x86_64-pc-linux-gnu"
; What was relied on is written down for the link.
; CHECK: module asm ".pushsection .raceproof.assumes
; CHECK: module asm ".asciz \22sin\22"

declare double @sin(double) #0
declare i32 @looks(ptr) #1
declare i32 @omp_get_thread_num() #1
declare void @lock(ptr)

; Named as the library's, and not the library's.
define double @log(double %x) {
  call void @lock(ptr null)
  ret double %x
}

define internal i32 @quiet(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

define void @library(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @library(
; CHECK: call void @__tsan_write8(ptr %p)
; CHECK: call double @sin
; CHECK-NOT: tsan
; CHECK: ret
  store double 1.0, ptr %p
  %v = call double @sin(double 1.0)
  store double %v, ptr %p
  ret void
}

define void @own(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @own(
; CHECK: call void @__tsan_write8(ptr %p)
; CHECK: call double @log
; CHECK: call void @__tsan_write8(ptr %p)
  store double 1.0, ptr %p
  %v = call double @log(double 1.0)
  store double %v, ptr %p
  ret void
}

define void @defined(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @defined(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK-NOT: tsan
; CHECK: ret
  store i32 1, ptr %p
  %v = call i32 @quiet(ptr %p)
  %w = call i32 @looks(ptr %p)
  store i32 %v, ptr %p
  ret void
}

define void @number(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @number(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call void @__tsan_write4(ptr %p)
  store i32 1, ptr %p
  %v = call i32 @omp_get_thread_num()
  store i32 %v, ptr %p
  ret void
}

define void @atomic(ptr %p, ptr %flag) sanitize_thread {
; CHECK-LABEL: define void @atomic(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: store atomic
; CHECK: call void @__tsan_write4(ptr %p)
  store i32 1, ptr %p
  store atomic i32 1, ptr %flag release, align 4
  store i32 2, ptr %p
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { nounwind willreturn memory(read) }
