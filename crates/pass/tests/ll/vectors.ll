; passes: raceproof-mark,raceproof-lower
; Lanes under a mask are accesses of their own, and operands of inline assembly that are memory.

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32 immarg, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32 immarg, <4 x i1>, <4 x i32>)

; One that a constant mask leaves out is none.
define void @constant(ptr %p, <4 x i32> %v) sanitize_thread {
; CHECK-LABEL: define void @constant(
; CHECK-NEXT: call void @__tsan_unaligned_write4(ptr %p)
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr %p, i64 8
; CHECK-NEXT: call void @__tsan_unaligned_write4(ptr [[AT]])
; CHECK-NEXT: call void @llvm.masked.store
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 4, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ret void
}

define <4 x i32> @gathered(<4 x ptr> %p, <4 x i1> %mask) sanitize_thread {
; CHECK-LABEL: define <4 x i32> @gathered(
; CHECK: [[BIT:%.*]] = extractelement <4 x i1> %mask, i64 0
; CHECK: [[SIZE:%.*]] = select i1 [[BIT]], i64 4, i64 0
; CHECK: [[LANE:%.*]] = extractelement <4 x ptr> %p, i64 0
; CHECK: call void @__tsan_read_range(ptr [[LANE]], i64 [[SIZE]])
; CHECK-COUNT-3: call void @__tsan_read_range(
; CHECK-NOT: __tsan
; CHECK: ret
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> %mask, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}

define void @assembly(ptr %p, ptr %q) sanitize_thread {
; CHECK-LABEL: define void @assembly(
; CHECK-NEXT: call void @__tsan_unaligned_write4(ptr %p)
; CHECK-NEXT: call void @__tsan_unaligned_read8(ptr %q)
; CHECK-NEXT: call void asm
  call void asm "movl $1, $0", "=*m,*m,~{dirflag}"(ptr elementtype(i32) %p, ptr elementtype(i64) %q)
  ret void
}

; Atomic, and for the optimiser.
define void @others(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @others(
; CHECK-NOT: __tsan
; CHECK: ret
  call void asm sideeffect "lock; incl $0", "=*m,*m"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  call void asm sideeffect "", "=*m,*m"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  ret void
}
