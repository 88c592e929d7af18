; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; Checks of a loop become one of a range, before it or behind it.

declare void @wait()

define void @row(ptr %a, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @row(
; CHECK: call void @__raceproof_write_span(ptr %a,
; CHECK: loop:
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %at
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @rows(ptr %a) sanitize_thread {
; CHECK-LABEL: define void @rows(
; CHECK: call void @__raceproof_write_runs(ptr %a, i64 8, i64 10, i64 8, i64 20, i64 160)
; CHECK: outer:
; CHECK-NOT: tsan
; CHECK: ret
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %latch ]
  %row = getelementptr [20 x double], ptr %a, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = getelementptr double, ptr %row, i64 %j
  store double 1.0, ptr %at
  %j.next = add nuw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 10
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, 20
  br i1 %i.more, label %outer, label %done
done:
  ret void
}

define void @with_steps(ptr %a, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @with_steps(
; CHECK-NOT: raceproof
; CHECK: loop:
; CHECK: call void @__tsan_write4
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %at
  call void @wait()
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Its data says when it ends.
define i64 @length(ptr %text) sanitize_thread {
; CHECK-LABEL: define i64 @length(
; CHECK: loop:
; CHECK-NOT: tsan
; CHECK: done:
; CHECK: call void @__raceproof_read_span(ptr %text,
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr i8, ptr %text, i64 %i
  %c = load i8, ptr %at
  %next = add nuw i64 %i, 1
  %more = icmp ne i8 %c, 0
  br i1 %more, label %loop, label %done
done:
  ret i64 %i
}

; Elements one after the other, not one in each iteration.
define void @scan(ptr %a, ptr %end, i32 %x) sanitize_thread {
; CHECK-LABEL: define void @scan(
; CHECK: loop:
; CHECK-NOT: tsan
; CHECK: done:
; CHECK: call void @__raceproof_read_span(ptr %a,
  br label %loop
loop:
  %at = phi ptr [ %a, %0 ], [ %next, %loop ]
  %left = phi i32 [ %x, %0 ], [ %rest, %loop ]
  %v = load i32, ptr %at
  %takes = icmp slt i32 %v, %left
  %step = select i1 %takes, i64 4, i64 0
  %next = getelementptr i8, ptr %at, i64 %step
  %rest = sub i32 %left, %v
  %more = icmp ult ptr %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Not in every iteration.
define void @some(ptr %a, ptr %b, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @some(
; CHECK: call void @__raceproof_read_span(ptr %b,
; CHECK: then:
; CHECK: call void @__tsan_write4
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %from = getelementptr i32, ptr %b, i64 %i
  %v = load i32, ptr %from
  %c = icmp sgt i32 %v, 0
  br i1 %c, label %then, label %latch
then:
  %at = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %at
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

declare void @abort() noreturn nounwind

; A loop may end the program: what it has accessed by then is reported before that.
define void @may_abort(ptr %a, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @may_abort(
; CHECK: loop:
; CHECK-NOT: tsan
; CHECK: fails:
; CHECK: call void @__raceproof_read_span(ptr %a,
; CHECK: call void @abort()
; CHECK: done:
; CHECK: call void @__raceproof_read_span(ptr %a,
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %goes.on ]
  %at = getelementptr i32, ptr %a, i64 %i
  %value = load i32, ptr %at
  %is.bad = icmp slt i32 %value, 0
  br i1 %is.bad, label %fails, label %goes.on
goes.on:
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
fails:
  call void @abort()
  unreachable
done:
  ret void
}

; The inner loop is entered in every iteration or in none, and its bounds are loaded behind that condition.
define void @guarded_rows(ptr %a, i64 %n, i64 %m, ptr noalias %context) sanitize_thread {
; CHECK-LABEL: define void @guarded_rows(
; CHECK: [[ENTERED:%.*]] = freeze i1 %entered
; CHECK: br i1 [[ENTERED]]
; CHECK: load ptr, ptr %context
; CHECK: [[STRIDE:%.*]] = load i64,
; CHECK: phi i64 [ poison, {{.*}} ], [ [[STRIDE]],
; CHECK: call void @__tsan_read8(ptr %context)
; CHECK: call void @__raceproof_write_runs(ptr %a, i64 4, i64 %m, i64 {{.*}}, i64 {{.*}}, i64 4)
; CHECK: outer:
; CHECK-NOT: __raceproof
; CHECK-NOT: __tsan_{{read|write}}
; CHECK: ret
  %entered = icmp sgt i64 %m, 0
  br label %outer
outer:
  %j = phi i64 [ 0, %0 ], [ %j.next, %latch ]
  br i1 %entered, label %bounds, label %latch
bounds:
  %where = load ptr, ptr %context, !tbaa !0
  %stride = load i64, ptr %where, !tbaa !3
  %column = getelementptr i32, ptr %a, i64 %j
  br label %inner
inner:
  %i = phi i64 [ 0, %bounds ], [ %i.next, %inner ]
  %offset = mul i64 %i, %stride
  %at = getelementptr i32, ptr %column, i64 %offset
  store i32 1, ptr %at, !tbaa !5
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %m
  br i1 %i.more, label %inner, label %latch
latch:
  %j.next = add nuw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %outer, label %done
done:
  ret void
}

; What the loop may write stays in it, and so does what depends on it.
define void @guarded_and_written(ptr %a, i64 %n, i64 %m, ptr %context) sanitize_thread {
; CHECK-LABEL: define void @guarded_and_written(
; CHECK: outer:
; CHECK: load i64, ptr %context
; CHECK: call void @__raceproof_write_run(
; CHECK: ret
  %entered = icmp sgt i64 %m, 0
  br label %outer
outer:
  %j = phi i64 [ 0, %0 ], [ %j.next, %latch ]
  br i1 %entered, label %bounds, label %latch
bounds:
  %stride = load i64, ptr %context
  %column = getelementptr i32, ptr %a, i64 %j
  br label %inner
inner:
  %i = phi i64 [ 0, %bounds ], [ %i.next, %inner ]
  %offset = mul i64 %i, %stride
  %at = getelementptr i32, ptr %column, i64 %offset
  store i32 1, ptr %at
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %m
  br i1 %i.more, label %inner, label %latch
latch:
  %j.next = add nuw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %outer, label %done
done:
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"pointer", !2}
!2 = !{!"C"}
!3 = !{!4, !4, i64 0}
!4 = !{!"long", !2}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !2}
