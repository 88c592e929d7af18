; passes: raceproof-mark,raceproof-lower-inline
; The same-epoch test stands before the call where a loop comes back to its memory.

define i32 @at_random(ptr %table, ptr %indices, i64 %n) sanitize_thread {
; CHECK-LABEL: define i32 @at_random(
; CHECK: loop:
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK: [[WORD:%.*]] = ptrtoint ptr %q to i64
; CHECK: [[MASKED:%.*]] = and i64 [[WORD]], 4398046511100
; CHECK: [[OFFSET:%.*]] = shl i64 [[MASKED]], 1
; CHECK: [[SUM:%.*]] = add i64 [[OFFSET]], 17592186044416
; CHECK: [[AT:%.*]] = inttoptr i64 [[SUM]] to ptr
; CHECK: [[CELL:%.*]] = load i64, ptr [[AT]]
; CHECK: [[LATEST:%.*]] = call i32 @llvm.smax.i32(
; CHECK: [[NOW:%.*]] = load i32, ptr @__raceproof_now
; CHECK: [[IS_OLD:%.*]] = icmp slt i32 [[LATEST]], [[NOW]]
; CHECK: br i1 [[IS_OLD]], label %{{.*}}, label %[[REST:.*]], !prof
; CHECK: icmp ult i32
; CHECK: br i1 %{{.*}}, label %[[CALL:.*]], label %[[REST]], !prof
; CHECK: [[CALL]]:
; CHECK-NEXT: call void @__tsan_read4(ptr %q)
; CHECK-NEXT: br label %[[REST]]
; CHECK: ret
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %indices, i64 %i
  %index = load i64, ptr %p, align 8
  %q = getelementptr i32, ptr %table, i64 %index
  %v = load i32, ptr %q, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %v
}

define void @written(ptr %table, ptr %indices, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @written(
; CHECK: [[CELL:%.*]] = load i64, ptr {{.*}}!nosanitize
; CHECK: [[SECOND:%.*]] = load i64, ptr {{.*}}!nosanitize
; CHECK: icmp ne i64 [[CELL]], [[SECOND]]
; CHECK: [[WRITER:%.*]] = trunc i64 [[CELL]] to i32
; CHECK: icmp slt i32 [[WRITER]], {{%.*}}
; CHECK: [[READERS:%.*]] = lshr i64 [[CELL]], 32
; CHECK: icmp ne i64 [[READERS]], 0
; CHECK: call void @__tsan_write8(ptr %q)
; CHECK: ret
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %indices, i64 %i
  %index = load i64, ptr %p, align 8
  %q = getelementptr i64, ptr %table, i64 %index
  store i64 1, ptr %q, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @list(ptr %first) sanitize_thread {
; CHECK-LABEL: define void @list(
; CHECK-NOT: __raceproof_now
; CHECK: call void @__tsan_read8(ptr %at)
; CHECK-NOT: __raceproof_now
; CHECK: ret
entry:
  br label %loop
loop:
  %at = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at, align 8
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @once(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @once(
; CHECK-NOT: __raceproof_now
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: ret
  store i32 1, ptr %p, align 4
  ret void
}

declare void @elsewhere()

; Beside another call the test would save little.
define void @calling(ptr %table, ptr %indices, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @calling(
; CHECK-NOT: nosanitize
; CHECK: call void @__tsan_write8(ptr %q)
; CHECK-NOT: nosanitize
; CHECK: ret
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %indices, i64 %i
  %index = load i64, ptr %p, align 8
  %q = getelementptr i64, ptr %table, i64 %index
  store i64 1, ptr %q, align 8
  call void @elsewhere()
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; An iteration of a worksharing loop begins a step: nothing was accessed in it before.
define void @worksharing(ptr %table, ptr %indices, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @worksharing(
; CHECK-NOT: raceproof_now
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4(ptr %q)
; CHECK-NOT: raceproof_now
; CHECK: ret
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %p = getelementptr i64, ptr %indices, i64 %i
  %index = load i64, ptr %p, align 8
  %q = getelementptr i32, ptr %table, i64 %index
  store i32 1, ptr %q, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare void @raceproof.iteration(i64)
