//! Benchmarks of `analyze`.
mod generate;

use std::fs::File;
use std::io::BufWriter;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, file, threads, events] = &arguments[..]
        && command == "--generate"
    {
        let file = BufWriter::new(File::create(file).expect("the trace can be written"));
        let number = |text: &str| text.parse().expect("a number");
        generate::generate(file, number(threads), number(events), 1).expect("the trace can be written");
    }
}
