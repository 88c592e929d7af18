// expect: race-free observed-schedule
//! Tasks of tokio on a runtime with threads: joined, with messages and a mutex.

use corpus::Shared;
use std::sync::Arc;
use tokio::runtime::Builder;
use tokio::sync::{Mutex, mpsc};

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let sum = runtime.block_on(async {
        let sum = Arc::new((Mutex::new(()), Shared::new(0)));
        let (sender, mut receiver) = mpsc::channel(1);
        let tasks: Vec<_> = (1..=3)
            .map(|number| {
                let (sum, sender) = (sum.clone(), sender.clone());
                tokio::spawn(async move {
                    let guard = sum.0.lock().await;
                    unsafe { *sum.1.at() += number };
                    drop(guard);
                    sender.send(number).await.unwrap();
                })
            })
            .collect();
        drop(sender);
        let mut received = 0;
        while let Some(number) = receiver.recv().await {
            received += number;
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(received, 6);
        unsafe { *sum.1.at() }
    });
    assert_eq!(sum, 6);
}
