; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; What one access of the source has left of neighbouring bytes is one check.

declare void @wait()

define void @structures(ptr %to, ptr %from) sanitize_thread !dbg !4 {
; CHECK-LABEL: define void @structures(
; CHECK: call void @__tsan_read16(ptr %from)
; CHECK: call void @__tsan_write16(ptr %to)
; CHECK-NOT: tsan
; CHECK: ret
  %from.im = getelementptr i8, ptr %from, i64 8
  %to.im = getelementptr i8, ptr %to, i64 8
  %im = load double, ptr %from.im, align 8, !dbg !6
  %re = load double, ptr %from, align 8, !dbg !6
  store double %re, ptr %to, align 8, !dbg !7
  store double %im, ptr %to.im, align 8, !dbg !7
  ret void
}

define void @four_words(ptr %from) sanitize_thread !dbg !8 {
; CHECK-LABEL: define void @four_words(
; CHECK: call void @__tsan_unaligned_read16(ptr %from)
; CHECK-NOT: tsan
; CHECK: ret
  %b = getelementptr i8, ptr %from, i64 4
  %c = getelementptr i8, ptr %from, i64 8
  %d = getelementptr i8, ptr %from, i64 12
  %1 = load i32, ptr %from, align 4, !dbg !9
  %2 = load i32, ptr %b, align 4, !dbg !9
  %3 = load i32, ptr %c, align 4, !dbg !9
  %4 = load i32, ptr %d, align 4, !dbg !9
  ret void
}

define void @two_places(ptr %p) sanitize_thread !dbg !10 {
; CHECK-LABEL: define void @two_places(
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK: call void @__tsan_read8(ptr %q)
; CHECK: ret
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load i64, ptr %p, align 8, !dbg !11
  %2 = load i64, ptr %q, align 8, !dbg !12
  ret void
}

define void @two_kinds(ptr %p) sanitize_thread !dbg !13 {
; CHECK-LABEL: define void @two_kinds(
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK: call void @__tsan_write8(ptr %q)
; CHECK: ret
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load i64, ptr %p, align 8, !dbg !14
  store i64 %1, ptr %q, align 8, !dbg !14
  ret void
}

define void @two_steps(ptr %p) sanitize_thread !dbg !15 {
; CHECK-LABEL: define void @two_steps(
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK: call void @wait()
; CHECK: call void @__tsan_read8(ptr %q)
; CHECK: ret
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load i64, ptr %p, align 8, !dbg !16
  call void @wait(), !dbg !16
  %2 = load i64, ptr %q, align 8, !dbg !16
  ret void
}

define void @with_a_gap(ptr %p) sanitize_thread !dbg !17 {
; CHECK-LABEL: define void @with_a_gap(
; CHECK: call void @__tsan_read4(ptr %p)
; CHECK: call void @__tsan_read4(ptr %q)
; CHECK: ret
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load i32, ptr %p, align 4, !dbg !18
  %2 = load i32, ptr %q, align 4, !dbg !18
  ret void
}

; Two iterations have two accesses.
define void @iterations(ptr %p, i64 %i) sanitize_thread !dbg !19 {
; CHECK-LABEL: define void @iterations(
; CHECK: call void @__tsan_read8(ptr %p)
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_read8(ptr %q)
; CHECK: ret
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load double, ptr %p, align 8, !dbg !20
  call void @raceproof.iteration(i64 %i), !dbg !20
  %2 = load double, ptr %q, align 8, !dbg !20
  ret void
}

declare void @raceproof.iteration(i64)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "structures", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, column: 3, scope: !4)
!7 = !DILocation(line: 2, column: 9, scope: !4)
!8 = distinct !DISubprogram(name: "four_words", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 2, column: 3, scope: !8)
!10 = distinct !DISubprogram(name: "two_places", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 2, column: 3, scope: !10)
!12 = !DILocation(line: 2, column: 9, scope: !10)
!13 = distinct !DISubprogram(name: "two_kinds", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!14 = !DILocation(line: 2, column: 3, scope: !13)
!15 = distinct !DISubprogram(name: "two_steps", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!16 = !DILocation(line: 2, column: 3, scope: !15)
!17 = distinct !DISubprogram(name: "with_a_gap", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!18 = !DILocation(line: 2, column: 3, scope: !17)
!19 = distinct !DISubprogram(name: "iterations", file: !2, line: 101, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 102, column: 3, scope: !19)
