; passes: raceproof-fortran,raceproof-mark,raceproof-lower
; What flang leaves to be done: functions are instrumented though none says so, a task's firstprivate copy is made by its creator, copyin
; leaves the master's copy alone, and calls of the runtime library say what they access.

@state = common global i32 0
@state.cache = internal global ptr null

declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
declare ptr @__kmpc_threadprivate_cached(ptr, i32, ptr, i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare ptr @_FortranAAssign(ptr, ptr, ptr, i32)
declare i1 @_FortranAioOutputAscii(ptr, ptr, i64)
declare i32 @_FortranASumInteger4(ptr, ptr, i32, i32, ptr)
declare void @_FortranAAbort()

; CHECK-LABEL: define void @create(
; CHECK: %[[value:.*]] = load i32, ptr %i
; CHECK: store i32 %[[value]], ptr %captured
; CHECK: call ptr @__kmpc_omp_task_alloc
define void @create(ptr %i) !dbg !3 {
  call void @llvm.dbg.declare(metadata ptr %i, metadata !4, metadata !DIExpression()), !dbg !6
  %captured = alloca { ptr }
  store ptr %i, ptr %captured
  %task = call ptr @__kmpc_omp_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 8, ptr @body), !dbg !7
  %shareds = load ptr, ptr %task
  call void @llvm.memcpy.p0.p0.i64(ptr %shareds, ptr %captured, i64 8, i1 false)
  %done = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task), !dbg !7
  ret void
}

; CHECK-LABEL: define internal void @body(
; CHECK: %shareds = load ptr, ptr %task
; CHECK-NOT: load ptr
; CHECK-NOT: call void @__tsan_read4
; CHECK: load i32, ptr %shareds
; CHECK: ret
define internal void @body(i32 %thread, ptr %task) !dbg !8 {
  %own = alloca i32, !dbg !9
  %shareds = load ptr, ptr %task
  %i = load ptr, ptr %shareds
  %value = load i32, ptr %i, !dbg !9
  store i32 %value, ptr %own, !dbg !9
  ret void
}

; The same load in a statement is the program's.
; CHECK-LABEL: define void @create_sharing(
; CHECK: store ptr %i, ptr %captured
define void @create_sharing(ptr %i) !dbg !10 {
  %captured = alloca { ptr }
  store ptr %i, ptr %captured
  %task = call ptr @__kmpc_omp_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 8, ptr @sharing)
  %shareds = load ptr, ptr %task
  call void @llvm.memcpy.p0.p0.i64(ptr %shareds, ptr %captured, i64 8, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @sharing(
; CHECK: call void @__tsan_read4(ptr %i)
define internal void @sharing(i32 %thread, ptr %task) !dbg !11 {
  %own = alloca i32, !dbg !12
  %shareds = load ptr, ptr %task
  %i = load ptr, ptr %shareds
  %value = load i32, ptr %i, !dbg !12
  store i32 %value, ptr %own, !dbg !12
  ret void
}

; CHECK-LABEL: define void @copy_in(
; CHECK: %[[differ:.*]] = icmp ne ptr %master, %copy
; CHECK: br i1 %[[differ]]
; CHECK: call void @__tsan_write4(ptr %copy)
; CHECK-NEXT: store i32 %value, ptr %copy
define void @copy_in(ptr %master) !dbg !13 {
  %copy = call ptr @__kmpc_threadprivate_cached(ptr null, i32 0, ptr @state, i64 4, ptr @state.cache)
  %value = load i32, ptr %master, !dbg !14
  store i32 %value, ptr %copy, !dbg !14
  ret void
}

; CHECK-LABEL: define void @library(
; CHECK: call void @__raceproof_fortran_assign(ptr %a, ptr %b)
; CHECK-NEXT: call ptr @_FortranAAssign
; CHECK: call void @__tsan_read_range(ptr %b, i64 12)
; CHECK-NEXT: call i1 @_FortranAioOutputAscii
; CHECK: call void @__raceproof_fortran_read(ptr %a)
; CHECK-NEXT: call i32 @_FortranASumInteger4
; CHECK-NEXT: call void @_FortranAAbort
define void @library(ptr %a, ptr %b) {
  %1 = call ptr @_FortranAAssign(ptr %a, ptr %b, ptr null, i32 3)
  %2 = call i1 @_FortranAioOutputAscii(ptr %a, ptr %b, i64 12)
  %3 = call i32 @_FortranASumInteger4(ptr %a, ptr null, i32 0, i32 0, ptr null)
  call void @_FortranAAbort()
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Fortran95, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "none.f90", directory: "/nowhere")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "create", file: !1, line: 1, type: !15, spFlags: DISPFlagDefinition, unit: !0)
!4 = !DILocalVariable(name: "i", scope: !3, file: !1, line: 2, type: !5)
!5 = !DIBasicType(name: "integer", size: 32, encoding: DW_ATE_signed)
!6 = !DILocation(line: 2, column: 3, scope: !3)
!7 = !DILocation(line: 5, column: 9, scope: !3)
!8 = distinct !DISubprogram(name: "body", file: !1, line: 5, type: !15, spFlags: DISPFlagDefinition, unit: !0)
!9 = !DILocation(line: 2, column: 3, scope: !8)
!10 = distinct !DISubprogram(name: "create_sharing", file: !1, line: 7, type: !15, spFlags: DISPFlagDefinition, unit: !0)
!11 = distinct !DISubprogram(name: "sharing", file: !1, line: 8, type: !15, spFlags: DISPFlagDefinition, unit: !0)
!12 = !DILocation(line: 9, column: 3, scope: !11)
!13 = distinct !DISubprogram(name: "copy_in", file: !1, line: 10, type: !15, spFlags: DISPFlagDefinition, unit: !0)
!14 = !DILocation(line: 2, column: 3, scope: !13)
!15 = !DISubroutineType(types: !{})
