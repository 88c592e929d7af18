//! What tests of native programs need: a compiler, and a runtime library, which here is a stub.

use super::command::{Done, Folder, raceproof, run};
use std::path::PathBuf;
use std::process::Command;

/// A folder with the stub library in it.
pub struct Native {
    pub folder: Folder,
}

impl Native {
    pub fn new(name: &str) -> Native {
        let folder = Folder::new(name);
        let source = folder.write("native_stub.c", include_str!("native_stub.c"));
        let object = folder.path("native_stub.o");
        tool(Command::new("gcc").args(["-c", "-fPIC", "-Wall"]).arg(&source).arg("-o").arg(&object));
        tool(Command::new("ar").arg("rc").arg(folder.path("libraceproof_native.a")).arg(&object));
        Native { folder }
    }

    /// `raceproof WORDS`, in the folder, with the stub as its library.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = raceproof();
        command.args(words).current_dir(self.path()).env("RACEPROOF_RUNTIME", self.path());
        command.env_remove("RACEPROOF_CLANG").env_remove("RACEPROOF_CLANGXX").env_remove("RACEPROOF_OPTIONS");
        command
    }

    pub fn run(&self, words: &[&str]) -> Done {
        run(&mut self.command(words))
    }

    /// Runs a program of the folder.
    pub fn program(&self, name: &str) -> Done {
        let output = Command::new(self.folder.path(name)).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Done { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path("")
    }
}

/// Runs a tool that has to succeed.
#[track_caller]
pub fn tool(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
