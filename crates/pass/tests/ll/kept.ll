; passes: raceproof-mark,function(simplifycfg),raceproof-eliminate,raceproof-lower
; Checks that are kept for pairs and have come to stand in one block stay in their steps.

define void @parted(ptr %p, ptr %q, ptr %flag) sanitize_thread !dbg !4 {
; CHECK-LABEL: define void @parted(
; CHECK: call void @__tsan_write4(ptr %p){{.*}}
; CHECK: raceproof.call{{.*}}:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: br label
; CHECK: store atomic
; CHECK: call void @__tsan_write4(ptr %q)
; CHECK: raceproof.call{{.*}}:
; CHECK-NEXT: call void @__tsan_write4(ptr %q)
; CHECK-NEXT: br label
; CHECK: ret
  store i32 0, ptr %p, !dbg !5
  br i1 true, label %then, label %done
then:
  store i32 2, ptr %p, !dbg !6
  br label %done
done:
  store atomic i32 1, ptr %flag release, align 4, !dbg !7
  store i32 0, ptr %q, !dbg !8
  br i1 true, label %more, label %last
more:
  store i32 1, ptr %q, !dbg !9
  br label %last
last:
  ret void
}

; Nor do they leave their iteration, here two that have come to stand in one block.
define void @iterations(ptr %p, i64 %i) sanitize_thread !dbg !10 {
; CHECK-LABEL: define void @iterations(
; CHECK: call void @__raceproof_iteration(i64 %i)
; CHECK: call void @__tsan_write4(ptr %p){{.*}}
; CHECK: raceproof.call{{.*}}:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: br label
; CHECK: call void @__raceproof_iteration(i64 %j)
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: raceproof.call{{.*}}:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: br label
; CHECK: ret
  call void @raceproof.iteration(i64 %i), !dbg !11
  store i32 0, ptr %p, !dbg !11
  br i1 true, label %then, label %done
then:
  store i32 2, ptr %p, !dbg !12
  br label %done
done:
  %j = add i64 %i, 1
  call void @raceproof.iteration(i64 %j), !dbg !11
  store i32 0, ptr %p, !dbg !13
  br i1 true, label %more, label %last
more:
  store i32 1, ptr %p, !dbg !14
  br label %last
last:
  ret void
}

declare void @raceproof.iteration(i64)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "parted", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 2, column: 3, scope: !4)
!6 = !DILocation(line: 4, column: 5, scope: !4)
!7 = !DILocation(line: 5, column: 3, scope: !4)
!8 = !DILocation(line: 6, column: 3, scope: !4)
!9 = !DILocation(line: 8, column: 5, scope: !4)
!10 = distinct !DISubprogram(name: "iterations", file: !2, line: 21, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 22, column: 3, scope: !10)
!12 = !DILocation(line: 24, column: 5, scope: !10)
!13 = !DILocation(line: 26, column: 3, scope: !10)
!14 = !DILocation(line: 28, column: 5, scope: !10)
