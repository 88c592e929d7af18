//! The runtime is linked to one object once; programs are linked with that.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{runtime, tool};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Has functions with the names of two that the runtime uses itself, of a library it is built with.
const CLASHING: &str = "
#include <stdlib.h>
unsigned ZSTD_isError(size_t code) { abort(); }
size_t ZSTD_compressBound(size_t size) { abort(); }
int x;
int main(void) {
#pragma omp parallel num_threads(2)
  x++;
  return 0;
}
";

fn objects(folder: &Folder) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder.path("")).expect("the folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "o")).collect()
}

#[test]
fn the_object_is_made_of_the_archive_that_is_there() {
    let folder = Folder::new("prelinked");
    let archive = folder.path("libraceproof_native.a");
    fs::copy(runtime(), &archive).expect("a copy of the runtime");
    let source = folder.write("prog.c", CLASHING);
    let (program, trace) = (folder.path("prog"), folder.path("prog.rpt"));
    let build = || {
        let mut command = tool();
        command.env("RACEPROOF_RUNTIME", &archive).args(["cc", "-fopenmp", "-w"]).arg(&source);
        finish_within(command.arg("-o").arg(&program), Duration::from_secs(60))
            .expect("it ends")
            .expect_status(0)
    };
    build();
    let first = objects(&folder);
    assert_eq!(first.len(), 1, "{first:?}");
    let size = |path| fs::metadata(path).expect("a file").len();
    assert!(size(&program) < size(&archive) / 4, "the whole runtime is in it");
    // What has the program's names is the program's alone.
    let mut command = tool();
    command.arg("run").arg("--trace").arg(&trace).arg("--").arg(&program);
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it ends");
    done.expect_status(1).says("race: 1 race");
    assert!(trace.is_file());
    // The same archive, the same object; another one, another.
    build();
    assert_eq!(objects(&folder), first);
    let file = fs::File::options().write(true).open(&archive).expect("the archive");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).expect("a time");
    build();
    let second = objects(&folder);
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
}
