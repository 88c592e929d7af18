; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; Accesses that stand for each other are listed: those of the same bytes, in one step, each of which is made if the other is. A check is made of one of them.

; CHECK: module asm ".pushsection .raceproof.sites,\22MS\22,@progbits,1"
; CHECK-NEXT: module asm ".asciz \22sites.c\\tupdated\\tr11:3 w11:7\22"
; CHECK-NEXT: module asm ".asciz \22sites.c\\talong\\tw21:1 r23:1\22"
; CHECK-NEXT: module asm ".asciz \22sites.c\\tthrough\\tw51:1 r52:1\22"
; CHECK-NEXT: module asm ".asciz \22sites.c\\tmacro\\t?w71:1 r72:1\\t?w71:1 r73:1\22"
; CHECK-NEXT: module asm ".asciz \22sites.c\\t_Z5namedPi\\tw81:1 r82:1\22"
; CHECK-NEXT: module asm ".popsection"

declare void @wait()
declare i32 @llvm.ctpop.i32(i32)

; A read and a write of one statement.
define void @updated(ptr %p) sanitize_thread !dbg !10 {
; CHECK-LABEL: define void @updated(
; CHECK-NOT: __tsan_read
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: ret
  %v = load i32, ptr %p, !dbg !101
  %w = add i32 %v, 1
  store i32 %w, ptr %p, !dbg !102
  ret void
}

; Blocks that are made together; the one between them is not made always.
define void @along(ptr %p, ptr %q, i1 %c) sanitize_thread !dbg !20 {
; CHECK-LABEL: define void @along(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call void @__tsan_write4(ptr %q)
; CHECK: ret
  store i32 1, ptr %p, !dbg !201
  br i1 %c, label %some, label %all
some:
  store i32 1, ptr %q, !dbg !202
  br label %all
all:
  %v = load i32, ptr %p, !dbg !203
  ret void
}

; A call may end the step: what is after it stands for itself.
define void @two_steps(ptr %p) sanitize_thread !dbg !30 {
; CHECK-LABEL: define void @two_steps(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: call void @wait()
; CHECK: call void @__tsan_read4(ptr %p)
; CHECK: ret
  store i32 1, ptr %p, !dbg !301
  call void @wait(), !dbg !302
  %v = load i32, ptr %p, !dbg !303
  ret void
}

; Other bytes, also if one begins where the other does, and what is made only sometimes.
define void @others(ptr %p, i1 %c) sanitize_thread !dbg !40 {
; CHECK-LABEL: define void @others(
; CHECK: ret
  store i32 1, ptr %p, !dbg !401
  %half = load i16, ptr %p, !dbg !402
  %next = getelementptr i8, ptr %p, i64 4
  %n = load i32, ptr %next, !dbg !403
  br i1 %c, label %some, label %end
some:
  %v = load i32, ptr %p, !dbg !404
  br label %end
end:
  ret void
}

; Addresses that are loaded twice are the same if nothing between them has stored there; calls that touch no memory are none.
define void @through(i32 %k) sanitize_thread !dbg !50 {
; CHECK-LABEL: define void @through(
; CHECK: ret
  %where = alloca ptr
  store ptr @shared, ptr %where
  %one = load ptr, ptr %where
  store i32 1, ptr %one, !dbg !501
  %c = call i32 @llvm.ctpop.i32(i32 %k)
  %two = load ptr, ptr %where
  %v = load i32, ptr %two, !dbg !502
  ret void
}

define void @moved(ptr %other) sanitize_thread !dbg !60 {
; CHECK-LABEL: define void @moved(
; CHECK: ret
  %where = alloca ptr
  store ptr @shared, ptr %where
  %one = load ptr, ptr %where
  store i32 1, ptr %one, !dbg !601
  store ptr %other, ptr %where
  %two = load ptr, ptr %where
  %v = load i32, ptr %two, !dbg !602
  ret void
}

; Two accesses of one place, as a macro makes: a report cannot tell which one it means.
define void @macro(ptr %p, ptr %q) sanitize_thread !dbg !70 {
; CHECK-LABEL: define void @macro(
; CHECK: ret
  store i32 1, ptr %p, !dbg !701
  store i32 1, ptr %q, !dbg !701
  %v = load i32, ptr %p, !dbg !702
  %w = load i32, ptr %q, !dbg !703
  ret void
}

; A function is called by its linkage name.
define void @_Z5namedPi(ptr %p) sanitize_thread !dbg !80 {
; CHECK-LABEL: define void @_Z5namedPi(
; CHECK: ret
  store i32 1, ptr %p, !dbg !801
  %v = load i32, ptr %p, !dbg !802
  ret void
}

@shared = global i32 0

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "folder/sites.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!10 = distinct !DISubprogram(name: "updated", file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!20 = distinct !DISubprogram(name: "along", file: !1, line: 20, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!30 = distinct !DISubprogram(name: "two_steps", file: !1, line: 30, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!40 = distinct !DISubprogram(name: "others", file: !1, line: 40, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!50 = distinct !DISubprogram(name: "through", file: !1, line: 50, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!60 = distinct !DISubprogram(name: "moved", file: !1, line: 60, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!70 = distinct !DISubprogram(name: "macro", file: !1, line: 70, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!80 = distinct !DISubprogram(name: "named", linkageName: "_Z5namedPi", file: !1, line: 80, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!101 = !DILocation(line: 11, column: 3, scope: !10)
!102 = !DILocation(line: 11, column: 7, scope: !10)
!201 = !DILocation(line: 21, column: 1, scope: !20)
!202 = !DILocation(line: 22, column: 1, scope: !20)
!203 = !DILocation(line: 23, column: 1, scope: !20)
!301 = !DILocation(line: 31, column: 1, scope: !30)
!302 = !DILocation(line: 32, column: 1, scope: !30)
!303 = !DILocation(line: 33, column: 1, scope: !30)
!401 = !DILocation(line: 41, column: 1, scope: !40)
!402 = !DILocation(line: 42, column: 1, scope: !40)
!403 = !DILocation(line: 43, column: 1, scope: !40)
!404 = !DILocation(line: 44, column: 1, scope: !40)
!501 = !DILocation(line: 51, column: 1, scope: !50)
!502 = !DILocation(line: 52, column: 1, scope: !50)
!601 = !DILocation(line: 61, column: 1, scope: !60)
!602 = !DILocation(line: 62, column: 1, scope: !60)
!701 = !DILocation(line: 71, column: 1, scope: !70)
!702 = !DILocation(line: 72, column: 1, scope: !70)
!703 = !DILocation(line: 73, column: 1, scope: !70)
!801 = !DILocation(line: 81, column: 1, scope: !80)
!802 = !DILocation(line: 82, column: 1, scope: !80)
