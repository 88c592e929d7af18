; passes: raceproof-mark,raceproof-eliminate,raceproof-lower
; A check that is kept for pairs leaves its loop as a range.

define void @again(ptr %p, i1 %c, ptr %other) sanitize_thread !dbg !4 {
; CHECK-LABEL: define void @again(
; CHECK: call void @__raceproof_write_span(ptr %p,
; CHECK: raceproof.call:
; CHECK-NEXT: call void @__raceproof_write_span(ptr %p,
; CHECK-NEXT: br label
; CHECK: {{^}}loop:
; CHECK-NOT: write4(ptr %b)
; CHECK: ret
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %k, %join ]
  %b = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %b, !dbg !6
  %d = icmp eq i64 %j, 3
  br i1 %d, label %then, label %join
then:
  store i32 1, ptr %other, !dbg !5
  br label %join
join:
  store i32 2, ptr %b, !dbg !7
  %k = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %k, 8
  br i1 %more, label %loop, label %done
done:
  ret void
}

; One whose address stays is one access before the loop.
define void @stays(ptr %p) sanitize_thread !dbg !8 {
; CHECK-LABEL: define void @stays(
; CHECK: call void @__tsan_write4(ptr %p)
; CHECK: raceproof.call{{.*}}:
; CHECK-NEXT: call void @__tsan_write4(ptr %p)
; CHECK-NEXT: br label
; CHECK: {{^}}loop:
; CHECK-NOT: __tsan
; CHECK: ret
entry:
  store i32 0, ptr %p, !dbg !9
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %k, %loop ]
  store i32 2, ptr %p, !dbg !10
  %k = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %k, 8
  br i1 %more, label %loop, label %done
done:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "again", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 2, column: 3, scope: !4)
!6 = !DILocation(line: 4, column: 5, scope: !4)
!7 = !DILocation(line: 5, column: 3, scope: !4)
!8 = distinct !DISubprogram(name: "stays", file: !2, line: 11, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 12, column: 3, scope: !8)
!10 = !DILocation(line: 14, column: 5, scope: !8)
