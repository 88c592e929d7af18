// expect: race-free all-schedules
//! C += A·B by quarters: four products in parallel, then the other four.

use corpus::Pointer;
use rayon::join;

const SIZE: usize = 16;
const BASE: usize = 4;

#[derive(Clone, Copy)]
struct Block {
    data: Pointer<f64>,
    row: usize,
    column: usize,
    size: usize,
}

impl Block {
    fn quarter(self, row: usize, column: usize) -> Block {
        let size = self.size / 2;
        Block { row: self.row + row * size, column: self.column + column * size, size, ..self }
    }

    fn at(self, row: usize, column: usize) -> *mut f64 {
        self.data.at((self.row + row) * SIZE + self.column + column)
    }
}

fn multiply(a: Block, b: Block, c: Block) {
    if c.size <= BASE {
        for i in 0..c.size {
            for j in 0..c.size {
                for k in 0..c.size {
                    unsafe { *c.at(i, j) += *a.at(i, k) * *b.at(k, j) };
                }
            }
        }
        return;
    }
    for half in 0..2 {
        let part = |i, j| multiply(a.quarter(i, half), b.quarter(half, j), c.quarter(i, j));
        join(|| join(|| part(0, 0), || part(0, 1)), || join(|| part(1, 0), || part(1, 1)));
    }
}

fn main() {
    let block =
        |data: &mut Vec<f64>| Block { data: Pointer(data.as_mut_ptr()), row: 0, column: 0, size: SIZE };
    let mut a: Vec<f64> = (0..SIZE * SIZE).map(|i| (i % 7) as f64).collect();
    let mut b: Vec<f64> = (0..SIZE * SIZE).map(|i| (i % 5) as f64).collect();
    let mut c = vec![0.0; SIZE * SIZE];
    multiply(block(&mut a), block(&mut b), block(&mut c));
    let expected: f64 = (0..SIZE).map(|k| a[3 * SIZE + k] * b[k * SIZE + 5]).sum();
    assert_eq!(c[3 * SIZE + 5], expected);
}
