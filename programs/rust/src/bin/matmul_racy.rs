// expect: race
//! C += A·B by quarters, with all eight products in parallel: two of them add to each quarter.

use corpus::Pointer;
use rayon::join;

const SIZE: usize = 8;
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
                    unsafe { *c.at(i, j) += *a.at(i, k) * *b.at(k, j) }; //~ race c[] #1
                }
            }
        }
        return;
    }
    let part = |half, i, j| multiply(a.quarter(i, half), b.quarter(half, j), c.quarter(i, j));
    let phase = |half: usize| {
        let part = &part;
        join(
            || join(|| part(half, 0, 0), || part(half, 0, 1)),
            || join(|| part(half, 1, 0), || part(half, 1, 1)),
        )
    };
    join(|| phase(0), || phase(1));
}

fn main() {
    let block =
        |data: &mut Vec<f64>| Block { data: Pointer(data.as_mut_ptr()), row: 0, column: 0, size: SIZE };
    let mut a = vec![1.0; SIZE * SIZE];
    let mut b = vec![2.0; SIZE * SIZE];
    let mut c = vec![0.0; SIZE * SIZE];
    multiply(block(&mut a), block(&mut b), block(&mut c));
}
