; passes: raceproof-mark-lanes,function(sroa,instcombine,loop-simplify,loop(indvars)),raceproof-hoist-lanes,raceproof-lower
; The accesses of a simd loop are told of with their distances, before it; what each lane has of its own is not. From
;
;   void carried(int n) {
;   #pragma omp simd safelen(4)
;     for (int i = 0; i < n; i++)
;       a[i + 1] = a[i];
;   }
;
; and a sum with `reduction`, which writes nothing that is shared.
; CHECK-LABEL: define {{.*}} @carried(
; CHECK: call void @__raceproof_lanes_begin(i64 4)
; CHECK-DAG: call void @__raceproof_lane_read_run(ptr @a, i64 4, i64 %{{.*}}, i64 4)
; CHECK-DAG: call void @__raceproof_lane_write_run(ptr {{.*}}, i64 4, i64 %{{.*}}, i64 4)
; CHECK-NOT: __raceproof_lanes_next
; CHECK: call void @__raceproof_lanes_end()
; CHECK-LABEL: define {{.*}} @total(
; CHECK: call void @__raceproof_lanes_begin(i64 -1)
; CHECK-NOT: __raceproof_lane_
; CHECK: call void @__raceproof_lanes_end()
; CHECK: ret i32

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@a = dso_local global [64 x i32] zeroinitializer, align 16, !dbg !0

define dso_local void @carried(i32 noundef %n) #0 !dbg !18 {
entry:
  %n.addr = alloca i32, align 4
  %tmp = alloca i32, align 4
  %.capture_expr. = alloca i32, align 4
  %.capture_expr.1 = alloca i32, align 4
  %i = alloca i32, align 4
  %.omp.iv = alloca i32, align 4
  %i3 = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  call void @llvm.dbg.declare(metadata ptr %n.addr, metadata !22, metadata !DIExpression()), !dbg !23
  call void @llvm.dbg.declare(metadata ptr %.capture_expr., metadata !24, metadata !DIExpression()), !dbg !26
  %0 = load i32, ptr %n.addr, align 4, !dbg !27
  store i32 %0, ptr %.capture_expr., align 4, !dbg !27
  call void @llvm.dbg.declare(metadata ptr %.capture_expr.1, metadata !24, metadata !DIExpression()), !dbg !26
  %1 = load i32, ptr %.capture_expr., align 4, !dbg !27
  %sub = sub nsw i32 %1, 0, !dbg !28
  %div = sdiv i32 %sub, 1, !dbg !28
  %sub2 = sub nsw i32 %div, 1, !dbg !28
  store i32 %sub2, ptr %.capture_expr.1, align 4, !dbg !28
  call void @llvm.dbg.declare(metadata ptr %i, metadata !29, metadata !DIExpression()), !dbg !26
  store i32 0, ptr %i, align 4, !dbg !30
  %2 = load i32, ptr %.capture_expr., align 4, !dbg !27
  %cmp = icmp slt i32 0, %2, !dbg !28
  br i1 %cmp, label %simd.if.then, label %simd.if.end, !dbg !31

simd.if.then:                                     ; preds = %entry
  call void @llvm.dbg.declare(metadata ptr %.omp.iv, metadata !32, metadata !DIExpression()), !dbg !26
  store i32 0, ptr %.omp.iv, align 4, !dbg !33
  call void @llvm.dbg.declare(metadata ptr %i3, metadata !29, metadata !DIExpression()), !dbg !26
  br label %omp.inner.for.cond, !dbg !31

omp.inner.for.cond:                               ; preds = %omp.inner.for.inc, %simd.if.then
  %3 = load i32, ptr %.omp.iv, align 4, !dbg !33
  %4 = load i32, ptr %.capture_expr.1, align 4, !dbg !28
  %add = add nsw i32 %4, 1, !dbg !28
  %cmp4 = icmp slt i32 %3, %add, !dbg !28
  br i1 %cmp4, label %omp.inner.for.body, label %omp.inner.for.end, !dbg !31

omp.inner.for.body:                               ; preds = %omp.inner.for.cond
  %5 = load i32, ptr %.omp.iv, align 4, !dbg !33
  %mul = mul nsw i32 %5, 1, !dbg !30
  %add5 = add nsw i32 0, %mul, !dbg !30
  store i32 %add5, ptr %i3, align 4, !dbg !30
  %6 = load i32, ptr %i3, align 4, !dbg !34
  %idxprom = sext i32 %6 to i64, !dbg !35
  %arrayidx = getelementptr inbounds [64 x i32], ptr @a, i64 0, i64 %idxprom, !dbg !35
  %7 = load i32, ptr %arrayidx, align 4, !dbg !35
  %8 = load i32, ptr %i3, align 4, !dbg !36
  %add6 = add nsw i32 %8, 1, !dbg !37
  %idxprom7 = sext i32 %add6 to i64, !dbg !38
  %arrayidx8 = getelementptr inbounds [64 x i32], ptr @a, i64 0, i64 %idxprom7, !dbg !38
  store i32 %7, ptr %arrayidx8, align 4, !dbg !39
  br label %omp.body.continue, !dbg !38

omp.body.continue:                                ; preds = %omp.inner.for.body
  br label %omp.inner.for.inc, !dbg !40

omp.inner.for.inc:                                ; preds = %omp.body.continue
  %9 = load i32, ptr %.omp.iv, align 4, !dbg !33
  %add9 = add nsw i32 %9, 1, !dbg !28
  store i32 %add9, ptr %.omp.iv, align 4, !dbg !28
  br label %omp.inner.for.cond, !dbg !40, !llvm.loop !41

omp.inner.for.end:                                ; preds = %omp.inner.for.cond
  %10 = load i32, ptr %.capture_expr., align 4, !dbg !27
  %sub10 = sub nsw i32 %10, 0, !dbg !28
  %div11 = sdiv i32 %sub10, 1, !dbg !28
  %mul12 = mul nsw i32 %div11, 1, !dbg !30
  %add13 = add nsw i32 0, %mul12, !dbg !30
  store i32 %add13, ptr %i3, align 4, !dbg !30
  br label %simd.if.end, !dbg !40

simd.if.end:                                      ; preds = %omp.inner.for.end, %entry
  ret void, !dbg !45
}

declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

define dso_local i32 @total(i32 noundef %n) #0 !dbg !46 {
entry:
  %n.addr = alloca i32, align 4
  %sum = alloca i32, align 4
  %tmp = alloca i32, align 4
  %.capture_expr. = alloca i32, align 4
  %.capture_expr.1 = alloca i32, align 4
  %i = alloca i32, align 4
  %.omp.iv = alloca i32, align 4
  %i3 = alloca i32, align 4
  %sum4 = alloca i32, align 4
  %own = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  call void @llvm.dbg.declare(metadata ptr %n.addr, metadata !49, metadata !DIExpression()), !dbg !50
  call void @llvm.dbg.declare(metadata ptr %sum, metadata !51, metadata !DIExpression()), !dbg !52
  store i32 0, ptr %sum, align 4, !dbg !52
  call void @llvm.dbg.declare(metadata ptr %.capture_expr., metadata !53, metadata !DIExpression()), !dbg !55
  %0 = load i32, ptr %n.addr, align 4, !dbg !56
  store i32 %0, ptr %.capture_expr., align 4, !dbg !56
  call void @llvm.dbg.declare(metadata ptr %.capture_expr.1, metadata !53, metadata !DIExpression()), !dbg !55
  %1 = load i32, ptr %.capture_expr., align 4, !dbg !56
  %sub = sub nsw i32 %1, 0, !dbg !57
  %div = sdiv i32 %sub, 1, !dbg !57
  %sub2 = sub nsw i32 %div, 1, !dbg !57
  store i32 %sub2, ptr %.capture_expr.1, align 4, !dbg !57
  call void @llvm.dbg.declare(metadata ptr %i, metadata !58, metadata !DIExpression()), !dbg !55
  store i32 0, ptr %i, align 4, !dbg !59
  %2 = load i32, ptr %.capture_expr., align 4, !dbg !56
  %cmp = icmp slt i32 0, %2, !dbg !57
  br i1 %cmp, label %simd.if.then, label %simd.if.end, !dbg !60

simd.if.then:                                     ; preds = %entry
  call void @llvm.dbg.declare(metadata ptr %.omp.iv, metadata !61, metadata !DIExpression()), !dbg !55
  store i32 0, ptr %.omp.iv, align 4, !dbg !62
  call void @llvm.dbg.declare(metadata ptr %i3, metadata !58, metadata !DIExpression()), !dbg !55
  call void @llvm.dbg.declare(metadata ptr %sum4, metadata !63, metadata !DIExpression()), !dbg !55
  store i32 0, ptr %sum4, align 4, !dbg !64
  br label %omp.inner.for.cond, !dbg !60

omp.inner.for.cond:                               ; preds = %omp.inner.for.inc, %simd.if.then
  %3 = load i32, ptr %.omp.iv, align 4, !dbg !62, !llvm.access.group !65
  %4 = load i32, ptr %.capture_expr.1, align 4, !dbg !57, !llvm.access.group !65
  %add = add nsw i32 %4, 1, !dbg !57
  %cmp5 = icmp slt i32 %3, %add, !dbg !57
  br i1 %cmp5, label %omp.inner.for.body, label %omp.inner.for.end, !dbg !60

omp.inner.for.body:                               ; preds = %omp.inner.for.cond
  %5 = load i32, ptr %.omp.iv, align 4, !dbg !62, !llvm.access.group !65
  %mul = mul nsw i32 %5, 1, !dbg !59
  %add6 = add nsw i32 0, %mul, !dbg !59
  store i32 %add6, ptr %i3, align 4, !dbg !59, !llvm.access.group !65
  call void @llvm.dbg.declare(metadata ptr %own, metadata !66, metadata !DIExpression()), !dbg !68
  %6 = load i32, ptr %i3, align 4, !dbg !69, !llvm.access.group !65
  %idxprom = sext i32 %6 to i64, !dbg !70
  %arrayidx = getelementptr inbounds [64 x i32], ptr @a, i64 0, i64 %idxprom, !dbg !70
  %7 = load i32, ptr %arrayidx, align 4, !dbg !70, !llvm.access.group !65
  store i32 %7, ptr %own, align 4, !dbg !68, !llvm.access.group !65
  %8 = load i32, ptr %own, align 4, !dbg !71, !llvm.access.group !65
  %9 = load i32, ptr %sum4, align 4, !dbg !72, !llvm.access.group !65
  %add7 = add nsw i32 %9, %8, !dbg !72
  store i32 %add7, ptr %sum4, align 4, !dbg !72, !llvm.access.group !65
  br label %omp.body.continue, !dbg !73

omp.body.continue:                                ; preds = %omp.inner.for.body
  br label %omp.inner.for.inc, !dbg !74

omp.inner.for.inc:                                ; preds = %omp.body.continue
  %10 = load i32, ptr %.omp.iv, align 4, !dbg !62, !llvm.access.group !65
  %add8 = add nsw i32 %10, 1, !dbg !57
  store i32 %add8, ptr %.omp.iv, align 4, !dbg !57, !llvm.access.group !65
  br label %omp.inner.for.cond, !dbg !74, !llvm.loop !75

omp.inner.for.end:                                ; preds = %omp.inner.for.cond
  %11 = load i32, ptr %.capture_expr., align 4, !dbg !56
  %sub9 = sub nsw i32 %11, 0, !dbg !57
  %div10 = sdiv i32 %sub9, 1, !dbg !57
  %mul11 = mul nsw i32 %div10, 1, !dbg !59
  %add12 = add nsw i32 0, %mul11, !dbg !59
  store i32 %add12, ptr %i3, align 4, !dbg !59
  %12 = load i32, ptr %sum, align 4, !dbg !64
  %13 = load i32, ptr %sum4, align 4, !dbg !64
  %add13 = add nsw i32 %12, %13, !dbg !78
  store i32 %add13, ptr %sum, align 4, !dbg !78
  br label %simd.if.end, !dbg !74

simd.if.end:                                      ; preds = %omp.inner.for.end, %entry
  %14 = load i32, ptr %sum, align 4, !dbg !79
  ret i32 %14, !dbg !80
}

attributes #0 = { noinline nounwind sanitize_thread uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!9, !10, !11, !12, !13, !14, !15, !16}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "a", scope: !2, file: !3, line: 1, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "clang", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "lanes.c", directory: "/")
!4 = !{!0}
!5 = !DICompositeType(tag: DW_TAG_array_type, baseType: !6, size: 2048, elements: !7)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !{!8}
!8 = !DISubrange(count: 64)
!9 = !{i32 7, !"Dwarf Version", i32 5}
!10 = !{i32 2, !"Debug Info Version", i32 3}
!11 = !{i32 1, !"wchar_size", i32 4}
!12 = !{i32 7, !"openmp", i32 50}
!13 = !{i32 8, !"PIC Level", i32 2}
!14 = !{i32 7, !"PIE Level", i32 2}
!15 = !{i32 7, !"uwtable", i32 2}
!16 = !{i32 7, !"frame-pointer", i32 2}
!17 = !{!"clang"}
!18 = distinct !DISubprogram(name: "carried", scope: !3, file: !3, line: 2, type: !19, scopeLine: 2, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !21)
!19 = !DISubroutineType(types: !20)
!20 = !{null, !6}
!21 = !{}
!22 = !DILocalVariable(name: "n", arg: 1, scope: !18, file: !3, line: 2, type: !6)
!23 = !DILocation(line: 2, column: 18, scope: !18)
!24 = !DILocalVariable(name: ".capture_expr.", scope: !25, type: !6, flags: DIFlagArtificial)
!25 = distinct !DILexicalBlock(scope: !18, file: !3, line: 3, column: 1)
!26 = !DILocation(line: 0, scope: !25)
!27 = !DILocation(line: 4, column: 23, scope: !25)
!28 = !DILocation(line: 4, column: 3, scope: !25)
!29 = !DILocalVariable(name: "i", scope: !25, type: !6, flags: DIFlagArtificial)
!30 = !DILocation(line: 4, column: 26, scope: !25)
!31 = !DILocation(line: 3, column: 1, scope: !18)
!32 = !DILocalVariable(name: ".omp.iv", scope: !25, type: !6, flags: DIFlagArtificial)
!33 = !DILocation(line: 4, column: 8, scope: !25)
!34 = !DILocation(line: 5, column: 18, scope: !25)
!35 = !DILocation(line: 5, column: 16, scope: !25)
!36 = !DILocation(line: 5, column: 7, scope: !25)
!37 = !DILocation(line: 5, column: 9, scope: !25)
!38 = !DILocation(line: 5, column: 5, scope: !25)
!39 = !DILocation(line: 5, column: 14, scope: !25)
!40 = !DILocation(line: 3, column: 1, scope: !25)
!41 = distinct !{!41, !40, !42, !43, !44}
!42 = !DILocation(line: 3, column: 28, scope: !25)
!43 = !{!"llvm.loop.vectorize.width", i32 4}
!44 = !{!"llvm.loop.vectorize.enable", i1 true}
!45 = !DILocation(line: 6, column: 1, scope: !18)
!46 = distinct !DISubprogram(name: "total", scope: !3, file: !3, line: 7, type: !47, scopeLine: 7, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !21)
!47 = !DISubroutineType(types: !48)
!48 = !{!6, !6}
!49 = !DILocalVariable(name: "n", arg: 1, scope: !46, file: !3, line: 7, type: !6)
!50 = !DILocation(line: 7, column: 15, scope: !46)
!51 = !DILocalVariable(name: "sum", scope: !46, file: !3, line: 8, type: !6)
!52 = !DILocation(line: 8, column: 7, scope: !46)
!53 = !DILocalVariable(name: ".capture_expr.", scope: !54, type: !6, flags: DIFlagArtificial)
!54 = distinct !DILexicalBlock(scope: !46, file: !3, line: 9, column: 1)
!55 = !DILocation(line: 0, scope: !54)
!56 = !DILocation(line: 10, column: 23, scope: !54)
!57 = !DILocation(line: 10, column: 3, scope: !54)
!58 = !DILocalVariable(name: "i", scope: !54, type: !6, flags: DIFlagArtificial)
!59 = !DILocation(line: 10, column: 26, scope: !54)
!60 = !DILocation(line: 9, column: 1, scope: !46)
!61 = !DILocalVariable(name: ".omp.iv", scope: !54, type: !6, flags: DIFlagArtificial)
!62 = !DILocation(line: 10, column: 8, scope: !54)
!63 = !DILocalVariable(name: "sum", scope: !54, type: !6, flags: DIFlagArtificial)
!64 = !DILocation(line: 9, column: 32, scope: !54)
!65 = distinct !{}
!66 = !DILocalVariable(name: "own", scope: !67, file: !3, line: 11, type: !6)
!67 = distinct !DILexicalBlock(scope: !54, file: !3, line: 10, column: 31)
!68 = !DILocation(line: 11, column: 9, scope: !67)
!69 = !DILocation(line: 11, column: 17, scope: !67)
!70 = !DILocation(line: 11, column: 15, scope: !67)
!71 = !DILocation(line: 12, column: 12, scope: !67)
!72 = !DILocation(line: 12, column: 9, scope: !67)
!73 = !DILocation(line: 13, column: 3, scope: !67)
!74 = !DILocation(line: 9, column: 1, scope: !54)
!75 = distinct !{!75, !74, !76, !77, !44}
!76 = !DILocation(line: 9, column: 36, scope: !54)
!77 = !{!"llvm.loop.parallel_accesses", !65}
!78 = !DILocation(line: 9, column: 28, scope: !54)
!79 = !DILocation(line: 14, column: 10, scope: !46)
!80 = !DILocation(line: 14, column: 3, scope: !46)
