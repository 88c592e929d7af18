; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; Checks in a worksharing loop, whose iterations are marked: what leaves it is a range by iterations.

declare void @raceproof.iteration(i64) nounwind willreturn nosync memory(inaccessiblemem: readwrite)
declare void @unknown()
declare i32 @pure(i32) nounwind willreturn nosync memory(none)

; All leaves, and so does the mark.
define void @row(ptr %a, ptr %b, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @row(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK-NEXT: {{%.*}} = mul
; CHECK-NEXT: {{%.*}} = getelementptr
; CHECK-NEXT: call void @__raceproof_read_span(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK: call void @__raceproof_write_span(
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %from = getelementptr i32, ptr %b, i64 %i
  %v = load i32, ptr %from
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 %v, ptr %to
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A span has no direction: elements from the last to the first are a run.
define void @downwards(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @downwards(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK-NEXT: call void @__raceproof_write_run(ptr {{.*}}, i64 4, i64 {{.*}}, i64 -4)
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %down = sub i64 0, %i
  %to = getelementptr i32, ptr %a, i64 %down
  store i32 1, ptr %to
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Many iterations access one variable.
define void @stays(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @stays(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK-NEXT: call void @__raceproof_write_run(ptr %a, i64 4, i64 {{%.*}}, i64 0)
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %low = trunc i64 %i to i32
  store i32 %low, ptr %a
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The same where the loop begins with its condition: the body may be made no time.
define void @unrotated(ptr %a, ptr %b, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @unrotated(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK-NEXT: call void @__raceproof_write_run(ptr %a, i64 4, i64 {{%.*}}, i64 0)
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK: call void @__raceproof_write_span(
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %body ]
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %body, label %done
body:
  call void @raceproof.iteration(i64 %i)
  store i32 1, ptr %a
  %to = getelementptr i32, ptr %b, i64 %i
  store i32 1, ptr %to
  %next = add nsw i64 %i, 1
  br label %loop
done:
  ret void
}

; Rows: the worksharing loop adds the second dimension.
define void @rows(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @rows(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 1)
; CHECK-NEXT: call void @__raceproof_write_runs(ptr {{%.*}}, i64 8, i64 10, i64 8, i64 {{%.*}}, i64 160)
; CHECK: outer:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %outer
outer:
  %i = phi i64 [ %lb, %0 ], [ %i.next, %latch ]
  call void @raceproof.iteration(i64 %i)
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
  %i.next = add nsw i64 %i, 1
  %i.more = icmp slt i64 %i, %ub
  br i1 %i.more, label %outer, label %done
done:
  ret void
}

; A row that every iteration accesses.
define void @same_row(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @same_row(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 1)
; CHECK-NEXT: call void @__raceproof_write_runs(ptr %a, i64 8, i64 10, i64 8, i64 {{%.*}}, i64 0)
; CHECK: outer:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %outer
outer:
  %i = phi i64 [ %lb, %0 ], [ %i.next, %latch ]
  call void @raceproof.iteration(i64 %i)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = getelementptr double, ptr %a, i64 %j
  store double 1.0, ptr %at
  %j.next = add nuw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 10
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add nsw i64 %i, 1
  %i.more = icmp slt i64 %i, %ub
  br i1 %i.more, label %outer, label %done
done:
  ret void
}

; There is no third dimension: a table that every iteration accesses stays behind the mark.
define void @same_table(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @same_table(
; CHECK-NOT: raceproof
; CHECK: outer:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK-NOT: by_iterations
; CHECK: call void @__raceproof_write_runs(ptr %a, i64 8, i64 10, i64 8, i64 5, i64 160)
; CHECK: middle:
; CHECK-NOT: raceproof
; CHECK: ret
  br label %outer
outer:
  %i = phi i64 [ %lb, %0 ], [ %i.next, %outer.latch ]
  call void @raceproof.iteration(i64 %i)
  br label %middle
middle:
  %k = phi i64 [ 0, %outer ], [ %k.next, %middle.latch ]
  %row = getelementptr [20 x double], ptr %a, i64 %k
  br label %inner
inner:
  %j = phi i64 [ 0, %middle ], [ %j.next, %inner ]
  %at = getelementptr double, ptr %row, i64 %j
  store double 1.0, ptr %at
  %j.next = add nuw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 10
  br i1 %j.more, label %inner, label %middle.latch
middle.latch:
  %k.next = add nuw i64 %k, 1
  %k.more = icmp ult i64 %k.next, 5
  br i1 %k.more, label %middle, label %outer.latch
outer.latch:
  %i.next = add nsw i64 %i, 1
  %i.more = icmp slt i64 %i, %ub
  br i1 %i.more, label %outer, label %done
done:
  ret void
}

; The index leaves, the element does not: the mark stays.
define void @indirect(ptr %a, ptr %index, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @indirect(
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK: call void @__raceproof_read_span(
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %from = getelementptr i64, ptr %index, i64 %i
  %at = load i64, ptr %from
  %to = getelementptr i32, ptr %a, i64 %at
  store i32 1, ptr %to
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A check of one iteration does not stand for that of another, nor one before the loop for one in it; within an iteration one is enough.
define void @redundant(ptr %p, ptr %index, i64 %lb, i64 %ub, i1 %c) sanitize_thread {
; CHECK-LABEL: define void @redundant(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: then:
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK-NOT: tsan
; CHECK: latch:
; CHECK-NOT: tsan
; CHECK: ret
  store i32 0, ptr %p
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %latch ]
  call void @raceproof.iteration(i64 %i)
  %odd = trunc i64 %i to i1
  br i1 %odd, label %then, label %latch
then:
  store i32 1, ptr %p
  store i32 2, ptr %p
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Chunks: a range by iterations stays in the loop over them.
define void @chunks(ptr %a, i64 %lb, i64 %stride, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @chunks(
; CHECK-NOT: raceproof
; CHECK: chunk:
; CHECK: call void @__raceproof_by_iterations(i64 %c, i32 0)
; CHECK: call void @__raceproof_write_span(
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %chunk
chunk:
  %c = phi i64 [ %lb, %0 ], [ %c.next, %chunk.latch ]
  br label %loop
loop:
  %i = phi i64 [ %c, %chunk ], [ %next, %loop ]
  %k = phi i64 [ 0, %chunk ], [ %k.next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %to
  %next = add nsw i64 %i, 1
  %k.next = add nuw i64 %k, 1
  %more = icmp ult i64 %k.next, 4
  br i1 %more, label %loop, label %chunk.latch
chunk.latch:
  %c.next = add nsw i64 %c, 8
  %c.more = icmp slt i64 %c.next, %n
  br i1 %c.more, label %chunk, label %done
done:
  ret void
}

; A loop around it: what is marked inside belongs to iterations of the other.
define void @around(ptr %a, ptr %index, i64 %lb, i64 %n) sanitize_thread {
; CHECK-LABEL: define void @around(
; CHECK-NOT: raceproof
; CHECK: outer:
; CHECK: call void @__tsan_read4(ptr %a)
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4
  br label %outer
outer:
  %c = phi i64 [ 0, %0 ], [ %c.next, %outer.latch ]
  %v = load i32, ptr %a
  br label %loop
loop:
  %i = phi i64 [ %lb, %outer ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %odd = mul i64 %i, %i
  %to = getelementptr i32, ptr %a, i64 %odd
  store i32 1, ptr %to
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %n
  br i1 %more, label %loop, label %outer.latch
outer.latch:
  %c.next = add nuw i64 %c, 1
  %c.more = icmp ult i64 %c.next, 10
  br i1 %c.more, label %outer, label %done
done:
  ret void
}

; How long it runs is known behind it.
define void @sunk(ptr %a, ptr %flag, i64 %lb) sanitize_thread {
; CHECK-LABEL: define void @sunk(
; CHECK: loop:
; CHECK-NOT: raceproof_
; CHECK-NOT: tsan
; CHECK: done:
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK-NEXT: call void @__raceproof_write_run(ptr %flag, i64 4, i64 %raceproof.made{{.*}}, i64 0)
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK: call void @__raceproof_read_span(
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %from = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %from
  store i32 %v, ptr %flag
  %next = add nsw i64 %i, 1
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; An element is not one of each iteration: which iteration made it is known there only.
define void @scan(ptr %a, ptr %end, i32 %x, i64 %lb) sanitize_thread {
; CHECK-LABEL: define void @scan(
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_read4
; CHECK: done:
; CHECK-NOT: raceproof
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %i.next, %loop ]
  %at = phi ptr [ %a, %0 ], [ %next, %loop ]
  %left = phi i32 [ %x, %0 ], [ %rest, %loop ]
  call void @raceproof.iteration(i64 %i)
  %v = load i32, ptr %at
  %takes = icmp slt i32 %v, %left
  %step = select i1 %takes, i64 4, i64 0
  %next = getelementptr i8, ptr %at, i64 %step
  %rest = sub i32 %left, %v
  %i.next = add nsw i64 %i, 1
  %more = icmp ult ptr %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Behind a condition that is the same in every iteration.
define void @guarded(ptr %a, i64 %lb, i64 %ub, i1 %c) sanitize_thread {
; CHECK-LABEL: define void @guarded(
; CHECK: br i1
; CHECK: call void @__raceproof_by_iterations(i64 %lb, i32 0)
; CHECK: call void @__raceproof_write_span(
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %latch ]
  call void @raceproof.iteration(i64 %i)
  br i1 %c, label %then, label %latch
then:
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %to
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A counter of 32 bits without signs may wrap as far as LLVM knows, and has bounds of its type as far as OpenMP does.
define void @extended(ptr %a, i32 %lb, i32 %ub) sanitize_thread {
; CHECK-LABEL: define void @extended(
; CHECK: [[FIRST:%.*]] = zext i32 %lb to i64
; CHECK: call void @__raceproof_by_iterations(i64 [[FIRST]], i32 0)
; CHECK: call void @__raceproof_write_run(ptr %a, i64 4, i64 {{%.*}}, i64 0)
; CHECK: loop:
; CHECK-NOT: raceproof
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i32 [ %lb, %0 ], [ %next, %loop ]
  %number = zext i32 %i to i64
  call void @raceproof.iteration(i64 %number)
  store i32 %i, ptr %a
  %next = add i32 %i, 1
  %more = icmp ne i32 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Numbers that do not follow each other are those of another loop.
define void @by_twos(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @by_twos(
; CHECK-NOT: by_iterations
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4
; CHECK-NOT: by_iterations
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %to
  %next = add nsw i64 %i, 2
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Two iterations in one, as after a loop was unrolled.
define void @unrolled(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @unrolled(
; CHECK-NOT: by_iterations
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4(ptr %a)
; CHECK: call void @__raceproof_iteration(i64 %second)
; CHECK: call void @__tsan_write4(ptr %a)
; CHECK-NOT: by_iterations
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  store i32 1, ptr %a
  %second = add nsw i64 %i, 1
  call void @raceproof.iteration(i64 %second)
  store i32 2, ptr %a
  %next = add nsw i64 %i, 2
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A check before the mark is not one of the iteration that it begins.
define void @before_the_mark(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @before_the_mark(
; CHECK-NOT: by_iterations
; CHECK: loop:
; CHECK: call void @__tsan_write4(ptr %a)
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK-NOT: by_iterations
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  store i32 1, ptr %a
  call void @raceproof.iteration(i64 %i)
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Nothing that the runtime would see: the mark goes.
define i32 @idle(i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define i32 @idle(
; CHECK-NOT: raceproof
; CHECK: ret
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %sum.next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %low = trunc i64 %i to i32
  %v = call i32 @pure(i32 %low)
  %sum.next = add i32 %sum, %v
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret i32 %sum.next
}

; Who is called may access anything.
define void @calls(i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @calls(
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @unknown()
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  call void @unknown()
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}

; clang's pass has calls for atomic accesses.
define void @atomic(ptr %a, i64 %lb, i64 %ub) sanitize_thread {
; CHECK-LABEL: define void @atomic(
; CHECK: loop:
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: atomicrmw
  br label %loop
loop:
  %i = phi i64 [ %lb, %0 ], [ %next, %loop ]
  call void @raceproof.iteration(i64 %i)
  %v = atomicrmw add ptr %a, i64 1 monotonic
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %i, %ub
  br i1 %more, label %loop, label %done
done:
  ret void
}
