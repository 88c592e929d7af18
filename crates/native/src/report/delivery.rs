//! Where the report of a program that runs by itself goes: the file of `report=`, or standard error.
//!
//! Both are opened before the program starts, since it may give up its root folder, its rights or its descriptors. It may close
//! ours as well, and get the same number for a file of its own: a descriptor is used only if it is still of the file it was of.

use crate::world;
use raceproof_core::finding::Report;
use raceproof_report::{Sources, Style, json, text};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::ptr;

/// Descriptors of ours are kept from here on, where the limit allows: programs count on the numbers of theirs.
const HIGH: [i32; 2] = [900, 200];

/// A file with a descriptor out of the program's way.
pub(crate) fn high(file: File) -> File {
    let moved = HIGH.into_iter().find_map(|least| {
        // SAFETY: duplicates a descriptor; the new one is nobody's yet.
        let new = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) };
        // SAFETY: as above.
        (new >= 0).then(|| unsafe { File::from_raw_fd(new) })
    });
    moved.unwrap_or(file)
}

/// An open file, and which it was.
struct Kept {
    file: ManuallyDrop<File>,
    identity: (u64, u64),
}

impl Kept {
    fn new(file: File) -> Option<Kept> {
        let file = ManuallyDrop::new(high(file));
        let identity = identity(&file)?;
        Some(Kept { file, identity })
    }

    /// The file, if its descriptor is still its own.
    fn file(&self) -> Option<&File> {
        (identity(&self.file) == Some(self.identity)).then_some(&*self.file)
    }
}

fn identity(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|of| (of.dev(), of.ino()))
}

#[derive(Default)]
pub(crate) struct Delivery {
    report: Option<Kept>,
    stderr: Option<Kept>,
}

impl Delivery {
    /// Opens what will be written to. What cannot be opened is tried again in the end.
    pub(crate) fn new(report: Option<&Path>) -> Delivery {
        let stderr = borrowed(libc::STDERR_FILENO).try_clone().ok();
        Delivery {
            report: report.and_then(|path| File::create(path).ok()).and_then(Kept::new),
            stderr: stderr.and_then(Kept::new),
        }
    }

    /// Delivers a report: as JSON to the file; as text to standard error if there is none or it cannot be written.
    pub(crate) fn deliver(&self, report: &Report, is_of_interest: bool) {
        if let Some(path) = &world().options.report {
            let whole = json::render(report);
            let kept = self.report.as_ref().and_then(Kept::file);
            let written = match kept {
                Some(mut file) => quietly(|| rewound(file).and_then(|()| file.write_all(whole.as_bytes()))),
                None => quietly(|| File::create(path)?.write_all(whole.as_bytes())),
            };
            match written {
                Ok(()) => return,
                Err(error) => self.say(&format!(
                    "raceproof: cannot write the report to {}: {error}; here it is as text\n",
                    path.display()
                )),
            }
        } else if !is_of_interest {
            return;
        }
        let style = match world().options.color.as_deref() {
            Some("always") => Style::colored(),
            Some("never") => Style::plain(),
            _ => Style::for_stream(io::stderr().is_terminal()),
        };
        let mut sources = Sources::new();
        sources.load_for(report);
        self.say(&text::render(report, &sources, style));
    }

    /// Standard error as it is now; as it was when the program began, if the program has closed it.
    fn say(&self, text: &str) {
        let mut now = borrowed(libc::STDERR_FILENO);
        if quietly(|| (&*now).write_all(text.as_bytes())).is_err()
            && now.metadata().is_err()
            && let Some(mut before) = self.stderr.as_ref().and_then(Kept::file)
        {
            // Nobody is left to hear of an error.
            let _ = quietly(|| before.write_all(text.as_bytes()));
        }
        let _ = now.flush();
    }
}

/// A report that was delivered before, when the program was about to become another and did not, is replaced.
fn rewound(mut file: &File) -> io::Result<()> {
    use std::io::Seek;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(())
}

fn borrowed(descriptor: i32) -> ManuallyDrop<File> {
    // SAFETY: the descriptor is used by way of the system only, and not closed.
    ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) })
}

/// Writes, so that a file that is too large or a pipe that nobody reads is an error and not the end of the program.
pub(crate) fn quietly<T>(write: impl FnOnce() -> T) -> T {
    // SAFETY: documented uses, on values that live here. A signal that was pending before stays so: it is blocked.
    unsafe {
        let (mut signals, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, libc::SIGXFSZ);
        libc::sigaddset(&mut signals, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, &mut before);
        let done = write();
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        for signal in [libc::SIGXFSZ, libc::SIGPIPE] {
            if libc::sigismember(&before, signal) == 0 {
                let mut one = std::mem::zeroed();
                libc::sigemptyset(&mut one);
                libc::sigaddset(&mut one, signal);
                libc::sigtimedwait(&one, ptr::null_mut(), &now);
            }
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        done
    }
}

/// A file whose size may come to a limit.
pub(crate) struct Quiet(File);

impl Quiet {
    pub(crate) fn create(path: &Path) -> io::Result<Quiet> {
        File::create(path).map(high).map(Quiet)
    }
}

impl Write for Quiet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        quietly(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
