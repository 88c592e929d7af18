; passes: raceproof-mark,always-inline,raceproof-drop-private,raceproof-lower
; Inlining shows that a local variable goes nowhere: its markers are dropped, and it becomes a register.

declare void @use(ptr)

define internal void @set(ptr %p) alwaysinline sanitize_thread {
  store i32 7, ptr %p
  ret void
}

define i32 @inlined() sanitize_thread {
; CHECK-LABEL: define i32 @inlined(
; CHECK-NEXT: ret i32 7
  %local = alloca i32
  call void @set(ptr %local)
  %v = load i32, ptr %local
  ret i32 %v
}

define i32 @given_away() sanitize_thread {
; CHECK-LABEL: define i32 @given_away(
; CHECK: call void @__tsan_write4(ptr %local)
; CHECK: call void @__tsan_read4(ptr %local)
  %local = alloca i32
  call void @set(ptr %local)
  call void @use(ptr %local)
  %v = load i32, ptr %local
  ret i32 %v
}

declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
declare i32 @__kmpc_single(ptr, i32)

; The number of a thread is the OpenMP runtime's own memory.
define internal void @body(ptr %thread, ptr %bound, ptr %shared) sanitize_thread {
; CHECK-LABEL: define internal void @body(
; CHECK-NOT: call void @__tsan_read4(ptr %thread)
; CHECK: call void @__tsan_read4(ptr %shared)
  %number = load i32, ptr %thread
  %takes = call i32 @__kmpc_single(ptr null, i32 %number)
  %value = load i32, ptr %shared
  call void @use(ptr %shared)
  ret void
}

define void @region(ptr %shared) sanitize_thread {
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 1, ptr @body, ptr %shared)
  ret void
}

; Whoever else calls the function may hand it any memory.
define internal void @called(ptr %memory, ptr %bound) sanitize_thread {
; CHECK-LABEL: define internal void @called(
; CHECK: call void @__tsan_read4(ptr %memory)
  %value = load i32, ptr %memory
  call void @use(ptr %bound)
  ret void
}

define void @calls(ptr %memory) sanitize_thread {
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 0, ptr @called)
  call void @called(ptr %memory, ptr null)
  ret void
}
