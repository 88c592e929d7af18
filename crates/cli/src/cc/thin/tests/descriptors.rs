//! Checks of task descriptors: which of them go, and what each way of letting an address out keeps.

use super::left_of;

/// What a creator does with its descriptor `%t` and the shareds `%s`.
const FILLED: &str = "  %t = call ptr @__kmpc_omp_task_alloc(ptr @l, i32 0, i32 1, i64 56, i64 8, ptr nonnull @.omp_task_entry.), !dbg !1
  call void @__tsan_read8(ptr %t), !dbg !1
  %s = load ptr, ptr %t, align 8, !dbg !1
  call void @__tsan_write8(ptr %s)
  store ptr %a, ptr %s, align 8
  %p = getelementptr inbounds i8, ptr %t, i64 40
  call void @__tsan_write4(ptr %p)
  store i32 5, ptr %p, align 8
";

const HANDED: &str = "  %h = call i32 @__kmpc_omp_task(ptr nonnull @l, i32 0, ptr nonnull %t)\n";

/// What the entry does: it reads the shareds, where they lead, and a private variable.
const RUN: &str = "  call void @__tsan_read8(ptr %1)
  %s = load ptr, ptr %1, align 8
  call void @__tsan_read8(ptr %s)
  %x = load ptr, ptr %s, align 8
  call void @__tsan_write4(ptr %x)
  store i32 1, ptr %x, align 4
  %p = getelementptr inbounds i8, ptr %1, i64 40
  call void @__tsan_read4(ptr %p)
  %v = load i32, ptr %p, align 4
";

/// With everything of the descriptor gone, this one is left: of what the shareds lead to.
const SHARED: &str = "write4 %x";

fn module(creator: &str, entry: &str) -> String {
    format!(
        "@l = global i32 0
@g = global ptr null

define void @f(ptr %a, i1 %c, i64 %n) {{
entry:
{creator}  ret void
}}

define internal noundef i32 @.omp_task_entry.(i32 %0, ptr noalias nocapture noundef dereferenceable(56) %1) #9 {{
entry:
{entry}  ret i32 0
}}

declare void @unknown(ptr)
"
    )
}

fn left(creator: &str, entry: &str) -> Vec<String> {
    left_of(&module(creator, entry))
}

/// With something more in the creator, before the task is handed over.
fn left_with(more: &str) -> Vec<String> {
    left(&format!("{FILLED}{more}{HANDED}"), RUN)
}

/// With something more in the entry.
fn left_in(more: &str) -> Vec<String> {
    left(&format!("{FILLED}{HANDED}"), &format!("{RUN}{more}"))
}

const WHOLE: [&str; 7] = ["read8 %t", "write8 %s", "write4 %p", "read8 %1", "read8 %s", SHARED, "read4 %p"];
/// The privates' checks stay, or the shareds'.
const PRIVATES: [&str; 3] = ["write4 %p", SHARED, "read4 %p"];
const SHAREDS: [&str; 3] = ["write8 %s", "read8 %s", SHARED];

#[test]
fn of_a_descriptor_that_nobody_else_knows_all_go() {
    assert_eq!(left_with(""), [SHARED]);
    assert_eq!(left_with("  %same = icmp eq ptr %t, null\n"), [SHARED]);
    assert_eq!(left_with("  call void @llvm.lifetime.start.p0(i64 4, ptr %p)\n"), [SHARED]);
    assert_eq!(left_with("  %m = call ptr @__tsan_memcpy(ptr %s, ptr %a, i64 8)\n"), [SHARED]);
    let affinity =
        "  %r = call i32 @__kmpc_omp_reg_task_with_affinity(ptr @l, i32 0, ptr %t, i32 1, ptr %a)\n";
    assert_eq!(left_with(affinity), [SHARED]);
    let priority = "  %q = getelementptr inbounds i8, ptr %t, i64 32
  call void @__tsan_write4(ptr %q)
  store i32 7, ptr %q, align 8\n";
    assert_eq!(left_with(priority), [SHARED]);
    let depends = HANDED
        .replace("task(", "task_with_deps(")
        .replace("nonnull %t", "%t, i32 1, ptr %a, i32 0, ptr null");
    assert_eq!(left(&format!("{FILLED}{depends}"), RUN), [SHARED]);
}

#[test]
fn offsets_are_known_by_types_too() {
    let typed = "  %q = getelementptr inbounds { { ptr, ptr, i32, i64, i64 }, { i32, i32 } }, ptr %1, i32 0, i32 1, i32 1
  call void @__tsan_write4(ptr %q)
  store i32 7, ptr %q, align 8\n";
    assert_eq!(left_in(typed), [SHARED]);
}

#[test]
fn an_element_of_a_private_array_is_private() {
    let element = "  %w = sext i32 %v to i64
  %q = getelementptr inbounds [4 x i32], ptr %p, i64 0, i64 %w
  call void @__tsan_read4(ptr %q)
  %y = load i32, ptr %q, align 4\n";
    assert_eq!(left_in(element), [SHARED, "read4 %q"], "though which one is not known");
    let passed = format!("{element}  call void @unknown(ptr %q)\n");
    assert_eq!(left_in(&passed), ["write4 %p", SHARED, "read4 %p", "read4 %q"]);
    let anywhere = "  %q = getelementptr inbounds i8, ptr %1, i64 %w\n";
    assert_eq!(left_in(&format!("  %w = sext i32 %v to i64\n{anywhere}")), WHOLE);
}

#[test]
fn a_private_variable_whose_address_gets_out_keeps_its_checks() {
    for more in [
        "  call void @unknown(ptr nonnull %p)\n",
        "  call void %x(ptr %p)\n",
        "  store ptr %p, ptr @g, align 8\n",
        "  store ptr %p, ptr %s, align 8\n",
        "  %n = ptrtoint ptr %p to i64\n",
        "  %n = select i1 true, ptr %p, ptr %x\n",
        "  %n = freeze ptr %p\n",
        "  %n = atomicrmw add ptr %p, i32 1 seq_cst, align 4\n",
        "  %n = load atomic i32, ptr %p seq_cst, align 4\n",
        "  %n = insertvalue { ptr, i32 } undef, ptr %p, 0\n",
        "  %n = call i32 @__tsan_atomic32_load(ptr %p, i32 5)\n",
        "  %n = call ptr @__tsan_memcpy(ptr %p, ptr %x, i64 4)\n  store ptr %n, ptr @g, align 8\n",
        "  invoke void @unknown(ptr %p)\n          to label %on unwind label %on\n\non:\n",
        "  br label %on\n\non:\n  %n = phi ptr [ %p, %entry ]\n",
    ] {
        assert_eq!(left_in(more), PRIVATES, "{more}");
        assert_eq!(left_with(&more.replace("%x", "%a")), PRIVATES, "of the creator: {more}");
    }
    let last = left(&format!("{FILLED}{HANDED}"), &format!("{RUN}  ret ptr %p\n\non:\n"));
    assert_eq!(last, PRIVATES);
}

#[test]
fn a_phi_above_sees_what_comes_below() {
    let around = format!(
        "  br label %loop\n\nloop:\n  %old = phi ptr [ null, %entry ], [ %p, %loop ]\n{FILLED}{HANDED}  br i1 %c, label %loop, label %on\n\non:\n"
    );
    assert_eq!(left(&around, RUN), PRIVATES);
}

#[test]
fn shareds_whose_address_gets_out_keep_their_checks() {
    assert_eq!(left_in("  call void @unknown(ptr %s)\n"), SHAREDS);
    assert_eq!(left_with("  store ptr %s, ptr @g, align 8\n"), SHAREDS);
    assert_eq!(left_in("  call void @unknown(ptr %x)\n"), [SHARED], "where they lead is no part of them");
}

#[test]
fn the_descriptor_leads_to_all_of_it() {
    for more in [
        "  call void @unknown(ptr %t)\n",
        "  store ptr %t, ptr @g, align 8\n",
        "  %q = getelementptr inbounds i8, ptr %t, i64 16\n  store ptr %q, ptr @g, align 8\n",
        "  %q = getelementptr inbounds i8, ptr %t, i64 -8\n",
        "  %q = getelementptr inbounds i8, ptr %p, i64 %n\n  %r = getelementptr inbounds i8, ptr %p, i64 -48\n",
        "  %q = load i64, ptr %t, align 8\n",
        "  store ptr %a, ptr %t, align 8\n",
        "  %m = call ptr @__tsan_memcpy(ptr %a, ptr %t, i64 40)\n",
        "  %e = call ptr @__kmpc_task_allow_completion_event(ptr @l, i32 0, ptr %t)\n",
        "  %r = call i32 @__kmpc_omp_reg_task_with_affinity(ptr @l, i32 0, ptr %t, i32 1, ptr %t)\n",
    ] {
        assert_eq!(left_with(more), WHOLE, "{more}");
    }
    let destructors =
        "  %q = getelementptr inbounds i8, ptr %t, i64 24\n  store ptr @unknown, ptr %q, align 8\n";
    assert_eq!(left_with(destructors), WHOLE, "another function that gets the descriptor");
}

#[test]
fn what_comes_after_the_handing_over_is_done_beside_the_task() {
    let after = "  call void @__tsan_write4(ptr %p)\n  store i32 6, ptr %p, align 8\n";
    let twice = ["write4 %p", "write4 %p", SHARED, "read4 %p"];
    assert_eq!(left(&format!("{FILLED}{HANDED}{after}"), RUN), twice);
    let unchecked = "  %q = load i32, ptr %p, align 8\n";
    assert_eq!(left(&format!("{FILLED}{HANDED}{unchecked}"), RUN), PRIVATES, "checked or not");
    let on_one_way = format!(
        "{FILLED}  br i1 %c, label %hand, label %join\n\nhand:\n{HANDED}  br label %join\n\njoin:\n{after}"
    );
    assert_eq!(left(&on_one_way, RUN), twice);
    // Round a loop, the accesses are of the next descriptor.
    let around =
        format!("  br label %loop\n\nloop:\n{FILLED}{HANDED}  br i1 %c, label %loop, label %on\n\non:\n");
    assert_eq!(left(&around, RUN), [SHARED]);
    // A descriptor that is given away again and again.
    let again = format!(
        "{FILLED}  br label %loop\n\nloop:\n{after}{HANDED}  br i1 %c, label %loop, label %on\n\non:\n"
    );
    assert_eq!(
        left(&again, RUN),
        ["read8 %t", "write8 %s", "write4 %p", "write4 %p", "read8 %1", "read8 %s", SHARED, "read4 %p"]
    );
    // So does an untied task with itself.
    let itself = HANDED.replace("nonnull %t", "%1");
    assert_eq!(left_in(&itself), [SHARED]);
    assert_eq!(left_in(&format!("{itself}{}", unchecked.replace("%q", "%z"))), PRIVATES);
}

#[test]
fn a_creator_may_run_the_task_itself() {
    let whether = |inner: &str| {
        format!(
            "{FILLED}  br i1 %c, label %hand, label %here

hand:
{HANDED}  br label %join

here:
  call void @__kmpc_omp_task_begin_if0(ptr @l, i32 0, ptr %t)
{inner}  call void @__kmpc_omp_task_complete_if0(ptr @l, i32 0, ptr %t)
  br label %join

join:
"
        )
    };
    let call = "  %r = call i32 @.omp_task_entry.(i32 0, ptr nonnull %t)\n";
    assert_eq!(left(&whether(call), RUN), [SHARED]);
    let inlined = "  call void @__tsan_read4(ptr %p)\n  %i = load i32, ptr %p, align 4\n";
    assert_eq!(left(&whether(inlined), RUN), [SHARED]);
    let freed = format!("{}{inlined}", whether(""));
    assert_eq!(left(&freed, RUN), ["write4 %p", "read4 %p", SHARED, "read4 %p"]);
    let another = call.replace("nonnull %t", "%a");
    assert_eq!(left(&whether(&another), RUN), WHOLE, "with a descriptor from elsewhere");
}

#[test]
fn a_task_loop_has_its_bounds_in_the_descriptor() {
    let cut = |duplicate: &str| {
        let text = format!(
            "{FILLED}  %u = getelementptr inbounds i8, ptr %t, i64 48
  call void @__tsan_write8(ptr %u)
  store i64 9, ptr %u, align 8
  call void @__kmpc_taskloop(ptr @l, i32 0, ptr %t, i32 1, ptr %p, ptr %u, i64 1, i32 1, i32 0, i64 0, ptr {duplicate})
"
        );
        left(&text, RUN)
    };
    assert_eq!(cut("null"), [SHARED]);
    assert_eq!(
        cut("@duplicate").len(),
        WHOLE.len() + 1,
        "what copies the privates gets the descriptor as well"
    );
}

#[test]
fn an_entry_is_known_by_all_its_mentions() {
    let text = module(&format!("{FILLED}{HANDED}"), RUN);
    assert_eq!(left_of(&text), [SHARED]);
    assert_eq!(left_of(&format!("@kept = global ptr @.omp_task_entry.\n{text}")), WHOLE);
    assert_eq!(left_of(&text.replace("ret void", "store ptr @.omp_task_entry., ptr @g\n  ret void")), WHOLE);
    assert_eq!(left_of(&text.replace("define internal", "define")), WHOLE);
    assert_eq!(
        left_of(&text.replace(
            "internal noundef i32 @.omp_task_entry.(i32 %0, ",
            "internal noundef i32 @.omp_task_entry.("
        )),
        WHOLE
    );
    let not_read = format!("{text}\ndefine void @h() {{\n what\n{FILLED}{HANDED}  ret void\n}}\n");
    assert_eq!(left_of(&not_read).len(), WHOLE.len() + 3, "a creator that could not be read");
    // Two creators of the same tasks: what one lets out, both do.
    let second = |more: &str| {
        format!("{text}\ndefine void @h(ptr %a) {{\nentry:\n{FILLED}{more}{HANDED}  ret void\n}}\n")
    };
    assert_eq!(left_of(&second("")), [SHARED]);
    assert_eq!(left_of(&second("  call void @unknown(ptr %p)\n")).len(), PRIVATES.len() + 1);
}

#[test]
fn volatile_accesses_stay() {
    let read = "  call void @__tsan_read4(ptr %p)\n  %z = load volatile i32, ptr %p, align 4\n";
    assert_eq!(left_in(read), [SHARED, "read4 %p"]);
}
