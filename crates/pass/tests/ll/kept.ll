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
