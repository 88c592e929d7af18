//! Where the report of a program that runs by itself goes: the file of `report=`, or standard
//! error.
//!
//! Both are opened before the program starts, since it may give up its root folder, its rights or
//! its descriptors. It may close ours as well, and get the same number for a file of its own: a
//! descriptor is used only if it is still of the file it was of.

use crate::process::files::{high, quietly};
use crate::process::state;
use raceproof_core::finding::Report;
use raceproof_report::{Project, Sources, Style, json, text};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

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

    /// Delivers a report: as JSON to the file; as text to standard error if there is none or it
    /// cannot be written.
    pub(crate) fn deliver(&self, report: &Report, is_of_interest: bool) {
        if let Some(path) = &state().options.report {
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
        let style = match state().options.color.as_deref() {
            Some("always") => Style::colored(),
            Some("never") => Style::plain(),
            _ => Style::for_stream(io::stderr().is_terminal()),
        };
        let mut sources = Sources::of(Project::here());
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

/// A report that was delivered before, when the program was about to become another and did not, is
/// replaced.
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
