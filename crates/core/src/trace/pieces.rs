//! A trace in pieces, for readers that share the work: pieces are read one after the other, taken
//! apart in any order by any worker, and put together one after the other.
//!
//! What is costly is in the middle: checksums, decompression and columns of raceproof's own format,
//! splitting lines and looking up names in text. What is put together is what [`Source::next`]
//! gives, event for event and error for error; it does the three in turn.
//!
//! [`Source::next`]: super::Source::next

use super::input::Input;
use super::{AnySource, TraceError, rapid, reader, text};
use crate::event::Event;
use std::io::Read;

/// A part of a trace.
pub(crate) enum Piece {
    Block(reader::Block),
    Lines(text::Lines),
    Words(rapid::Words),
}

/// What a worker takes pieces apart with.
pub(crate) struct Tools {
    blocks: reader::Tools,
    lines: text::Tools,
}

impl Tools {
    /// Those of a worker, counting from 0.
    pub(crate) fn of(worker: usize) -> Self {
        Tools { blocks: reader::Tools::default(), lines: text::Tools::of(worker) }
    }
}

impl Piece {
    /// Takes it apart. A worker has to be given pieces in their order, though not all of them.
    pub(crate) fn prepare(&mut self, tools: &mut Tools) {
        match self {
            Piece::Block(block) => block.prepare(&mut tools.blocks),
            Piece::Lines(lines) => lines.prepare(&mut tools.lines),
            Piece::Words(_) => {}
        }
    }
}

/// What came of reading a piece: none at the end.
pub(crate) type ReadPiece = Result<Option<Piece>, TraceError>;

/// Reads pieces.
pub(crate) enum Pieces<'a, R> {
    Blocks(&'a mut Input<R>),
    Lines(&'a mut Input<R>),
    Words(&'a mut Input<R>),
}

impl<R: Read> Pieces<'_, R> {
    pub(crate) fn read(&mut self) -> ReadPiece {
        Ok(match self {
            Pieces::Blocks(input) => reader::read_block(input)?.map(Piece::Block),
            Pieces::Lines(input) => text::read_lines(input)?.map(Piece::Lines),
            Pieces::Words(input) => rapid::read_words(input)?.map(Piece::Words),
        })
    }
}

/// Puts pieces together.
pub(crate) enum Merger<'a> {
    Blocks(&'a mut reader::BlockMerger),
    Lines(&'a mut text::LineMerger),
    Words(&'a mut rapid::WordMerger),
}

impl Merger<'_> {
    /// Adds the events of the next piece, as [`Source::next`](super::Source::next) gives them.
    pub(crate) fn add(&mut self, piece: ReadPiece, out: &mut Vec<Event>) -> Result<bool, TraceError> {
        let is_end = matches!(piece, Ok(None));
        match (self, piece) {
            (Merger::Blocks(merger), Ok(Some(Piece::Block(block)))) => merger.add(Ok(Some(block)), out),
            (Merger::Lines(merger), Ok(Some(Piece::Lines(lines)))) => merger.add(Ok(Some(lines)), out),
            (Merger::Words(merger), Ok(Some(Piece::Words(words)))) => merger.add(Ok(Some(words)), out),
            (Merger::Blocks(merger), Err(error)) => merger.add(Err(error), out),
            (Merger::Lines(merger), Err(error)) => merger.add(Err(error), out),
            (Merger::Words(merger), Err(error)) => merger.add(Err(error), out),
            (Merger::Blocks(merger), _) if is_end => merger.add(Ok(None), out),
            (Merger::Lines(merger), _) if is_end => merger.add(Ok(None), out),
            (Merger::Words(merger), _) if is_end => merger.add(Ok(None), out),
            _ => unreachable!("a piece is of the format of its trace"),
        }
    }
}

impl<R: Read> AnySource<R> {
    /// What reads the trace, and what puts it together.
    pub(crate) fn parts(&mut self) -> (Pieces<'_, R>, Merger<'_>) {
        match self {
            AnySource::Raceproof(source) => {
                let (input, merger) = source.parts();
                (Pieces::Blocks(input), Merger::Blocks(merger))
            }
            AnySource::Std(source) => {
                let (input, merger) = source.parts();
                (Pieces::Lines(input), Merger::Lines(merger))
            }
            AnySource::Rapid(source) => {
                let (input, merger) = source.parts();
                (Pieces::Words(input), Merger::Words(merger))
            }
        }
    }
}
