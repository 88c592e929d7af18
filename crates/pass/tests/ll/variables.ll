; passes: raceproof-drop-variables
; Of variables, those stay that have a place in memory at some time: the others no report names.

declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)

define void @f(i32 %n, ptr %shared) !dbg !4 {
; CHECK-LABEL: define void @f(
; CHECK-NOT: {{dbg[._]value}}
; CHECK: {{dbg[._]declare}}({{.*}}![[DECLARED:[0-9]+]],
; CHECK: {{dbg[._]value}}({{.*}}%moved{{.*}}![[MOVED:[0-9]+]],
; CHECK: {{dbg[._]value}}({{.*}}i32 %n, {{.*}}![[MOVED]],
; CHECK: {{dbg[._]value}}({{.*}}%shared{{.*}}![[SHARED:[0-9]+]],
; CHECK-NOT: {{dbg[._]value}}
; CHECK: ret void
; CHECK-DAG: ![[DECLARED]] = !DILocalVariable(name: "declared"
; CHECK-DAG: ![[MOVED]] = !DILocalVariable(name: "moved"
; CHECK-DAG: ![[SHARED]] = !DILocalVariable(name: "shared"
  %declared = alloca i32, align 4
  %moved = alloca i32, align 4
  call void @llvm.dbg.value(metadata i32 %n, metadata !7, metadata !DIExpression()), !dbg !6
  call void @llvm.dbg.declare(metadata ptr %declared, metadata !8, metadata !DIExpression()), !dbg !6
  call void @llvm.dbg.value(metadata ptr %moved, metadata !9, metadata !DIExpression(DW_OP_deref)), !dbg !6
  call void @llvm.dbg.value(metadata i32 %n, metadata !9, metadata !DIExpression()), !dbg !6
  call void @llvm.dbg.value(metadata ptr %shared, metadata !11, metadata !DIExpression(DW_OP_deref)), !dbg !6
  call void @llvm.dbg.value(metadata i32 1, metadata !7, metadata !DIExpression()), !dbg !6
  ret void, !dbg !6
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocation(line: 2, column: 3, scope: !4)
!7 = !DILocalVariable(name: "n", scope: !4, file: !2, line: 1, type: !5)
!8 = !DILocalVariable(name: "declared", scope: !4, file: !2, line: 1, type: !5)
!9 = !DILocalVariable(name: "moved", scope: !4, file: !2, line: 1, type: !5)
!11 = !DILocalVariable(name: "shared", scope: !4, file: !2, line: 1, type: !5)
