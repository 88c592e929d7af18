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
