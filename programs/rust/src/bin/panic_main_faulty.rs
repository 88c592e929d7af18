// expect: program-error
// message: the program panicked: nothing to add
//! A panic in `main`, after a job.

fn main() {
    let (a, b) = rayon::join(|| 1, || -1);
    if a + b == 0 {
        panic!("nothing to add");
    }
}
