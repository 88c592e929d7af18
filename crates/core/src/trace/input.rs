//! A buffer before a reader, with the place in the trace that its beginning has.

use super::TraceError;
use std::io::{ErrorKind, Read};

const CHUNK: usize = 1 << 17;

/// The longest run of bytes asked for at once: a line of text, or a block.
pub(super) const LONGEST: usize = 1 << 22;

pub(crate) struct Input<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What has been used up of the buffer.
    start: usize,
    /// What is filled of it.
    end: usize,
    /// Where in the trace `start` is.
    offset: u64,
    at_end: bool,
}

impl<R: Read> Input<R> {
    pub(super) fn new(reader: R) -> Self {
        Input { reader, buffer: vec![0; 2 * CHUNK], start: 0, end: 0, offset: 0, at_end: false }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// What is there and not used up.
    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    #[inline]
    pub(super) fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// The next bytes, fewer only at the end.
    pub(super) fn peek(&mut self, wanted: usize) -> Result<&[u8], TraceError> {
        while self.end - self.start < wanted && !self.at_end {
            self.fill()?;
        }
        Ok(&self.rest()[..wanted.min(self.end - self.start)])
    }

    /// Reads more; whether there was any.
    pub(super) fn fill(&mut self) -> Result<bool, TraceError> {
        if self.at_end {
            return Ok(false);
        }
        if self.buffer.len() - self.end < CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.buffer.len() - self.end < CHUNK {
                self.buffer.resize(2 * self.buffer.len(), 0);
            }
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.at_end = true;
                    let offset = self.offset + self.rest().len() as u64;
                    return Err(TraceError {
                        offset,
                        line: None,
                        message: format!("cannot read on: {error}"),
                    });
                }
            }
        }
    }

    /// Nothing comes any more.
    pub(super) fn finish(&mut self) {
        self.start = self.end;
        self.at_end = true;
    }
}
