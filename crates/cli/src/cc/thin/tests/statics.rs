//! Checks of static variables that only `main` writes: which of them go, and what each way of reaching a variable otherwise keeps.

use super::left_of;

/// Variables as clang defines them.
const DEFINED: &str = "source_filename = \"a.c\"
@x = internal unnamed_addr global i32 0, align 4, !dbg !0
@x.1 = internal global i32 0, align 4
@y = private dso_local global [10 x i32] zeroinitializer, align 16
@\"a b\" = internal local_unnamed_addr global { i32, i32 } zeroinitializer, comdat, align 8
@g = global ptr null, align 8
";

/// What `main` does besides what a test adds to it.
const MAIN: &str = "  call void @__tsan_write4(ptr @x), !dbg !7
  store i32 %argc, ptr @x, align 4, !dbg !7, !tbaa !8
";

/// What a task does.
const TASK: &str = "  call void @__tsan_read4(ptr @x)
  %v = load i32, ptr @x, align 4, !tbaa !8
";

/// Both of `@x`.
const WHOLE: [&str; 2] = ["write4 @x", "read4 @x"];
const NONE: [&str; 0] = [];

fn module(main: &str, task: &str) -> String {
    format!(
        "{DEFINED}
; Function Attrs: nounwind
define dso_local i32 @main(i32 noundef %argc, ptr nocapture noundef readonly %argv) local_unnamed_addr #0 {{
entry:
{main}  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr nonnull @g, i32 0, ptr nonnull @main.omp_outlined)
  ret i32 0
}}

define internal void @main.omp_outlined(ptr %t, ptr %b, i64 %n, i1 %c) #1 {{
entry:
{task}  ret void
}}

declare void @unknown(ptr)

!0 = !{{ptr @x}}
"
    )
}

fn left(main: &str, task: &str) -> Vec<String> {
    left_of(&module(main, task))
}

/// With something more in the task.
fn left_in(more: &str) -> Vec<String> {
    left(MAIN, &format!("{TASK}{more}"))
}

/// With something more in `main`.
fn left_with(more: &str) -> Vec<String> {
    left(&format!("{MAIN}{more}"), TASK)
}

/// With something more in the module.
fn left_beside(more: &str) -> Vec<String> {
    left_of(&format!("{more}{}", module(MAIN, TASK)))
}

#[test]
fn of_a_variable_that_main_alone_writes_all_go() {
    assert_eq!(left(MAIN, TASK), NONE);
    assert_eq!(left_with("  store i32 7, ptr @x, align 4\n"), NONE, "as often as it likes");
    assert_eq!(left(&MAIN.replace("  call", "  tail call"), TASK), NONE);
    assert_eq!(left(&MAIN.replace("(ptr @x)", "(ptr nonnull @x)"), TASK), NONE);
}

#[test]
fn another_function_that_writes_keeps_them() {
    assert_eq!(left_in("  store i32 1, ptr @x, align 4\n"), WHOLE, "checked or not");
    let first = left("", "  call void @__tsan_write4(ptr @x)\n  store i32 1, ptr @x, align 4\n");
    assert_eq!(first, ["write4 @x"]);
    for name in ["@set", "@main.cold", "@mai", "@domain"] {
        let other =
            format!("define void {name}() {{\nentry:\n  store i32 1, ptr @x, align 4\n  ret void\n}}\n");
        assert_eq!(left_beside(&other), WHOLE, "{name}");
    }
    // Whatever comes first in the text.
    let after = format!(
        "{}define void @set() {{\n  store i32 1, ptr @x, align 4\n  ret void\n}}\n",
        module(MAIN, TASK)
    );
    assert_eq!(left_of(&after), WHOLE);
    let not_read = "define void @set() {\n what\n  store i32 1, ptr @x, align 4\n  ret void\n}\n";
    assert_eq!(left_beside(not_read), WHOLE, "in a function that could not be read");
}

#[test]
fn an_address_that_gets_out_keeps_them() {
    for more in [
        "  call void @unknown(ptr nonnull @x)\n",
        "  call void @unknown(ptr getelementptr inbounds (i8, ptr @x, i64 2))\n",
        "  %q = call i32 %b(i32 1, ptr @x)\n",
        "  invoke void @unknown(ptr @x)\n          to label %on unwind label %on\n\non:\n",
        "  store ptr @x, ptr @g, align 8\n",
        "  store ptr @x, ptr @x, align 8\n",
        "  store { ptr, i32 } { ptr @x, i32 1 }, ptr @g, align 8\n",
        "  store i64 ptrtoint (ptr @x to i64), ptr @g, align 8\n",
        "  %q = ptrtoint ptr @x to i64\n",
        "  %q = icmp eq ptr %b, @x\n",
        "  %q = select i1 %c, ptr @x, ptr %b\n",
        "  %q = freeze ptr @x\n",
        "  %q = addrspacecast ptr @x to ptr addrspace(1)\n",
        "  %q = insertvalue { ptr, i32 } undef, ptr @x, 0\n",
        "  %q = call ptr @__tsan_memcpy(ptr @x, ptr %b, i64 4)\n",
        "  %q = call ptr @__tsan_memset(ptr @x, i32 0, i64 4)\n",
        "  call void @llvm.memset.p0.i64(ptr @x, i8 0, i64 4, i1 false)\n",
        "  call void asm sideeffect \"\", \"=*m\"(ptr elementtype(i32) @x)\n",
        "  br label %on\n\non:\n  %q = phi ptr [ @x, %entry ]\n",
        "  %q = landingpad { ptr, i32 }\n          catch ptr @x\n",
        "  ret ptr @x\n\non:\n",
    ] {
        assert_eq!(left_in(more), WHOLE, "{more}");
        assert_eq!(left_with(&more.replace("%b", "%argv")), WHOLE, "of main: {more}");
    }
}

#[test]
fn atomic_and_volatile_accesses_keep_them() {
    for more in [
        "  %q = load volatile i32, ptr @x, align 4\n",
        "  store volatile i32 1, ptr @x, align 4\n",
        "  %q = load atomic i32, ptr @x seq_cst, align 4\n",
        "  store atomic i32 1, ptr @x release, align 4\n",
        "  %q = atomicrmw add ptr @x, i32 1 seq_cst, align 4\n",
        "  %q = cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst, align 4\n",
        "  %q = call i32 @__tsan_atomic32_load(ptr @x, i32 5)\n",
    ] {
        assert_eq!(left_with(more), WHOLE, "{more}");
    }
}

#[test]
fn the_rest_of_the_module_may_lead_to_it() {
    for more in [
        "@p = internal global ptr @x, align 8\n",
        "@p = constant [2 x ptr] [ptr null, ptr getelementptr (i8, ptr @x, i64 4)]\n",
        "@llvm.used = appending global [1 x ptr] [ptr @x], section \"llvm.metadata\"\n",
        "@llvm.compiler.used = appending global [1 x ptr] [ptr @x], section \"llvm.metadata\"\n",
        "@a = alias i32, ptr @x\n",
    ] {
        assert_eq!(left_beside(more), WHOLE, "{more}");
    }
    let itself = module(MAIN, TASK).replace("global i32 0, align 4, !dbg", "global ptr @x, align 8, !dbg");
    assert_eq!(left_of(&itself), WHOLE);
}

#[test]
fn what_others_may_name_or_have_of_their_own_keeps_them() {
    let defined = |how: &str| {
        left_of(
            &module(MAIN, TASK)
                .replace("@x = internal unnamed_addr global i32 0, align 4", &format!("@x = {how}")),
        )
    };
    assert_eq!(defined("private global i32 0, align 4"), NONE);
    for how in [
        "global i32 0, align 4",
        "dso_local local_unnamed_addr global i32 0, align 4",
        "common global i32 0, align 4",
        "weak global i32 0, align 4",
        "linkonce_odr global i32 0, comdat, align 4",
        "external global i32, align 4",
        "external hidden global i32, align 4",
        "internal thread_local global i32 0, align 4",
        "internal thread_local(initialexec) global i32 0, align 4",
        "internal externally_initialized global i32 0, align 4",
        "internal addrspace(1) global i32 0, align 4",
        "internal global i32 0, section \"set\", align 4",
    ] {
        assert_eq!(defined(how), WHOLE, "{how}");
    }
}

#[test]
fn main_must_not_be_mentioned() {
    for more in [
        "define void @f() {\nentry:\n  %r = call i32 @main(i32 0, ptr null)\n  ret void\n}\n",
        "@p = global ptr @main\n",
        "@a = alias i32 (i32, ptr), ptr @main\n",
        "@l = internal constant [1 x ptr] [ptr blockaddress(@main, %on)]\n",
    ] {
        assert_eq!(left_beside(more), WHOLE, "{more}");
    }
    assert_eq!(left_with("  %r = call i32 @main(i32 0, ptr null)\n"), WHOLE, "by itself");
    assert_eq!(left_beside("@main.p = global ptr @main.omp_outlined\n"), NONE, "another name");
}

#[test]
fn without_a_main_nothing_may_write() {
    let read = module("", TASK).replace("@main(", "@start(");
    assert_eq!(left_of(&read), NONE);
    assert_eq!(
        left_of(&read.replace("internal unnamed_addr global", "internal unnamed_addr constant")),
        NONE
    );
    assert_eq!(left_of(&module(MAIN, TASK).replace("@main(", "@start(")), WHOLE);
    let called = read.replace("ret i32 0", "%r = call i32 @main(i32 0, ptr null)\n  ret i32 0");
    assert_eq!(left_of(&called), NONE, "nor does it matter who calls it");
}

#[test]
fn a_task_with_an_event_runs_beside_main() {
    let event = "  %e = call ptr @__kmpc_task_allow_completion_event(ptr @g, i32 0, ptr %t)\n";
    assert_eq!(left_in(event), WHOLE);
    assert_eq!(left("", &format!("{TASK}{event}")), NONE, "if there is something to run beside");
}

#[test]
fn metadata_is_no_use() {
    for more in [
        "    #dbg_value(ptr @x, !1, !DIExpression(), !2)\n",
        "  call void @llvm.dbg.value(metadata ptr @x, metadata !1, metadata !DIExpression()), !dbg !2\n",
        "  tail call void @llvm.dbg.value(metadata ptr @x, metadata !1, metadata !DIExpression()), !dbg !2\n",
    ] {
        assert_eq!(left_in(more), NONE, "{more}");
    }
}

#[test]
fn names_are_whole() {
    assert_eq!(left_in("  store i32 1, ptr @x.1, align 4\n"), NONE, "@x.1 is not @x");
    assert_eq!(left_in("  call void @unknown(ptr @x.1)\n  call void @unknown(ptr @\"x y\")\n"), NONE);
    let quoted = |text: &str| text.replace("@x", "@\"a b\"");
    assert_eq!(left(&quoted(MAIN), &quoted(TASK)), NONE);
    let out = format!("{}  call void @unknown(ptr @\"a b\")\n", quoted(TASK));
    assert_eq!(left(&quoted(MAIN), &out), ["write4 @\"a b\"", "read4 @\"a b\""]);
}

#[test]
fn each_variable_is_judged_by_itself() {
    let both = "  call void @__tsan_write4(ptr @x.1)\n  store i32 1, ptr @x.1, align 4\n";
    assert_eq!(left_in(both), ["write4 @x.1"]);
    assert_eq!(left_with("  store ptr @x, ptr @y, align 8\n"), WHOLE, "in one that nobody reaches either");
    let load = "  %q = load i32, ptr getelementptr (i8, ptr @y, i64 ptrtoint (ptr @x to i64)), align 4\n";
    assert_eq!(left_in(load), WHOLE);
}

/// An element of an array and a field, by an instruction or in place.
const ELEMENTS: &str = "  %w = sext i32 %argc to i64
  %e = getelementptr inbounds [10 x i32], ptr @y, i64 0, i64 %w
  %f = getelementptr inbounds i8, ptr %e, i64 4
  call void @__tsan_write4(ptr %f)
  store i32 1, ptr %f, align 4
  call void @__tsan_write4(ptr getelementptr inbounds (i8, ptr @y, i64 12)), !dbg !7
  store i32 2, ptr getelementptr inbounds (i8, ptr @y, i64 12), align 4
  call void @__tsan_write4(ptr getelementptr inbounds ({ i32, i32 }, ptr @\"a b\", i64 0, i32 1))
  store i32 3, ptr getelementptr inbounds ({ i32, i32 }, ptr @\"a b\", i64 0, i32 1), align 4
";
const READ: &str = "  %e = getelementptr inbounds nuw [10 x i32], ptr @y, i64 0, i64 %n
  call void @__tsan_read4(ptr nonnull %e)
  %v = load i32, ptr %e, align 4
";
/// The checks of `@y`.
const ARRAY: [&str; 3] =
    ["write4 %f", "write4 getelementptr inbounds (i8, ptr @y, i64 12)", "read4 nonnull %e"];

#[test]
fn what_is_in_a_variable_is_of_it() {
    assert_eq!(left(ELEMENTS, READ), NONE);
    let writes = "  store i32 1, ptr %e, align 4\n";
    assert_eq!(left(ELEMENTS, &format!("{READ}{writes}")), ARRAY);
    let in_place = "  store i32 1, ptr getelementptr inbounds (i8, ptr @y, i64 8), align 4\n";
    assert_eq!(left(ELEMENTS, &format!("{READ}{in_place}")), ARRAY);
}

#[test]
fn an_address_in_a_variable_leads_to_all_of_it() {
    for more in [
        "  call void @unknown(ptr %e)\n",
        "  store ptr %e, ptr @g, align 8\n",
        "  %q = ptrtoint ptr %e to i64\n",
        "  %q = select i1 %c, ptr %e, ptr %b\n",
        "  %q = getelementptr i8, ptr %e, <2 x i64> <i64 0, i64 4>\n  call void @unknown(<2 x ptr> %q)\n",
        "  %q = getelementptr i8, ptr %e, i64 8\n  %r = getelementptr i8, ptr %q, i64 8\n  call void @unknown(ptr %r)\n",
        "  %q = load volatile i32, ptr %e, align 4\n",
        "  br label %on\n\non:\n  %q = phi ptr [ %e, %entry ]\n",
    ] {
        assert_eq!(left(ELEMENTS, &format!("{READ}{more}")), ARRAY, "{more}");
    }
    // The call keeps the check in the loop.
    let phi = "  br label %on\n\non:\n  %q = phi ptr [ null, %entry ], [ %e, %on ]\n  call void @unknown(ptr null)\n";
    let in_a_loop = format!("{phi}{READ}  br label %on\n\noff:\n");
    assert_eq!(left(ELEMENTS, &in_a_loop), ARRAY, "a phi above sees what comes below");
}

#[test]
fn blocks_may_stand_in_any_order() {
    let turned = "  br label %second

first:
  %f = getelementptr inbounds i8, ptr %e, i64 4
  call void @unknown(ptr %f)
  br label %on

second:
  %e = getelementptr inbounds [10 x i32], ptr @y, i64 0, i64 %n
  br label %first

on:
";
    assert_eq!(left(ELEMENTS, turned), ARRAY[..2]);
}

#[test]
fn values_are_those_of_their_function() {
    // `%e` is somebody else's address here.
    let other = "define void @f(ptr %e) {\nentry:\n  call void @__tsan_write4(ptr %e)\n  store i32 1, ptr %e, align 4\n  call void @unknown(ptr %e)\n  ret void\n}\n";
    let after = format!("{}{other}", module(ELEMENTS, READ));
    assert_eq!(left_of(&after), ["write4 %e"]);
}
