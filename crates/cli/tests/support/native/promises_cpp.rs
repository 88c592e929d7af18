//! The programs of `promises.rs` as C++, on HClib's interface and on the standard library's: each
//! is a function, with an access a line, so that the compiler and the pass see what stands between
//! two accesses.

use super::promises::{Item, PROMISES, VARIABLES};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    Hclib,
    Std,
}

/// A source with several programs, of which the first argument says one.
pub struct Emitted {
    pub text: String,
    interface: Interface,
    /// By program: the lines of its accesses, by their numbers.
    pub lines: Vec<Vec<u32>>,
}

/// What the programs on the standard library share. A finish waits for the threads created inside,
/// and by these: each thread keeps those it has created, and who has joined it joins them.
const STD: &str = r#"#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <vector>
struct Node;
typedef std::vector<std::unique_ptr<Node>> Nodes;
struct Node {
  Nodes children;
  std::thread thread;
};
static std::promise<void> promises[8];
static std::shared_future<void> set[8];
static void join(Nodes &nodes) {
  for (std::unique_ptr<Node> &node : nodes) {
    node->thread.join();
    join(node->children);
  }
  nodes.clear();
}
static void spawn(Nodes &nodes, std::function<void(Nodes &)> body) {
  nodes.push_back(std::unique_ptr<Node>(new Node));
  Node *node = nodes.back().get();
  node->thread = std::thread([=]() { body(node->children); });
}
static void put(int key) {
  try {
    promises[key].set_value();
  } catch (const std::future_error &) {
    puts("second set");
    exit(0);
  }
}
"#;

const HCLIB: &str = "#include \"hclib_cpp.h\"\n#include <cstdlib>\n";

impl Emitted {
    pub fn new(interface: Interface) -> Emitted {
        let mut text = if interface == Interface::Hclib { HCLIB } else { STD }.to_owned();
        for variable in 0..VARIABLES {
            writeln!(text, "static int x{variable};").unwrap();
        }
        Emitted { text, interface, lines: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub fn program(&mut self, items: &[Item]) {
        self.lines.push(Vec::new());
        let number = self.lines.len() - 1;
        match self.interface {
            Interface::Hclib => {
                self.line(&format!("static void program{number}() {{"));
                for promise in 0..PROMISES {
                    self.line(&format!("auto *p{promise} = new hclib::promise_t<void>();"));
                }
            }
            Interface::Std => self.line(&format!("static void program{number}(Nodes &own) {{")),
        }
        self.items(items);
        self.line("}");
    }

    /// The function that runs one of the programs.
    pub fn finish(&mut self) {
        let count = self.lines.len();
        let parameter = if self.interface == Interface::Hclib { "" } else { "Nodes &" };
        let names: Vec<String> = (0..count).map(|number| format!("program{number}")).collect();
        self.line(&format!("static void (*const programs[])({parameter}) = {{{}}};", names.join(", ")));
        self.line("int main(int, char **arguments) {");
        self.line("int number = atoi(arguments[1]);");
        match self.interface {
            Interface::Hclib => {
                self.line("const char *modules[] = {\"system\"};");
                self.line("hclib::launch(modules, 1, [=]() { programs[number](); });");
            }
            Interface::Std => {
                self.line("for (int key = 0; key < 8; ++key)");
                self.line("set[key] = promises[key].get_future().share();");
                self.line("Nodes nodes;");
                self.line("programs[number](nodes);");
                self.line("join(nodes);");
            }
        }
        self.line("return 0;");
        self.line("}");
    }

    fn items(&mut self, items: &[Item]) {
        let hclib = self.interface == Interface::Hclib;
        for item in items {
            match item {
                Item::Access { writes, variable } => {
                    let line = self.text.lines().count() as u32 + 1;
                    self.lines.last_mut().expect("a program is being written").push(line);
                    match writes {
                        true => self.line(&format!("x{variable} = 1;")),
                        false => self.line(&format!("{{ volatile int sink = x{variable}; (void)sink; }}")),
                    }
                }
                Item::Set(promise) if hclib => self.line(&format!("p{promise}->put();")),
                Item::Set(promise) => self.line(&format!("put({promise});")),
                Item::Get(promise) if hclib => self.line(&format!("p{promise}->get_future()->wait();")),
                Item::Get(promise) => self.line(&format!("set[{promise}].wait();")),
                Item::Join(future) if hclib => self.line(&format!("f{future}->wait();")),
                Item::Join(future) => self.line(&format!("f{future}.wait();")),
                Item::Task(body) if hclib => self.block("hclib::async([=]() {", body, "});"),
                Item::Task(body) => self.block("spawn(own, [=](Nodes &own) { (void)own;", body, "});"),
                Item::Await(promise, body) if hclib => {
                    self.block(
                        "hclib::async_await([=]() {",
                        body,
                        &format!("}}, p{promise}->get_future());"),
                    );
                }
                Item::Await(promise, body) => {
                    let begin = format!("spawn(own, [=](Nodes &own) {{ (void)own; set[{promise}].wait();");
                    self.block(&begin, body, "});");
                }
                Item::Finish(body) if hclib => self.block("hclib::finish([=]() {", body, "});"),
                Item::Finish(body) => {
                    self.block("{ Nodes inner; { Nodes &own = inner; (void)own;", body, "} join(inner); }");
                }
                Item::Future(number, body) if hclib => {
                    let begin = format!("auto *f{number} = hclib::async_future([=]() {{");
                    self.block(&begin, body, "});");
                    self.line(&format!("(void)f{number};"));
                }
                Item::Future(number, body) => {
                    let task = "std::packaged_task<void(Nodes &)>";
                    self.block(
                        &format!("auto *t{number} = new {task}([=](Nodes &own) {{ (void)own;"),
                        body,
                        "});",
                    );
                    self.line(&format!(
                        "std::shared_future<void> f{number} = t{number}->get_future().share();"
                    ));
                    self.line(&format!(
                        "spawn(own, [=](Nodes &own) {{ (*t{number})(own); delete t{number}; }});"
                    ));
                }
                Item::Nonblocking(promise, body) if hclib => {
                    let end = format!("hclib_end_finish_nonblocking_helper(p{promise});");
                    self.block("hclib_start_finish();", body, &end);
                }
                Item::Nonblocking(promise, body) => {
                    let end = format!(
                        "}} spawn(own, [=](Nodes &) {{ join(*inner); delete inner; put({promise}); }}); }}"
                    );
                    self.block("{ Nodes *inner = new Nodes; { Nodes &own = *inner; (void)own;", body, &end);
                }
            }
        }
    }

    fn block(&mut self, begin: &str, body: &[Item], end: &str) {
        self.line(begin);
        self.items(body);
        self.line(end);
    }
}
