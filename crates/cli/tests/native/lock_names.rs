//! How reports name the locks that were held.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, tool};
use std::time::Duration;

/// Each thread has a lock of its own; both are destroyed before the program ends.
const DESTROYED: &str = "
#include <omp.h>
omp_lock_t gate, door;
int x;
int main(void) {
  omp_init_lock(&gate);
  omp_init_lock(&door);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t *own = omp_get_thread_num() == 0 ? &gate : &door;
    omp_set_lock(own);
    x++;
    omp_unset_lock(own);
  }
  omp_destroy_lock(&gate);
  omp_destroy_lock(&door);
  return 0;
}
";

#[test]
fn a_destroyed_lock_keeps_its_name() {
    let folder = Folder::new("a_destroyed_lock");
    let (source, program) = (folder.write("locks.c", DESTROYED), folder.path("locks"));
    compile(&source, "-O1", &[], &program).expect("it compiles");
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(&program);
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it ends");
    let report: serde_json::Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    let races = report["races"].as_array().expect("races");
    assert!(!races.is_empty(), "{done:#?}");
    for race in races {
        let mut held: Vec<&str> = ["first", "second"]
            .into_iter()
            .flat_map(|side| race[side]["locks"].as_array().expect("locks"))
            .filter_map(|name| name.as_str())
            .collect();
        held.sort_unstable();
        assert_eq!(held, ["door", "gate"], "{race:#}");
    }
}
