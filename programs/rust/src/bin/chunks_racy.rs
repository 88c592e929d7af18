// expect: race
//! Chunks by hand that overlap by one.

use corpus::Pointer;

fn main() {
    let mut data = vec![0u32; 100];
    let at = Pointer(data.as_mut_ptr());
    rayon::scope(|scope| {
        for part in 0..4 {
            scope.spawn(move |_| {
                for i in part * 24..(part + 1) * 24 + 1 {
                    unsafe { *at.at(i) += 1 }; //~ race data[] #1
                }
            });
        }
    });
}
