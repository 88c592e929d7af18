; passes: raceproof-mark,raceproof-lower
; Atomic updates for which clang's pass has no call become what it has calls for.

define i32 @largest(ptr %p, i32 %v) sanitize_thread {
; CHECK-LABEL: define i32 @largest(
; CHECK: load atomic i32, ptr %p monotonic
; CHECK: cmpxchg ptr %p, i32 %{{.*}}, i32 %{{.*}} seq_cst seq_cst
; CHECK-NOT: atomicrmw
; CHECK: ret
  %old = atomicrmw max ptr %p, i32 %v seq_cst
  ret i32 %old
}

define i32 @sum(ptr %p, i32 %v) sanitize_thread {
; CHECK-LABEL: define i32 @sum(
; CHECK: atomicrmw add
  %old = atomicrmw add ptr %p, i32 %v monotonic
  ret i32 %old
}
