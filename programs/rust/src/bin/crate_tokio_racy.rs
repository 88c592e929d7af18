// expect: race
//! What a task of tokio writes after it has sent a message.

use corpus::Shared;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let (sender, receiver) = oneshot::channel();
    let task = runtime.spawn(async {
        sender.send(7).unwrap();
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
    });
    assert_eq!(runtime.block_on(receiver), Ok(7));
    println!("{}", unsafe { *CELL.at() }); //~ race CELL #1
    runtime.block_on(task).unwrap();
}
