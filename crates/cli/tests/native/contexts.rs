//! Calling contexts of a recursion that has more of them than are kept: the report has the line of
//! the access, and the stack as far as it is known.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, tool};
use std::time::Duration;

/// `walk` makes 2^18 calls in as many contexts. The last ones are beyond the bound, `after` is not.
const PROGRAM: &str = "\
static int within, after;
static long count;
static void leaf(void) { after += 1; }
static void work(void) { leaf(); }
static void walk(int depth) {
  if (depth > 0) {
    walk(depth - 1);
    walk(depth - 1);
  } else if (++count == 100000) {
#pragma omp task
    within = 1;
    within = 2;
#pragma omp taskwait
  }
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    walk(17);
#pragma omp task
    work();
    work();
#pragma omp taskwait
  }
  return 0;
}
";

#[test]
fn a_recursion_leaves_contexts_for_others() {
    let folder = Folder::new("contexts");
    let source = folder.write("contexts.c", PROGRAM);
    let program = folder.path("contexts");
    compile(&source, "-O0", &[], &program).unwrap_or_else(|error| panic!("{error}"));
    let mut command = tool();
    command.args(["run", "--format", "json", "--once", "--"]).arg(&program);
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it ends");
    let report: serde_json::Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    let races = report["races"].as_array().expect("races");
    let functions = |variable: &str, lines: [u64; 2]| -> Vec<String> {
        let race = races.iter().find(|race| race["location"] == variable);
        let race = race.unwrap_or_else(|| panic!("a race on {variable} expected: {report:#}"));
        let line = |side: &str| race[side]["line"].as_u64();
        assert_eq!([line("first"), line("second")], lines.map(Some), "{race:#}");
        let stack = race["second"]["stack"].as_array().expect("a stack");
        stack.iter().map(|frame| frame["function"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(functions("after", [3, 3])[..2], ["leaf", "work"]);
    assert!(functions("within", [11, 12]).contains(&"walk".to_owned()));
}
