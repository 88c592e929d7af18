; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; Calls of the C library go through the runtime, with the address of what is called beside the arguments.

target triple = "x86_64-pc-linux-gnu"

@constant = private constant [4 x i8] c"abc\00"

declare i64 @strlen(ptr) #0
declare ptr @strcpy(ptr, ptr)
declare i32 @printf(ptr, ...)
declare i32 @puts(ptr)
declare void @other(ptr)
declare i32 @__gxx_personality_v0(...)

; Of this name, and the program's own.
define i32 @atoi(ptr %s) {
  ret i32 0
}

define i64 @looks(ptr %s, ptr %p) sanitize_thread {
; No step ends at it, and the declaration of the entry point is not bound at the first call.
; CHECK-LABEL: define i64 @looks(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call i64 @__raceproof_strlen(ptr nest @strlen, ptr %s)
; CHECK-NOT: tsan
; CHECK: ret
  store i32 1, ptr %p
  %length = call i64 @strlen(ptr %s)
  store i32 2, ptr %p
  ret i64 %length
}

define void @copies(ptr %to) sanitize_thread {
; CHECK-LABEL: define void @copies(
; CHECK: call ptr @__raceproof_strcpy(ptr nest @strcpy, ptr %to, ptr @constant)
  %end = call ptr @strcpy(ptr %to, ptr @constant)
  ret void
}

define void @copies_in_a_step(ptr %to, ptr %p) sanitize_thread {
; CHECK-LABEL: define void @copies_in_a_step(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call ptr @__raceproof_strcpy(
; CHECK-NOT: tsan
; CHECK: ret
  store i32 1, ptr %p
  %end = call ptr @strcpy(ptr %to, ptr @constant)
  store i32 2, ptr %p
  ret void
}

define void @prints_between_steps(ptr %p) sanitize_thread {
; It may wait for a stream.
; CHECK-LABEL: define void @prints_between_steps(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call i32 @__raceproof_puts(
; CHECK: call void @__tsan_write4(ptr %p)
  store i32 1, ptr %p
  %put = call i32 @puts(ptr @constant)
  store i32 2, ptr %p
  ret void
}

define void @any_number(ptr %format) sanitize_thread {
; CHECK-LABEL: define void @any_number(
; CHECK: call i32 (ptr, ptr, ...) @__raceproof_printf(ptr nest @printf, ptr %format, i32 signext 1, double 2.0{{.*}})
  %printed = call i32 (ptr, ...) @printf(ptr %format, i32 signext 1, double 2.0)
  ret void
}

define i64 @constants() sanitize_thread {
; CHECK-LABEL: define i64 @constants(
; CHECK: call i64 @strlen(ptr @constant)
  %length = call i64 @strlen(ptr @constant)
  ret i64 %length
}

define void @left_alone(ptr %s) sanitize_thread {
; CHECK-LABEL: define void @left_alone(
; CHECK: call void @other(ptr %s)
; CHECK: call i32 @atoi(ptr %s)
; CHECK: call i32 @__raceproof_puts(ptr nest @puts
  call void @other(ptr %s)
  %number = call i32 @atoi(ptr %s)
  %put = call i32 @puts(ptr %s)
  ret void
}

define void @throws(ptr %s) sanitize_thread personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define void @throws(
; CHECK: invoke i32 @__raceproof_puts(ptr nest @puts, ptr %s)
; CHECK-NEXT: to label %normal unwind label %caught
  %put = invoke i32 @puts(ptr %s) to label %normal unwind label %caught
normal:
  ret void
caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

define void @not_instrumented(ptr %s) {
; CHECK-LABEL: define void @not_instrumented(
; CHECK: call i32 @puts(ptr %s)
  %put = call i32 @puts(ptr %s)
  ret void
}

; CHECK: declare i64 @__raceproof_strlen(ptr, ptr) #[[LAZY:[0-9]+]]
; CHECK: attributes #[[LAZY]] = { nonlazybind }

attributes #0 = { nounwind willreturn memory(read) }
