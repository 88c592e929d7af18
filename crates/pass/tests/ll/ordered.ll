; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; Static variables that only main writes, and the descriptors of tasks, need no checks.

@set = internal global i32 0
@taken = internal global i32 0
@written = internal global i32 0
declare void @use(ptr)
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)

define i32 @main() sanitize_thread {
; CHECK-LABEL: define i32 @main(
; CHECK-NOT: tsan_write4(ptr @set)
; CHECK: call void @__tsan_write4(ptr @taken)
  store i32 1, ptr @set
  store i32 1, ptr @taken
  call void @use(ptr @taken)
  ret i32 0
}

define i32 @other() sanitize_thread {
; CHECK-LABEL: define i32 @other(
; CHECK-NOT: tsan_read4(ptr @set)
; CHECK: call void @__tsan_read4(ptr @taken)
; CHECK: call void @__tsan_write4(ptr @written)
  %a = load i32, ptr @set
  %b = load i32, ptr @taken
  store i32 %a, ptr @written
  ret i32 %b
}

define internal i32 @task(i32 %thread, ptr %block) sanitize_thread {
; CHECK-LABEL: define internal i32 @task(
; CHECK-NOT: tsan_read
; CHECK: call void @__tsan_write4(ptr %shared)
  %shareds = load ptr, ptr %block
  %shared = load ptr, ptr %shareds
  %privates = getelementptr i8, ptr %block, i64 40
  %v = load i32, ptr %privates
  store i32 %v, ptr %shared
  ret i32 0
}

define void @creator(ptr %shared) sanitize_thread {
; CHECK-LABEL: define void @creator(
; CHECK-NOT: tsan
; CHECK: ret
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %block = call ptr @__kmpc_omp_task_alloc(ptr null, i32 0, i32 1, i64 48, i64 8, ptr @task)
  %shareds = load ptr, ptr %block
  store ptr %shared, ptr %shareds
  %privates = getelementptr i8, ptr %block, i64 40
  store i32 %i, ptr %privates
  %r = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %block)
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, 9
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal i32 @leaking(i32 %thread, ptr %block) sanitize_thread {
; CHECK-LABEL: define internal i32 @leaking(
; CHECK: call void @__tsan_read4(ptr %privates)
  %privates = getelementptr i8, ptr %block, i64 40
  %v = load i32, ptr %privates
  call void @use(ptr %privates)
  ret i32 %v
}

define void @creator_of_leaking() sanitize_thread {
; CHECK-LABEL: define void @creator_of_leaking(
; CHECK: call void @__tsan_write4(ptr %privates)
  %block = call ptr @__kmpc_omp_task_alloc(ptr null, i32 0, i32 1, i64 48, i64 0, ptr @leaking)
  %privates = getelementptr i8, ptr %block, i64 40
  store i32 1, ptr %privates
  %r = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %block)
  ret void
}
