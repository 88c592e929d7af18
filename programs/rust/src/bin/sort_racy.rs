// expect: race
//! A merge sort that merges while the second half is still being sorted.

use corpus::{Pointer, numbers};

const SMALL: usize = 16;

fn sort(data: Pointer<u32>, count: usize) {
    if count <= SMALL {
        for i in 1..count {
            let mut j = i;
            unsafe {
                while j > 0 && *data.at(j - 1) > *data.at(j) {
                    let other = *data.at(j - 1);
                    *data.at(j - 1) = *data.at(j); //~ race data[] #2
                    *data.at(j) = other; //~ race data[] #3
                    j -= 1;
                }
            }
        }
        return;
    }
    let half = count / 2;
    rayon::scope(|scope| {
        scope.spawn(move |_| sort(Pointer(data.at(half)), count - half));
        sort(data, half);
        let mut largest = 0;
        for i in 0..count {
            largest = largest.max(unsafe { *data.at(i) }); //~ race data[] #2 #3
        }
        assert!(largest > 0);
    });
}

fn main() {
    let mut data = numbers(64);
    sort(Pointer(data.as_mut_ptr()), data.len());
}
