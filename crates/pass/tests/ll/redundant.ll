; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; One check for each step, location and kind. Those of other blocks are left for a run that looks for all pairs.

declare void @wait()
declare void @draw(i32) #0

define void @repeated(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @repeated(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK-NOT: tsan
; CHECK: ret
  store i32 1, ptr %p
  %v = load i32, ptr %p
  store i32 %v, ptr %p
  ret void
}

define void @read_before_its_write(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @read_before_its_write(
; CHECK-NOT: __tsan_read
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: ret
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

define void @new_step(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @new_step(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call void @wait()
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: ret
  store i32 1, ptr %p
  call void @wait()
  store i32 2, ptr %p
  ret void
}

define void @part_of_it(ptr %p) sanitize_thread {
; CHECK-LABEL: define void @part_of_it(
; CHECK: call void @__tsan_write8(ptr %p)
; CHECK-NOT: __tsan_write4
; CHECK: call void @__tsan_write4(ptr %beyond)
; CHECK: ret
  store i64 1, ptr %p, align 8
  %half = getelementptr i8, ptr %p, i64 4
  store i32 2, ptr %half
  %beyond = getelementptr i8, ptr %p, i64 8
  store i32 2, ptr %beyond
  ret void
}

define void @one_branch(ptr %p, i1 %c) sanitize_thread {
; CHECK-LABEL: define void @one_branch(
; CHECK: then:
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: done:
; CHECK: call void @__tsan_write4(ptr %p)
  br i1 %c, label %then, label %done
then:
  store i32 1, ptr %p
  br label %done
done:
  store i32 2, ptr %p
  ret void
}

define void @both_branches(ptr %p, i1 %c) sanitize_thread {
; CHECK-LABEL: define void @both_branches(
; CHECK: then:
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: else:
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: done:
; CHECK: [[WATCHING:%.*]] = load i32, ptr getelementptr inbounds (i8, ptr @__raceproof_now, i64 20)
; CHECK: [[IS:%.*]] = icmp ne i32 [[WATCHING]], 0
; CHECK: br i1 [[IS]], label %[[CALL:.*]], label %[[REST:.*]], !prof
; CHECK: [[CALL]]:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: br label %[[REST]]
; CHECK-NOT: tsan
; CHECK: ret
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %p
  br label %done
else:
  store i32 3, ptr %p
  br label %done
done:
  store i32 2, ptr %p
  ret void
}

; What is kept stands behind one test in each step.
define void @kept_in_two_steps(ptr %p, ptr %q, ptr %flag, i1 %c) sanitize_thread {
; CHECK-LABEL: define void @kept_in_two_steps(
; CHECK: done:
; CHECK: br i1 {{.*}}, label %[[CALL:.*]], label %[[REST:.*]], !prof
; CHECK: [[CALL]]:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: call void @__tsan_write4(ptr %q)
; CHECK-NEXT: br label %[[REST]]
; CHECK: store atomic
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: ret
  store i32 0, ptr %p
  store i32 0, ptr %q
  br i1 %c, label %then, label %done
then:
  br label %done
done:
  store i32 2, ptr %p
  store i32 2, ptr %q
  store atomic i32 1, ptr %flag release, align 4
  store i32 3, ptr %p
  ret void
}

; The pointer of the next iteration is another.
define void @moving(ptr %list) sanitize_thread {
; CHECK-LABEL: define void @moving(
; CHECK: loop:
; CHECK: call void @__tsan_read8(ptr %at)
  br label %loop
loop:
  %at = phi ptr [ %list, %0 ], [ %next, %loop ]
  %next = load ptr, ptr %at
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop
done:
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
