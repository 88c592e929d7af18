// The programs as threads, locks and cells: included by the modules for loom and for shuttle, which bring `Arc`, `Mutex`,
// `thread`, `UnsafeCell`, the accesses of a `Cell` and `judge` of their own.

/// Memory that the threads share without a lock.
struct Cell(UnsafeCell<i32>);

// SAFETY: both tools run one thread at a time, and loom panics where two could access the cell together.
unsafe impl Sync for Cell {}
// SAFETY: the cell is a number, which any thread may drop.
unsafe impl Send for Cell {}

impl Cell {
    fn new() -> Arc<Cell> {
        Arc::new(Cell(UnsafeCell::new(0)))
    }
}

pub fn unjoined() -> bool {
    judge(|| {
        begin();
        let cells = [Cell::new(), Cell::new()];
        let [a, b] = cells.clone().map(|cell| thread::spawn(move || cell.set(1)));
        a.join().unwrap();
        let _ = cells[0].get() + cells[1].get();
        b.join().unwrap();
    })
}

pub fn order() -> bool {
    judge(|| {
        begin();
        let (cell, lock) = (Cell::new(), Arc::new(Mutex::new(())));
        let (its_cell, its_lock) = (cell.clone(), lock.clone());
        let writer = thread::spawn(move || {
            its_cell.set(1);
            drop(its_lock.lock().unwrap());
        });
        let reader = thread::spawn(move || {
            drop(lock.lock().unwrap());
            let _ = cell.get();
        });
        writer.join().unwrap();
        reader.join().unwrap();
    })
}

pub fn own_cells() -> bool {
    judge(|| {
        begin();
        let cells = [Cell::new(), Cell::new(), Cell::new()];
        let tasks = cells.clone().map(|cell| thread::spawn(move || (0..10).for_each(|i| cell.set(i))));
        tasks.into_iter().for_each(|task| task.join().unwrap());
        let _: i32 = cells.iter().map(|cell| cell.get()).sum();
    })
}

pub fn counter() -> bool {
    judge(|| {
        begin();
        let (cell, lock) = (Cell::new(), Arc::new(Mutex::new(())));
        let tasks = [(); 3].map(|()| {
            let (cell, lock) = (cell.clone(), lock.clone());
            thread::spawn(move || {
                let _section = lock.lock().unwrap();
                cell.set(cell.get() + 1);
            })
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(cell.get(), 3);
    })
}
