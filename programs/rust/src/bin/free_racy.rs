// expect: race
//! Memory that is freed while a job still reads it.

use corpus::Pointer;

fn main() {
    let data = Box::into_raw(Box::new([1u64; 8]));
    let at = Pointer(data.cast::<u64>());
    rayon::join(
        move || unsafe { assert_eq!(*at.at(3), 1) }, //~ race data[] #1
        move || {
            let whole = at;
            drop(unsafe { Box::from_raw(whole.0.cast::<[u64; 8]>()) }); //~ race data[] #1
        },
    );
}
