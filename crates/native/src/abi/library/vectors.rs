//! Buffers that an argument only points to: vectors of them, messages, lines that grow; and arrays
//! that are sorted.

use super::Call;
use super::extents::{printed, word};
use std::ffi::c_int;
use std::mem::offset_of;

const POINTER: usize = size_of::<usize>();

impl Call {
    /// The parts of a vector of buffers, as far as `left` bytes go.
    fn parts(vector: usize, count: usize, mut left: usize, mut each: impl FnMut(usize, usize)) {
        let count = if vector == 0 { 0 } else { count };
        for at in 0..count {
            // SAFETY: a vector of so many buffers, which the function reads.
            let part = unsafe { *(vector as *const libc::iovec).add(at) };
            let size = part.iov_len.min(left);
            each(part.iov_base as usize, size);
            left -= size;
        }
    }

    /// Reads a vector of buffers, and what it names.
    pub(super) fn gathers(&self, vector: usize, count: usize) {
        let count = (count as c_int).max(0) as usize;
        self.read(vector, count * size_of::<libc::iovec>());
        Call::parts(vector, count, usize::MAX, |address, size| self.read(address, size));
    }

    /// Reads a vector of buffers, into which something will be read.
    pub(super) fn reads_vector(&self, vector: usize, count: usize) {
        self.read(vector, (count as c_int).max(0) as usize * size_of::<libc::iovec>());
    }

    /// So many bytes have come into a vector of buffers.
    pub(super) fn scatters(&self, vector: usize, count: usize, size: usize) {
        let count = (count as c_int).max(0) as usize;
        Call::parts(vector, count, size, |address, size| self.write(address, size));
    }

    /// Reads a message that is sent.
    pub(super) fn sends(&self, message: usize) {
        let Some(named) = self.message(message) else { return };
        self.read(named.msg_name as usize, named.msg_namelen as usize);
        self.read(named.msg_control as usize, named.msg_controllen);
        self.gathers(named.msg_iov as usize, named.msg_iovlen);
    }

    /// Reads where a message shall come to.
    pub(super) fn awaits(&self, message: usize) {
        let Some(named) = self.message(message) else { return };
        self.reads_vector(named.msg_iov as usize, named.msg_iovlen);
    }

    /// A message of so many bytes has come.
    pub(super) fn receives(&self, message: usize, result: usize) {
        if message == 0 || (result as isize) < 0 {
            return;
        }
        // SAFETY: a message of the program's, which the function has filled in.
        let named = unsafe { *(message as *const libc::msghdr) };
        self.write(message + offset_of!(libc::msghdr, msg_namelen), size_of_val(&named.msg_namelen));
        self.write(message + offset_of!(libc::msghdr, msg_controllen), size_of_val(&named.msg_controllen));
        self.write(message + offset_of!(libc::msghdr, msg_flags), size_of_val(&named.msg_flags));
        self.write(named.msg_name as usize, named.msg_namelen as usize);
        self.write(named.msg_control as usize, named.msg_controllen);
        self.scatters(named.msg_iov as usize, named.msg_iovlen, result);
    }

    fn message(&self, message: usize) -> Option<libc::msghdr> {
        self.read(message, size_of::<libc::msghdr>());
        // SAFETY: a message of the program's, which the function reads.
        (message != 0).then(|| unsafe { *(message as *const libc::msghdr) })
    }

    /// Reads descriptors, and writes what has happened to each.
    pub(super) fn polls(&self, list: usize, count: usize) {
        self.read(list, count.saturating_mul(size_of::<libc::pollfd>()));
        for number in 0..if list == 0 { 0 } else { count } {
            let entry = list + number * size_of::<libc::pollfd>();
            self.write(entry + offset_of!(libc::pollfd, revents), size_of::<i16>());
        }
    }

    /// Sets of the descriptors below a number, in whole words.
    pub(super) fn awaits_sets(&self, count: usize, ready: usize, room: usize, news: usize) {
        for set in [ready, room, news] {
            self.read(set, set_size(count));
        }
    }

    /// `select` says in the same sets what has come.
    pub(super) fn fills_sets(&self, result: usize, count: usize, ready: usize, room: usize, news: usize) {
        for set in [ready, room, news] {
            self.write(set, if (result as c_int) < 0 { 0 } else { set_size(count) });
        }
    }

    /// A line of so many bytes was read into a buffer that may be another by now.
    pub(super) fn line(&self, buffer: usize, size: usize, result: usize) {
        self.write(buffer, POINTER);
        self.write(size, POINTER);
        if (result as isize) >= 0 {
            self.write(word(buffer), result + 1);
        }
    }

    /// Text of so many characters was printed to memory that was allocated for it.
    pub(super) fn allocated(&self, to: usize, size: usize) {
        self.write(to, POINTER);
        self.write(if size as c_int >= 0 { word(to) } else { 0 }, printed(size, usize::MAX));
    }

    /// An array is sorted: its elements are read, and moved.
    pub(super) fn sorts(&self, array: usize, count: usize, size: usize) {
        if count > 1 {
            self.write(array, count.saturating_mul(size));
        }
    }

    /// An address of a socket, and its length before and after.
    pub(super) fn address(&self, address: usize, length: usize, result: usize) {
        if (result as isize) >= 0 && address != 0 && length != 0 {
            self.write(length, size_of::<libc::socklen_t>());
            // SAFETY: the length of the program's, which the function has written.
            self.write(address, unsafe { *(length as *const libc::socklen_t) } as usize);
        }
    }
}

/// The bytes of a set of descriptors that `select` looks at.
fn set_size(count: usize) -> usize {
    let count = usize::try_from(count as c_int).unwrap_or(0).min(libc::FD_SETSIZE);
    count.div_ceil(usize::BITS as usize) * size_of::<usize>()
}
