// expect: race
// threads: 2
//! A thread beside a pool of rayon's, which joins neither before the other.

use corpus::Shared;
use std::thread;

static CELLS: [Shared<u32>; 2] = [const { Shared::new(0) }; 2];

fn main() {
    let child = thread::spawn(|| unsafe { *CELLS[0].at() = 1 }); //~ race CELLS[0] #1
    rayon::join(
        || unsafe { *CELLS[0].at() = 2 }, //~ race CELLS[0] #1
        || unsafe { *CELLS[1].at() = 3 },
    );
    child.join().unwrap();
    println!("{:?}", CELLS.each_ref().map(|cell| unsafe { *cell.at() }));
}
