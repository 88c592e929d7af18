// expect: race
//! A job that nobody waits for, and a scope that does not wait for it either.

use corpus::Shared;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    rayon::scope(|scope| {
        scope.spawn(|_| rayon::spawn(|| unsafe { *CELL.at() = 1 })); //~ race CELL #1 #2
    });
    unsafe { *CELL.at() = 2 }; //~ race CELL #1
    println!("{}", unsafe { *std::hint::black_box(CELL.at()) }); //~ race CELL #2
}
