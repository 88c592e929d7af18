// expect: race-free all-schedules
// advice: par-own-cells for chunks_racy
//! The chunks of chunks_racy, as slices that do not overlap.

fn main() {
    let mut data = vec![0u32; 100];
    rayon::scope(|scope| {
        for chunk in data.chunks_mut(25) {
            scope.spawn(move |_| chunk.iter_mut().for_each(|cell| *cell += 1));
        }
    });
    assert!(data.iter().all(|cell| *cell == 1));
}
