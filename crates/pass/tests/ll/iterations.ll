; passes: raceproof-mark-iterations,raceproof-mark,raceproof-lower
; Iterations of worksharing loops are marked, where the loop is recognised for certain.

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_init_4u(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_init_8u(ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64)
declare void @__kmpc_dist_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_dispatch_init_4(ptr, i32, i32, i32, i32, i32, i32)
declare i32 @__kmpc_dispatch_next_4(ptr, i32, ptr, ptr, ptr, ptr)
declare void @__kmpc_dispatch_init_4u(ptr, i32, i32, i32, i32, i32, i32)
declare i32 @__kmpc_dispatch_next_4u(ptr, i32, ptr, ptr, ptr, ptr)
declare void @__kmpc_for_static_fini(ptr, i32)
declare void @keeps(ptr)

; clang's shape: a variable counts.
define void @static(ptr %a) sanitize_thread {
; CHECK-LABEL: define void @static(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_for_static_init_4(
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = load i32, ptr %iv
; CHECK-NEXT: [[N:%.*]] = sext i32 [[I]] to i64
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[N]])
; CHECK: call void @__tsan_write4
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %j = load i32, ptr %iv
  %at = getelementptr i32, ptr %a, i32 %j
  store i32 1, ptr %at
  br label %inc
inc:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  call void @__kmpc_for_static_fini(ptr null, i32 0)
  ret void
}

; An unsigned counter is compared with the bound and one more; it is not extended as a signed one.
define void @unsigned() sanitize_thread {
; CHECK-LABEL: define void @unsigned(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = load i32, ptr %iv
; CHECK-NEXT: [[N:%.*]] = zext i32 [[I]] to i64
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[N]])
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4u(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %beyond = add i32 %end, 1
  %more = icmp ult i32 %i, %beyond
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; Words need no extension.
define void @words() sanitize_thread {
; CHECK-LABEL: define void @words(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = load i64, ptr %iv
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[I]])
  %iv = alloca i64
  %lb = alloca i64
  %ub = alloca i64
  %st = alloca i64
  %last = alloca i32
  call void @__kmpc_for_static_init_8u(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i64 1, i64 1)
  %first = load i64, ptr %lb
  store i64 %first, ptr %iv
  br label %cond
cond:
  %i = load i64, ptr %iv
  %end = load i64, ptr %ub
  %more = icmp ule i64 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i64, ptr %iv
  %next = add i64 %k, 1
  store i64 %next, ptr %iv
  br label %cond
done:
  ret void
}

; The upper bound of the distributed part stands before the stride.
define void @distributed() sanitize_thread {
; CHECK-LABEL: define void @distributed(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_dist_for_static_init_4(
; CHECK: body:
; CHECK: call void @__raceproof_iteration(
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %ubd = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_dist_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %ubd, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; Chunks: the iterations are those of the inner loop.
define void @chunked() sanitize_thread {
; CHECK-LABEL: define void @chunked(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_for_static_init_4(
; CHECK-NOT: raceproof
; CHECK: body:
; CHECK: call void @__raceproof_iteration(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 33, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 4)
  br label %chunks
chunks:
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  %c = load i32, ptr %iv
  %c.end = load i32, ptr %ub
  %c.more = icmp sle i32 %c, %c.end
  br i1 %c.more, label %chunk, label %done
chunk:
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %chunks.inc
body:
  br label %inc
inc:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
chunks.inc:
  %l = load i32, ptr %lb
  %s = load i32, ptr %st
  %l.next = add nsw i32 %l, %s
  store i32 %l.next, ptr %lb
  %u = load i32, ptr %ub
  %u.next = add nsw i32 %u, %s
  store i32 %u.next, ptr %ub
  br label %chunks
done:
  ret void
}

; Chunks that are handed out: the loop begins with another call.
define void @dispatched(i32 %n) sanitize_thread {
; CHECK-LABEL: define void @dispatched(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_dispatch_init_4(
; CHECK-NOT: raceproof
; CHECK: body:
; CHECK: call void @__raceproof_iteration(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_dispatch_init_4(ptr null, i32 0, i32 35, i32 0, i32 %n, i32 1, i32 2)
  br label %chunks
chunks:
  %given = call i32 @__kmpc_dispatch_next_4(ptr null, i32 0, ptr %last, ptr %lb, ptr %ub, ptr %st)
  %is.given = icmp ne i32 %given, 0
  br i1 %is.given, label %chunk, label %done
chunk:
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %chunks
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; Sections are a loop over a switch.
define void @sections(ptr %a) sanitize_thread {
; CHECK-LABEL: define void @sections(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK: body:
; CHECK: call void @__raceproof_iteration(
; CHECK: switch
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %j = load i32, ptr %iv
  switch i32 %j, label %inc [
    i32 0, label %section
    i32 1, label %inc
  ]
section:
  store i32 1, ptr %a
  br label %inc
inc:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; flang's shape: a register counts from zero.
define void @fortran_static() sanitize_thread {
; CHECK-LABEL: define void @fortran_static(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_for_static_init_4u(
; CHECK: body:
; CHECK-NEXT: [[S:%.*]] = add i32 %i, %first
; CHECK-NEXT: [[N:%.*]] = zext i32 [[S]] to i64
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[N]])
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4u(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 0)
  %first = load i32, ptr %lb
  %end = load i32, ptr %ub
  %distance = sub i32 %end, %first
  %count = add i32 %distance, 1
  br label %header
header:
  %i = phi i32 [ 0, %0 ], [ %next, %inc ]
  br label %cond
cond:
  %more = icmp ult i32 %i, %count
  br i1 %more, label %body, label %done
body:
  br label %inc
inc:
  %next = add nuw i32 %i, 1
  br label %header
done:
  ret void
}

define void @fortran_chunked(i32 %n) sanitize_thread {
; CHECK-LABEL: define void @fortran_chunked(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_for_static_init_4u(
; CHECK-NOT: raceproof
; CHECK: body:
; CHECK-NEXT: [[S:%.*]] = add i32 %i, %base
; CHECK-NEXT: [[N:%.*]] = zext i32 [[S]] to i64
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[N]])
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4u(ptr null, i32 0, i32 33, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 4)
  %first = load i32, ptr %lb
  %end = load i32, ptr %ub
  %beyond = add i32 %end, 1
  %range = sub i32 %beyond, %first
  %stride = load i32, ptr %st
  %chunks = udiv i32 %n, %stride
  br label %outer
outer:
  %c = phi i32 [ 0, %0 ], [ %c.next, %outer.inc ]
  %c.more = icmp ult i32 %c, %chunks
  br i1 %c.more, label %chunk, label %done
chunk:
  %offset = mul i32 %c, %stride
  %base = add i32 %offset, %first
  %top = add i32 %base, %range
  %is.last = icmp uge i32 %top, %n
  %rest = sub i32 %n, %base
  %count = select i1 %is.last, i32 %rest, i32 %range
  br label %header
header:
  %i = phi i32 [ 0, %chunk ], [ %next, %inc ]
  br label %cond
cond:
  %more = icmp ult i32 %i, %count
  br i1 %more, label %body, label %outer.inc
body:
  br label %inc
inc:
  %next = add nuw i32 %i, 1
  br label %header
outer.inc:
  %c.next = add nuw i32 %c, 1
  br label %outer
done:
  ret void
}

; Bounds that are handed out count from one, and the register from zero.
define void @fortran_dispatched(i32 %n) sanitize_thread {
; CHECK-LABEL: define void @fortran_dispatched(
; CHECK: call void @__raceproof_iterations_marked()
; CHECK-NEXT: call void @__kmpc_dispatch_init_4u(
; CHECK: body:
; CHECK-NEXT: [[S:%.*]] = add i32 %i, 1
; CHECK-NEXT: [[N:%.*]] = zext i32 [[S]] to i64
; CHECK-NEXT: call void @__raceproof_iteration(i64 [[N]])
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_dispatch_init_4u(ptr null, i32 0, i32 35, i32 1, i32 %n, i32 1, i32 4)
  br label %chunks
header:
  %i = phi i32 [ %before, %chunks ], [ %next, %inc ]
  br label %cond
cond:
  %end = load i32, ptr %ub
  %more = icmp ult i32 %i, %end
  br i1 %more, label %body, label %chunks
body:
  br label %inc
inc:
  %next = add nuw i32 %i, 1
  br label %header
done:
  ret void
chunks:
  %given = call i32 @__kmpc_dispatch_next_4u(ptr null, i32 0, ptr %last, ptr %lb, ptr %ub, ptr %st)
  %is.given = icmp ne i32 %given, 0
  %first = load i32, ptr %lb
  %before = sub i32 %first, 1
  br i1 %is.given, label %header, label %done
}

; Not recognised: nothing is said of the loop.

; A combined directive distributes chunks, and not iterations.
define void @by_strides() sanitize_thread {
; CHECK-LABEL: define void @by_strides(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 92, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %s = load i32, ptr %st
  %next = add nsw i32 %k, %s
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

define void @counter_escapes() sanitize_thread {
; CHECK-LABEL: define void @counter_escapes(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv, !nosanitize !0
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  call void @keeps(ptr %iv)
  %k = load i32, ptr %iv, !nosanitize !0
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv, !nosanitize !0
  br label %cond
done:
  ret void
}

define void @counts_twice(i1 %also) sanitize_thread {
; CHECK-LABEL: define void @counts_twice(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  br i1 %also, label %twice, label %inc
twice:
  %t = load i32, ptr %iv
  %t.next = add nsw i32 %t, 1
  store i32 %t.next, ptr %iv
  br label %inc
inc:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; Not from the lower bound.
define void @begins_elsewhere(i32 %first) sanitize_thread {
; CHECK-LABEL: define void @begins_elsewhere(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; The bounds that it begins with are not those that the call sets.
define void @begins_before() sanitize_thread {
; CHECK-LABEL: define void @begins_before(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; The last iteration is left out, or one more is made: neither is what the bounds say.
define void @strictly_below() sanitize_thread {
; CHECK-LABEL: define void @strictly_below(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp slt i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; Chunks are handed out by a call that nothing in the function prepares.
define void @unprepared() sanitize_thread {
; CHECK-LABEL: define void @unprepared(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  br label %chunks
chunks:
  %given = call i32 @__kmpc_dispatch_next_4(ptr null, i32 0, ptr %last, ptr %lb, ptr %ub, ptr %st)
  %is.given = icmp ne i32 %given, 0
  br i1 %is.given, label %chunk, label %done
chunk:
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %chunks
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; A loop of the program's own beside it.
define void @of_the_program(ptr %a, i32 %n) sanitize_thread {
; CHECK-LABEL: define void @of_the_program(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  store i32 0, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %more = icmp sle i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

; What is not instrumented has no accesses to say anything of.
define void @unseen() {
; CHECK-LABEL: define void @unseen(
; CHECK-NOT: raceproof
; CHECK: ret
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %last = alloca i32
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 34, ptr %last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  %first = load i32, ptr %lb
  store i32 %first, ptr %iv
  br label %cond
cond:
  %i = load i32, ptr %iv
  %end = load i32, ptr %ub
  %more = icmp sle i32 %i, %end
  br i1 %more, label %body, label %done
body:
  %k = load i32, ptr %iv
  %next = add nsw i32 %k, 1
  store i32 %next, ptr %iv
  br label %cond
done:
  ret void
}

!0 = !{}
