//! Checks that are made after loops that end by their data.

use super::{checks, names, thin};

/// A scan: the address moves every time, and what is there says when it is over.
const SCAN: &str = "entry:
  br label %loop

loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  call void @__tsan_read4(ptr %p), !dbg !7
  %x = load i32, ptr %p, align 4
  %next = getelementptr inbounds i8, ptr %p, i64 4
  %more = icmp slt i32 %x, %k
  br i1 %more, label %loop, label %exit

exit:
  ret void
";

/// The instructions of the block in which a call is, names and all.
fn block_of(body: &str, call: &str) -> String {
    let text = thin(&format!(
        "define void @f(ptr %a, ptr %b, i64 %n, i64 %m, i1 %c, i32 %k) {{\n{body}}}\ndeclare void @unknown()\n"
    ));
    let block = text.split("\n\n").flat_map(|part| part.split("rp.b")).find(|part| part.contains(call));
    block.unwrap_or_else(|| panic!("{call} expected:\n{text}")).to_owned()
}

/// What is added to which names, as far as that says what a span is: `sum = %x + 4`.
fn bounds(body: &str, call: &str) -> [String; 2] {
    let block = block_of(body, call);
    let line = block.lines().find(|line| line.contains(call)).expect("the call");
    let arguments = line.split(['(', ')']).nth(1).expect("arguments");
    let meant = |name: &str| -> String {
        let mut meaning = name.to_owned();
        for _ in 0..8 {
            for line in block.lines() {
                let Some((result, what)) = line.trim().split_once(" = ") else { continue };
                if meaning.split(' ').any(|word| word == result) {
                    let what =
                        what.replace("ptrtoint ptr ", "").replace(" to i64", "").replace("add i64 ", "");
                    let words = meaning.split(' ').map(|word| if word == result { &what } else { word });
                    meaning = words.collect::<Vec<_>>().join(" ").replace(',', "");
                }
            }
        }
        let mut words: Vec<&str> = meaning.split(' ').collect();
        words.sort_unstable();
        words.join(" ")
    };
    let mut ends = arguments.split(", ").map(|argument| meant(argument.trim_start_matches("i64 ")));
    [ends.next().expect("low"), ends.next().expect("high")]
}

#[test]
fn a_scan_is_told_of_at_its_end() {
    let calls = checks(SCAN);
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].starts_with("raceproof_read_span(i64 %rp."), "{calls:?}");
    assert!(calls[0].ends_with("i64 4), !dbg !7"), "with the size, and the place in the source: {calls:?}");
    assert!(block_of(SCAN, "read_span").contains("br label %exit"));
    assert_eq!(bounds(SCAN, "read_span"), ["%a", "%p 4"]);
}

#[test]
fn downwards_the_last_is_the_lowest() {
    let down = SCAN.replace("ptr %p, i64 4", "ptr %p, i64 -4");
    assert_eq!(bounds(&down, "read_span"), ["%p", "%a 4"]);
}

#[test]
fn larger_steps_are_runs() {
    let calls = checks(&SCAN.replace("ptr %p, i64 4", "ptr %p, i64 12"));
    assert!(calls[0].starts_with("raceproof_read_run(") && calls[0].contains(", i64 12), "), "{calls:?}");
    assert_eq!(
        names(&SCAN.replace("ptr %p, i64 4", "ptr %p, i64 2")),
        ["tsan_read4"],
        "elements that overlap"
    );
    assert_eq!(names(&SCAN.replace("ptr %p, i64 4", "ptr %p, i64 %n")), ["tsan_read4"], "who knows where to");
}

#[test]
fn what_may_end_the_step_or_not_end_keeps_its_checks() {
    let with = |what: &str| names(&SCAN.replace("  %more", &format!("  {what}\n  %more")));
    assert_eq!(with("call void @unknown()"), ["tsan_read4"]);
    assert_eq!(with("fence acquire"), ["tsan_read4"]);
    assert_eq!(with("%v = load volatile i32, ptr %b, align 4"), ["tsan_read4"]);
    assert_eq!(with("%v = call double @pure(double 1.0)"), ["raceproof_read_span"]);
    // It stays where it is until someone changes what is there.
    let waits = SCAN
        .replace("ptr %p, i64 4", "ptr %p, i64 %by")
        .replace("  %next", "  %by = select i1 %c, i64 4, i64 0\n  %next");
    assert_eq!(names(&waits), ["tsan_read4"]);
}

/// A merge, as clang makes one: two addresses of which one moves, and a third that always does.
const MERGE: &str = "entry:
  br label %loop

loop:
  %to = phi ptr [ %to1, %loop ], [ %b, %entry ]
  %p = phi ptr [ %p1, %loop ], [ %a, %entry ]
  call void @__tsan_read4(ptr %p)
  %x = load i32, ptr %p, align 4
  %less = icmp slt i32 %x, %k
  %by = select i1 %less, i64 4, i64 0
  %p1 = getelementptr inbounds i8, ptr %p, i64 %by
  %to1 = getelementptr inbounds i8, ptr %to, i64 4
  call void @__tsan_write4(ptr %to)
  store i32 %x, ptr %to, align 4
  %more = icmp ult ptr %p1, %b
  br i1 %more, label %loop, label %exit

exit:
  ret void
";

#[test]
fn what_stays_or_moves_is_told_of_with_where_it_is() {
    assert_eq!(names(MERGE), ["raceproof_read_span", "raceproof_write_span"]);
    assert_eq!(bounds(MERGE, "read_span"), ["%a", "%p 4"]);
    assert_eq!(bounds(MERGE, "write_span"), ["%b", "%to 4"]);
    let pointers = MERGE
        .replace("%by = select i1 %less, i64 4, i64 0", "%q = getelementptr inbounds i8, ptr %p, i64 4")
        .replace("getelementptr inbounds i8, ptr %p, i64 %by", "select i1 %less, ptr %q, ptr %p");
    assert_eq!(names(&pointers), ["raceproof_read_span", "raceproof_write_span"]);
    let both_ways = MERGE.replace("i64 4, i64 0", "i64 4, i64 -4");
    assert_eq!(names(&both_ways), ["tsan_read4", "raceproof_write_span"]);
}

#[test]
fn indices_are_as_good_as_addresses() {
    let index = |next: &str| {
        format!(
            "entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %t = phi i64 [ 0, %entry ], [ %t1, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %wide
  call void @__tsan_read4(ptr %p)
  %x = load i32, ptr %p, align 4
  %q = getelementptr inbounds i32, ptr %b, i64 %t
  call void @__tsan_write4(ptr %q)
  store i32 %x, ptr %q, align 4
  %t1 = add nsw i64 %t, 1
  %less = icmp slt i32 %x, %k
  {next}
  br i1 %less, label %loop, label %exit

exit:
  ret void
"
        )
    };
    let both = ["raceproof_read_span", "raceproof_write_span"];
    assert_eq!(names(&index("%bit = zext i1 %c to i32\n  %next = add nsw i32 %i, %bit")), both);
    assert_eq!(names(&index("%up = add nsw i32 %i, 1\n  %next = select i1 %c, i32 %up, i32 %i")), both);
    assert_eq!(
        names(&index("%up = add i32 %i, 1\n  %next = select i1 %c, i32 %up, i32 %i")),
        ["tsan_read4", "raceproof_write_span"],
        "it may overflow"
    );
}

/// An insertion: the way out of the middle comes after the read and before the write.
const INSERTION: &str = "entry:
  br label %loop

loop:
  %p = phi ptr [ %a, %entry ], [ %q, %latch ]
  %q = getelementptr inbounds i8, ptr %p, i64 -4
  call void @__tsan_read4(ptr %q)
  %x = load i32, ptr %q, align 4
  %more = icmp sgt i32 %x, %k
  br i1 %more, label %latch, label %exit

latch:
  call void @__tsan_write4(ptr %p)
  store i32 %x, ptr %p, align 4
  %on = icmp ugt ptr %q, %b
  br i1 %on, label %loop, label %exit

exit:
  %e = phi ptr [ %p, %loop ], [ %q, %latch ]
  ret void
";

#[test]
fn every_way_out_tells_of_what_was_done_by_then() {
    let calls = names(INSERTION);
    let expected = ["raceproof_read_span", "raceproof_write_span"].repeat(2);
    assert_eq!(calls, expected, "on each of two ways");
    let text = thin(&format!("define void @f(ptr %a, ptr %b, i32 %k) {{\n{INSERTION}}}\n"));
    let phi = text.lines().find(|line| line.contains("%e = phi")).expect("the phi");
    assert_eq!(phi.matches("%rp.b").count(), 2, "both come from blocks of their own:\n{text}");
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| block.contains("_span")).collect();
    let added = |block: &str| block.matches(" = add ").count();
    assert_ne!(added(blocks[0]), added(blocks[1]), "one write less on one of them:\n{text}");
    // A way out of which nobody knows whether the access was made.
    let perhaps = INSERTION
        .replace("br i1 %more, label %latch, label %exit", "br i1 %more, label %latch, label %other")
        + "\nother:\n  br i1 %c, label %exit, label %loop\n";
    assert_eq!(names(&perhaps).iter().filter(|name| name.starts_with("tsan")).count(), 2, "two ways back");
}

/// Elements are packed: one is written, and the address moves, if something is so.
const PACK: &str = "entry:
  br label %loop

loop:
  %p = phi ptr [ %a, %entry ], [ %p1, %latch ]
  %to = phi ptr [ %b, %entry ], [ %to2, %latch ]
  call void @__tsan_read4(ptr %p)
  %x = load i32, ptr %p, align 4
  %is = icmp sgt i32 %x, %k
  br i1 %is, label %then, label %latch

then:
  call void @__tsan_write4(ptr %to)
  store i32 %x, ptr %to, align 4
  %to1 = getelementptr inbounds i8, ptr %to, i64 4
  br label %latch

latch:
  %to2 = phi ptr [ %to1, %then ], [ %to, %loop ]
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  %more = icmp ne i32 %x, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
";

#[test]
fn what_is_done_when_the_address_moves_is_told_of_without_where_it_is() {
    assert_eq!(names(PACK), ["raceproof_read_span", "raceproof_write_span"]);
    assert_eq!(bounds(PACK, "write_span"), ["%b", "%to2"]);
    let otherwise = PACK
        .replace("[ %to1, %then ], [ %to, %loop ]", "[ %to, %then ], [ %to3, %loop ]")
        .replace("  %is =", "  %to3 = getelementptr inbounds i8, ptr %to, i64 4\n  %is =");
    assert_eq!(names(&otherwise), ["tsan_write4", "raceproof_read_span"], "where it does not move");
    let always = PACK
        .replace("[ %to, %loop ]", "[ %to3, %loop ]")
        .replace("  %is =", "  %to3 = getelementptr inbounds i8, ptr %to, i64 4\n  %is =");
    assert_eq!(names(&always), ["tsan_write4", "raceproof_read_span"], "where it moves without");
}

/// A partition: two scans, each of which goes on where it was.
const PARTITION: &str = "entry:
  br label %around

around:
  %low = phi ptr [ %a, %entry ], [ %p1, %swap ]
  %high = phi ptr [ %b, %entry ], [ %q1, %swap ]
  br label %up

up:
  %p = phi ptr [ %low, %around ], [ %p1, %up ]
  call void @__tsan_read4(ptr %p)
  %x = load i32, ptr %p, align 4
  %less = icmp slt i32 %x, %k
  %p1 = getelementptr inbounds i8, ptr %p, i64 4
  br i1 %less, label %up, label %down

down:
  %q = phi ptr [ %high, %up ], [ %q1, %down ]
  call void @__tsan_read4(ptr %q)
  %y = load i32, ptr %q, align 4
  %greater = icmp sgt i32 %y, %k
  %q1 = getelementptr inbounds i8, ptr %q, i64 -4
  br i1 %greater, label %down, label %ask

ask:
  %more = icmp ult ptr %p, %q
  br i1 %more, label %swap, label %exit

swap:
  call void @__tsan_write4(ptr %p)
  store i32 %y, ptr %p, align 4
  br label %around

exit:
  ret void
";

#[test]
fn spans_that_go_on_where_they_were_leave_the_loop_around() {
    assert_eq!(names(PARTITION), ["tsan_write4", "raceproof_read_span", "raceproof_read_span"]);
    assert!(block_of(PARTITION, "read_span").contains("br label %exit"), "{}", thin(PARTITION));
    assert_eq!(bounds(PARTITION, "read_span"), ["%a", "%p 4"]);
    // One that goes over an element, or begins again, stays inside.
    let skips = PARTITION.replace("[ %p1, %swap ]", "[ %p2, %swap ]").replace(
        "  br label %around\n\nexit",
        "  %p2 = getelementptr inbounds i8, ptr %p1, i64 4\n  br label %around\n\nexit",
    );
    assert!(block_of(&skips, "read_span").contains("br label %down"));
    let again = PARTITION.replace("[ %p1, %swap ]", "[ %low, %swap ]");
    assert!(block_of(&again, "read_span").contains("br label %down"));
}
