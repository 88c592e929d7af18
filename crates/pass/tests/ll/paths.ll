; passes: raceproof-describe,raceproof-mark,raceproof-lower
; The path of an access is the lvalue of the source. Its text goes to a section, its hash is the discriminator of the access's location.

; CHECK: module asm ".pushsection .raceproof.paths,\22MS\22,@progbits,1"
; CHECK-NEXT: module asm ".asciz \22g table[{i + 1:20}][2]\22"
; CHECK-NEXT: module asm ".asciz \22p0 *u\22"
; CHECK-NEXT: module asm ".asciz \22p0 p->next\22"
; CHECK-NEXT: module asm ".asciz \22p0 u->fraction\22"
; CHECK-NEXT: module asm ".asciz \22p8 p->next->count\22"
; CHECK-NEXT: module asm ".popsection"

%struct.node = type { ptr, i32 }
%struct.other = type { i64, i32 }
@table = global [4 x [5 x i32]] zeroinitializer, !dbg !10

; CHECK-LABEL: define void @paths(
define void @paths(ptr %p, ptr %u, i32 %i) sanitize_thread !dbg !20 {
  %p.addr = alloca ptr
  %u.addr = alloca ptr
  %i.addr = alloca i32
  store ptr %p, ptr %p.addr
  call void @llvm.dbg.declare(metadata ptr %p.addr, metadata !21, metadata !DIExpression()), !dbg !30
  store ptr %u, ptr %u.addr
  call void @llvm.dbg.declare(metadata ptr %u.addr, metadata !22, metadata !DIExpression()), !dbg !30
  store i32 %i, ptr %i.addr
  call void @llvm.dbg.declare(metadata ptr %i.addr, metadata !23, metadata !DIExpression()), !dbg !30
; CHECK: call void @__tsan_read8({{.*}} !dbg [[NEXT:![0-9]+]]
; CHECK: call void @__tsan_write4({{.*}} !dbg [[COUNT:![0-9]+]]
  %first = load ptr, ptr %p.addr, !dbg !31
  %next.field = getelementptr %struct.node, ptr %first, i32 0, i32 0, !dbg !31
  %next = load ptr, ptr %next.field, !dbg !31
  %count.field = getelementptr %struct.node, ptr %next, i32 0, i32 1, !dbg !31
  store i32 7, ptr %count.field, !dbg !31
; Of the members of a union, the one that has the type of the access; if none has, the union.
; CHECK: call void @__tsan_write4({{.*}} !dbg [[FRACTION:![0-9]+]]
; CHECK: call void @__tsan_read2({{.*}} !dbg [[UNION:![0-9]+]]
  %word = load ptr, ptr %u.addr, !dbg !32
  store float 1.0, ptr %word, !dbg !32
  %half = load i16, ptr %word, !dbg !32
; CHECK: call void @__tsan_write4({{.*}} !dbg [[TABLE:![0-9]+]]
  %n = load i32, ptr %i.addr, !dbg !33
  %n.1 = add nsw i32 %n, 1, !dbg !33
  %index = sext i32 %n.1 to i64, !dbg !33
  %row = getelementptr [4 x [5 x i32]], ptr @table, i64 0, i64 %index, !dbg !33
  %element = getelementptr [5 x i32], ptr %row, i64 0, i64 2, !dbg !33
  store i32 0, ptr %element, !dbg !33
; An address that has no expression has no path.
; CHECK: call void @__tsan_write4({{.*}} !dbg [[NOTHING:![0-9]+]]
  %number = ptrtoint ptr %word to i64
  %made = inttoptr i64 %number to ptr
  store i32 0, ptr %made, !dbg !34
; Nor has one of a type that the source has cast to.
; CHECK: call void @__tsan_write4({{.*}} !dbg [[NOTHING]]
  %cast = getelementptr %struct.other, ptr %first, i32 0, i32 1, !dbg !34
  store i32 0, ptr %cast, !dbg !34
  ret void
}

; CHECK-DAG: [[NEXT]] = !DILocation(line: 5, column: 3, scope: [[IN_NEXT:![0-9]+]])
; CHECK-DAG: [[IN_NEXT]] = !DILexicalBlockFile({{.*}}discriminator: 242554574)
; CHECK-DAG: [[COUNT]] = !DILocation(line: 5, column: 3, scope: [[IN_COUNT:![0-9]+]])
; CHECK-DAG: [[IN_COUNT]] = !DILexicalBlockFile({{.*}}discriminator: 108802133)
; CHECK-DAG: [[FRACTION]] = !DILocation(line: 6, column: 3, scope: [[IN_FRACTION:![0-9]+]])
; CHECK-DAG: [[IN_FRACTION]] = !DILexicalBlockFile({{.*}}discriminator: 63577856)
; CHECK-DAG: [[UNION]] = !DILocation(line: 6, column: 3, scope: [[IN_UNION:![0-9]+]])
; CHECK-DAG: [[IN_UNION]] = !DILexicalBlockFile({{.*}}discriminator: 17618615)
; CHECK-DAG: [[TABLE]] = !DILocation(line: 7, column: 3, scope: [[IN_TABLE:![0-9]+]])
; CHECK-DAG: [[IN_TABLE]] = !DILexicalBlockFile({{.*}}discriminator: 224201122)
; CHECK-DAG: [[NOTHING]] = !DILocation(line: 8, column: 3, scope: [[FUNCTION:![0-9]+]])
; CHECK-DAG: [[FUNCTION]] = distinct !DISubprogram(name: "paths"

declare void @llvm.dbg.declare(metadata, metadata, metadata)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, globals: !{!10})
!1 = !DIFile(filename: "paths.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!6 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !1, size: 128, elements: !{!7, !8})
!7 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !6, baseType: !5, size: 64)
!8 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !6, baseType: !3, size: 32, offset: 64)
!10 = !DIGlobalVariableExpression(var: !11, expr: !DIExpression())
!11 = distinct !DIGlobalVariable(name: "table", scope: !0, file: !1, line: 3, type: !12, isDefinition: true)
!12 = !DICompositeType(tag: DW_TAG_array_type, baseType: !3, size: 640, elements: !{!13, !14})
!13 = !DISubrange(count: 4)
!14 = !DISubrange(count: 5)
!15 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !16, size: 64)
!16 = distinct !DICompositeType(tag: DW_TAG_union_type, name: "word", file: !1, size: 32, elements: !{!17, !18})
!17 = !DIDerivedType(tag: DW_TAG_member, name: "number", scope: !16, baseType: !3, size: 32)
!18 = !DIDerivedType(tag: DW_TAG_member, name: "fraction", scope: !16, baseType: !4, size: 32)
!20 = distinct !DISubprogram(name: "paths", scope: !1, file: !1, line: 4, type: !DISubroutineType(types: !{null}), spFlags: DISPFlagDefinition, unit: !0)
!21 = !DILocalVariable(name: "p", arg: 1, scope: !20, file: !1, line: 4, type: !5)
!22 = !DILocalVariable(name: "u", arg: 2, scope: !20, file: !1, line: 4, type: !15)
!23 = !DILocalVariable(name: "i", arg: 3, scope: !20, file: !1, line: 4, type: !3)
!30 = !DILocation(line: 4, column: 1, scope: !20)
!31 = !DILocation(line: 5, column: 3, scope: !20)
!32 = !DILocation(line: 6, column: 3, scope: !20)
!33 = !DILocation(line: 7, column: 3, scope: !20)
!34 = !DILocation(line: 8, column: 3, scope: !20)
