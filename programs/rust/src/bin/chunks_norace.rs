// expect: race-free all-schedules
//! Chunks that do not overlap, by rayon and by hand.

use corpus::Pointer;
use rayon::prelude::*;

fn main() {
    let mut data = vec![0u32; 100];
    data.par_chunks_mut(8).enumerate().for_each(|(number, chunk)| chunk.fill(number as u32));
    let at = Pointer(data.as_mut_ptr());
    rayon::scope(|scope| {
        for part in 0..4 {
            scope.spawn(move |_| {
                for i in part * 25..(part + 1) * 25 {
                    unsafe { *at.at(i) += 1 };
                }
            });
        }
    });
    assert_eq!(data[99], 13);
}
