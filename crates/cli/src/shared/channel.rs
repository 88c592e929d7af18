//! The channel of a native program, on the side of the command. [`raceproof::channel`] defines its
//! records.
//!
//! The channel is a `memfd`: it has no name, no other user can open it, and it ends with this
//! process. The program opens it through this process's descriptors (`/proc/PID/fd/N`), so that
//! neither the program nor its children inherit a descriptor.

use raceproof::channel::{self, Kind};
use raceproof::env_options;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::{env, process};

/// The environment variable with the runtime's options.
pub(crate) const OPTIONS: &str = "RACEPROOF_OPTIONS";

pub(crate) struct Channel {
    file: File,
    /// The size of the file, which nobody can change.
    size: u64,
}

impl Channel {
    /// A channel with a request in it, if there is one; the error says what could not be done.
    pub(crate) fn new(request: Option<&[u8]>) -> Result<Channel, String> {
        let records =
            request.map(|text| channel::record(Kind::Request, process::id(), text)).unwrap_or_default();
        let file = memory().and_then(|file| {
            file.write_all_at(&channel::beginning(&records), 0)?;
            Ok((file.metadata()?.len(), file))
        });
        match file {
            Ok((size, file)) => Ok(Channel { file, size }),
            Err(error) => Err(format!("cannot make room for what the program finds: {error}")),
        }
    }

    /// Empties it, and puts a request in it.
    pub(crate) fn renew(&self, request: &[u8]) -> io::Result<()> {
        let mut bytes = channel::beginning(&channel::record(Kind::Request, process::id(), request));
        // Where records were, there is nothing: a process may be killed in the middle of the next.
        bytes.resize(bytes.len().max(self.len()? as usize), 0);
        self.file.write_all_at(&bytes, 0)
    }

    /// Where the program opens it, as a word of `RACEPROOF_OPTIONS` of this name.
    pub(crate) fn word(&self, name: &str) -> Vec<u8> {
        format!("{name}=/proc/{}/fd/{}", process::id(), self.file.as_raw_fd()).into_bytes()
    }

    /// How many bytes were written so far.
    pub(crate) fn len(&self) -> io::Result<u64> {
        let mut head = [0; channel::FIRST];
        self.file.read_exact_at(&mut head, 0)?;
        let end = head[channel::END..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        // The program can write anything there.
        Ok(end.min(self.size))
    }

    /// What was written so far.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.len()? as usize];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

#[cfg(target_os = "linux")]
fn memory() -> io::Result<File> {
    use nix::fcntl::{FcntlArg, SealFlag, fcntl};
    use nix::sys::memfd::{MFdFlags, memfd_create};
    use nix::sys::resource::{Resource, getrlimit};
    let file = memfd_create(c"raceproof", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
    let file = File::from(file);
    // A limit on the size of files is one on this as well.
    let most = getrlimit(Resource::RLIMIT_FSIZE).map_or(u64::MAX, |(most, _)| most);
    file.set_len(channel::SIZE.min(most))?;
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn memory() -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "native programs run on Linux only"))
}

/// The value of `RACEPROOF_OPTIONS`: the user's words, then these, which override them.
pub(crate) fn options(more: impl IntoIterator<Item = Vec<u8>>) -> OsString {
    let own = env::var_os(OPTIONS).map(OsString::into_vec).filter(|own| !own.is_empty());
    let all: Vec<Vec<u8>> =
        own.into_iter().chain(more.into_iter().map(|word| env_options::quoted(&word))).collect();
    OsString::from_vec(all.join(&b':'))
}

/// A word `name=value` whose value is a path.
pub(crate) fn path_word(name: &str, path: &std::path::Path) -> Vec<u8> {
    [name.as_bytes(), b"=", path.as_os_str().as_bytes()].concat()
}
