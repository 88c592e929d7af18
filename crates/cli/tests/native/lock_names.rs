//! How reports name the locks that were held.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, tool};
use std::path::Path;
use std::time::Duration;

/// Each thread has a lock of its own, which is destroyed before the other thread makes the access
/// that races: there is nothing but the record of the earlier access to go by. It may be
/// initialised anew meanwhile.
const DESTROYED: &str = "
#include <omp.h>
#include <stdlib.h>
omp_lock_t gate, door;
int x;
int main(int argc, char **argv) {
  int lives = atoi(argv[1]);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t *own = omp_get_thread_num() == 0 ? &gate : &door;
    for (int i = 0; i < lives; i++) {
      omp_init_lock(own);
      omp_set_lock(own);
      if (i == 0) x++;
      omp_unset_lock(own);
      omp_destroy_lock(own);
    }
  }
  return 0;
}
";

#[test]
fn a_destroyed_lock_keeps_its_name() {
    let folder = Folder::new("a_destroyed_lock");
    let (source, program) = (folder.write("locks.c", DESTROYED), folder.path("locks"));
    compile(&source, "-O1", &[], &program).expect("it compiles");
    for lives in ["1", "3"] {
        names_of_both(&program, lives);
    }
}

fn names_of_both(program: &Path, lives: &str) {
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(program).arg(lives);
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
