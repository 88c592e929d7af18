// expect: race-free all-schedules
//! Pools of the program's own, one inside of another.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

fn main() {
    let small = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let large = ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    assert_eq!(rayon::current_thread_index(), None);
    let (inside, outside) = large.install(|| {
        assert!(rayon::current_thread_index().is_some());
        let inside =
            small.install(|| (rayon::current_num_threads(), (0..20u32).into_par_iter().sum::<u32>()));
        (inside, rayon::current_num_threads())
    });
    assert_eq!((inside, outside), ((2, 190), 5));
    let mut cells = [0; 5];
    large.in_place_scope(|scope| {
        for cell in &mut cells {
            scope.spawn(move |_| *cell += 1);
        }
    });
    assert_eq!(cells, [1; 5]);
}
