//! What is left out, what stays, and what is put in its place, on small texts as clang writes them.

mod after;
mod descriptors;
mod statics;

use super::thin;

const DECLARATIONS: &str = "
declare void @unknown()
declare double @pure(double) #0
declare i32 @__tsan_atomic32_load(ptr, i32)

define internal void @defined_quiet(ptr %0) {
  call void @__tsan_write4(ptr %0)
  store i32 1, ptr %0, align 4
  ret void
}

define internal void @defined_loud() {
  call void @unknown()
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
";

/// The checks that are left, in the order of the text, in whatever function.
fn left_of(text: &str) -> Vec<String> {
    let text = thin(text);
    let calls = text.lines().filter_map(|line| line.trim().split_once("call void @__tsan_"));
    calls.map(|(_, call)| call.rsplit_once(')').unwrap_or_default().0.replacen("(ptr ", " ", 1)).collect()
}

/// The checks of a function `f`, in their order, after thinning.
fn checks(body: &str) -> Vec<String> {
    let text = thin(&format!(
        "define void @f(ptr %a, ptr %b, i64 %n, i64 %m, i1 %c, i32 %k) {{\n{body}}}\n{DECLARATIONS}"
    ));
    let of_f = text.split("\n}\n").find(|part| part.contains("@f(")).expect("f is still there");
    let calls = of_f.lines().map(str::trim).filter(|line| line.starts_with("call void @__"));
    calls.map(|line| line.trim_start_matches("call void @__").to_owned()).collect()
}

fn names(body: &str) -> Vec<String> {
    checks(body).iter().map(|check| check.split('(').next().unwrap_or_default().to_owned()).collect()
}

/// Two checks of `%a` with something between.
fn around(between: &str) -> usize {
    let body = format!(
        "entry:
  call void @__tsan_read4(ptr %a)
  %x = load i32, ptr %a, align 4
{between}
  call void @__tsan_read4(ptr %a)
  %y = load i32, ptr %a, align 4
  ret void
"
    );
    checks(&body).len()
}

#[test]
fn a_check_that_repeats_another_goes() {
    assert_eq!(around(""), 1);
    assert_eq!(around("  %s = call double @sqrt(double 2.0)"), 1);
    assert_eq!(around("  %s = call double @pure(double 2.0)"), 1);
    assert_eq!(around("  call void @defined_quiet(ptr %b)"), 1);
    assert_eq!(around("  call void @llvm.lifetime.start.p0(i64 4, ptr %b)"), 1);
    assert_eq!(around("    #dbg_value(i32 %x, !1, !DIExpression(), !2)"), 1);
}

#[test]
fn the_step_may_end_in_a_call() {
    assert_eq!(around("  call void @unknown()"), 2);
    assert_eq!(around("  call void @defined_loud()"), 2);
    assert_eq!(around("  call void %b()"), 2);
    assert_eq!(around("  call void asm sideeffect \"\", \"~{memory}\"()"), 2);
    assert_eq!(around("  %s = call i32 @__tsan_atomic32_load(ptr %b, i32 5)"), 2);
    assert_eq!(around("  fence seq_cst"), 2);
    assert_eq!(around("  %s = load atomic i32, ptr %b seq_cst, align 4"), 2);
    let invoke =
        "  invoke void @unknown()\n          to label %on unwind label %off\n\noff:\n  unreachable\n\non:";
    assert_eq!(around(invoke), 2);
}

#[test]
fn a_write_covers_a_read_and_not_the_other_way() {
    let two = |first: &str, second: &str| {
        checks(&format!(
            "entry:
  call void @__tsan_{first}(ptr %a)
  store i32 0, ptr %a, align 4
  call void @__tsan_{second}(ptr %a)
  %y = load i32, ptr %a, align 4
  ret void
"
        ))
        .len()
    };
    assert_eq!(two("write4", "read4"), 1);
    assert_eq!(two("write4", "write4"), 1);
    assert_eq!(two("read4", "write4"), 2);
    assert_eq!(two("write8", "read4"), 1, "a part of what was checked");
    assert_eq!(two("write4", "read8"), 2, "more than was checked");
}

#[test]
fn equal_addresses_are_seen_to_be_equal() {
    let offset = |second: &str| {
        checks(&format!(
            "entry:
  %p = getelementptr inbounds double, ptr %a, i64 %n
  %q = getelementptr inbounds i8, ptr %p, i64 8
  call void @__tsan_write8(ptr %q)
  store i64 0, ptr %q, align 8
  %i = add nsw i64 %n, 1
  {second}
  call void @__tsan_write8(ptr %r)
  store i64 0, ptr %r, align 8
  ret void
"
        ))
        .len()
    };
    assert_eq!(offset("%r = getelementptr inbounds [8 x i8], ptr %a, i64 %i"), 1);
    assert_eq!(offset("%r = getelementptr inbounds { i32, [4 x i8] }, ptr %a, i64 %i, i32 1, i64 -4"), 1);
    assert_eq!(offset("%r = getelementptr inbounds double, ptr %a, i64 %n"), 2);
    assert_eq!(offset("%r = getelementptr inbounds double, ptr %b, i64 %i"), 2);
    assert_eq!(offset("%r = getelementptr inbounds %unknown, ptr %a, i64 %i"), 2);
}

#[test]
fn every_way_must_have_made_the_check() {
    let join = |left: &str, right: &str| {
        checks(&format!(
            "entry:
  br i1 %c, label %left, label %right

left:
  {left}
  store i32 0, ptr %a, align 4
  br label %join

right:
  {right}
  store i32 0, ptr %a, align 4
  br label %join

join:
  call void @__tsan_write4(ptr %a)
  store i32 0, ptr %a, align 4
  ret void
"
        ))
        .len()
    };
    let check = "call void @__tsan_write4(ptr %a)";
    assert_eq!(join(check, check), 2);
    assert_eq!(join(check, ""), 2);
    assert_eq!(join(check, "call void @unknown()"), 2);
    assert_eq!(join("", ""), 1);
}

#[test]
fn volatile_accesses_stay() {
    let read = "  call void @__tsan_read4(ptr %a)\n  %x = load volatile i32, ptr %a, align 4\n";
    assert_eq!(checks(&format!("entry:\n{read}{}  ret void\n", read.replace("%x", "%y"))).len(), 2);
}

/// A loop that runs while its counter is not `%n`, with this body.
fn counted(body: &str) -> String {
    format!(
        "entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret void
"
    )
}

fn element(kind: &str, at: &str) -> String {
    format!(
        "  %p = getelementptr inbounds double, ptr %a, i64 {at}
  call void @__tsan_{kind}8(ptr %p), !dbg !7
  %x = load i64, ptr %p, align 8"
    )
}

#[test]
fn the_elements_of_an_array_become_a_run() {
    let calls = checks(&counted(&element("write", "%i")));
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].starts_with("raceproof_write_run(i64 %rp."), "{calls:?}");
    assert!(calls[0].contains("i64 8, i64 %rp."), "{calls:?}");
    assert!(
        calls[0].ends_with(", i64 8), !dbg !7"),
        "with the stride, and the place in the source: {calls:?}"
    );
}

#[test]
fn an_address_that_stays_is_checked_once_before() {
    let calls = checks(&counted(&element("read", "%m")));
    assert_eq!(calls.len(), 1);
    assert!(calls[0].starts_with("tsan_read8(ptr %rp."), "{calls:?}");
}

#[test]
fn strides_are_of_any_size_and_sign() {
    let strided = |index: &str| checks(&counted(&format!("  %at = {index}\n{}", element("read", "%at"))));
    assert!(strided("mul nsw i64 %i, 5")[0].contains(", i64 40), "), "a column");
    assert!(strided("sub nsw i64 %m, %i")[0].contains(", i64 -8), "), "downwards");
    assert!(strided("shl nuw nsw i64 %i, 2")[0].contains(", i64 32), "));
    assert_eq!(strided("mul nsw i64 %i, %m").len(), 1, "by a number that is not known here");
    assert_eq!(strided("mul nsw i64 %i, %i")[0].split('(').next(), Some("tsan_read8"), "not by squares");
}

#[test]
fn what_may_not_happen_every_time_stays() {
    let body = "entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  br i1 %c, label %then, label %latch

then:
  call void @__tsan_read8(ptr %p)
  %x = load i64, ptr %p, align 8
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop

exit:
  ret void
";
    assert_eq!(names(body), ["tsan_read8"]);
    // With a way out in the middle it is made every time but the last: not before, but on both ways.
    let early = body.replace("label %then, label %latch", "label %then, label %exit");
    assert_eq!(names(&early), ["raceproof_read_span", "raceproof_read_span"]);
    // Whether or not the branch is taken.
    let always = body.replace("br i1 %c, label %then, label %latch", "br label %then");
    assert_eq!(names(&always), ["raceproof_read_run"]);
}

#[test]
fn loops_that_may_end_the_step_keep_their_checks() {
    for between in ["  call void @unknown()", "  fence acquire", "  %v = load volatile i32, ptr %b, align 4"]
    {
        assert_eq!(
            names(&counted(&format!("{}\n{between}", element("read", "%i")))),
            ["tsan_read8"],
            "{between}"
        );
    }
    assert_eq!(
        names(&counted(&format!("{}\n  %s = call double @pure(double 1.0)", element("read", "%i")))),
        ["raceproof_read_run"]
    );
}

#[test]
fn a_loop_that_may_not_run_has_its_call_behind_the_guard() {
    let body = counted(&element("write", "%i"))
        .replace("br label %loop\n", "%any = icmp sgt i64 %n, 0\n  br i1 %any, label %loop, label %exit\n");
    let text = thin(&format!("define void @f(ptr %a, i64 %n) {{\n{body}}}\n"));
    let block =
        text.split("rp.b").find(|part| part.contains("__raceproof_write_run")).expect("a block of its own");
    assert!(block.contains("br label %loop"), "{text}");
    assert!(text.contains("br i1 %any, label %rp.b"), "{text}");
    assert!(text.contains("phi i64 [ 0, %rp.b"), "{text}");
}

#[test]
fn nested_loops_become_runs_of_runs() {
    let nest = "entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  %row = mul nuw nsw i64 %i, %m
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %at = add nsw i64 %row, %j
  %p = getelementptr inbounds double, ptr %a, i64 %at
  call void @__tsan_write8(ptr %p), !dbg !7
  store i64 0, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %b, i64 %j
  call void @__tsan_read8(ptr %q), !dbg !8
  %x = load i64, ptr %q, align 8
  %j1 = add nuw nsw i64 %j, 1
  %ended = icmp eq i64 %j1, %m
  br i1 %ended, label %latch, label %inner

latch:
  %i1 = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i1, %n
  br i1 %done, label %exit, label %outer

exit:
  ret void
";
    assert_eq!(names(nest), ["raceproof_write_runs", "raceproof_read_run"]);
    let text = thin(&format!("define void @f(ptr %a, ptr %b, i64 %n, i64 %m) {{\n{nest}}}\n"));
    let entry = text.split("outer:").next().unwrap_or_default();
    assert_eq!(entry.matches("call void @__raceproof").count(), 2, "both are before both loops:\n{text}");
    assert!(text.contains("declare void @__raceproof_write_runs(i64, i64, i64, i64, i64, i64) nounwind"));
}

#[test]
fn copies_of_a_body_are_one_run() {
    let copies = "  %i1 = or disjoint i64 %i, 1
  %p = getelementptr inbounds double, ptr %a, i64 %i
  call void @__tsan_read8(ptr %p), !dbg !7
  %x = load i64, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %a, i64 %i1
  call void @__tsan_read8(ptr %q), !dbg !7
  %y = load i64, ptr %q, align 8";
    let body = counted(copies).replace("i64 %i, 1\n  %done", "i64 %i, 2\n  %done");
    let calls = checks(&body);
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].ends_with(", i64 8), !dbg !7"), "{calls:?}");
    let elsewhere = body.replacen("!dbg !7", "!dbg !8", 1);
    assert_eq!(checks(&elsewhere).len(), 2, "of two places in the source, two runs");
}

#[test]
fn narrow_counters_count() {
    let body = "entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr inbounds double, ptr %a, i64 %wide
  call void @__tsan_read8(ptr %p)
  %x = load i64, ptr %p, align 8
  %next = add nsw i32 %i, 3
  %more = icmp slt i32 %next, %k
  br i1 %more, label %loop, label %exit

exit:
  ret void
";
    let calls = checks(body);
    assert!(calls[0].starts_with("raceproof_read_run") && calls[0].ends_with(", i64 24)"), "{calls:?}");
    assert_eq!(names(&body.replace("add nsw", "add")), ["tsan_read8"], "it may overflow");
}

#[test]
fn what_is_not_understood_stays_as_it_is() {
    for text in [
        "",
        "define",
        "define void @f() {",
        "define void @f() {\n  odd\n what\n}\n",
        "@x = global i32 0\n; text",
    ] {
        assert_eq!(thin(text), *text);
    }
    let typed = "define void @f(i32* %a) {\n  call void @__tsan_read4(i8* %a)\n  call void @__tsan_read4(i8* %a)\n  ret void\n}\n";
    assert_eq!(thin(typed), typed);
}
