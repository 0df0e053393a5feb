//! A piece of memory that a kernel may use, with the last reader and writer of each word.

use super::clocks::AccessTime;

/// Distance from a piece of memory within which an address counts as out of its bounds.
const NEAR: usize = 4096;

/// The piece of memory of an address.
#[derive(Clone, Copy)]
pub(super) enum SpaceId {
    /// An allocation, by its index in the list.
    Global(usize),
    Dynamic,
    Static,
}

/// A piece of memory: its written bytes, and its users.
pub(super) struct Space {
    base: usize,
    written: Vec<bool>,
    shadow: Shadow,
}

impl Space {
    pub(super) fn new(base: usize, written: Vec<bool>) -> Self {
        let shadow = Shadow::new(written.len());
        Space { base, written, shadow }
    }

    pub(super) fn into_written(self) -> Vec<bool> {
        self.written
    }

    /// Marks all bytes as unwritten.
    pub(super) fn clear(&mut self) {
        self.written.fill(false);
        self.shadow.clear();
    }

    pub(super) fn base(&self) -> usize {
        self.base
    }

    pub(super) fn size(&self) -> usize {
        self.written.len()
    }

    pub(super) fn contains(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size() && bytes <= self.size() - offset
    }

    /// Bytes from the beginning, negative before it.
    pub(super) fn offset(&self, address: usize) -> i64 {
        address.wrapping_sub(self.base).cast_signed() as i64
    }

    /// Distance of an address from this piece, if it is close enough to be an access past its end
    /// or before its start.
    pub(super) fn near(&self, address: usize) -> Option<usize> {
        let before = self.base.saturating_sub(address);
        let after = address.saturating_sub(self.base + self.size());
        Some(before.max(after)).filter(|distance| *distance < NEAR)
    }

    pub(super) fn is_written(&self, address: usize, bytes: usize) -> bool {
        self.written[address - self.base..][..bytes].iter().all(|&written| written)
    }

    /// Records an access inside, and returns one that it races with, and the address.
    pub(super) fn access(
        &mut self,
        address: usize,
        bytes: usize,
        trace: Trace,
        writes: bool,
        happened: &impl Fn(&AccessTime) -> bool,
    ) -> Option<(Conflict, usize)> {
        let offset = address - self.base;
        if writes {
            self.written[offset..][..bytes].fill(true);
        }
        let conflict = self.shadow.access(offset, bytes, trace, writes, happened)?;
        Some((conflict, self.base + conflict.offset))
    }
}

/// Accesses are remembered for each word, and for each byte of words that are
/// not always accessed whole.
const WORD: usize = 4;
const WORDS_OF_A_PAGE: usize = 256;

/// An access that is remembered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trace {
    pub(super) time: AccessTime,
    /// The program counter, from the beginning of the program; nothing has been
    /// done at 0.
    pub(super) pc: u32,
    pub(super) atomic: bool,
}

/// History of a word or byte: the last write, and two readers since. A third one is forgotten,
/// which can hide a race but never invents one.
#[derive(Clone, Copy, Default)]
struct Cell {
    write: Trace,
    reads: [Trace; 2],
    /// Index, from 1, of the cells of its bytes, if they are separate.
    split: u32,
}

/// The memory of some memory.
#[derive(Default)]
pub(super) struct Shadow {
    pages: Vec<Option<Box<[Cell; WORDS_OF_A_PAGE]>>>,
    split: Vec<[Cell; WORD]>,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy)]
pub(super) struct Conflict {
    pub(super) trace: Trace,
    pub(super) wrote: bool,
    /// Bytes from the beginning of the memory.
    pub(super) offset: usize,
}

impl Shadow {
    /// Creates an empty history of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let pages = bytes.div_ceil(WORD * WORDS_OF_A_PAGE);
        Shadow { pages: (0..pages).map(|_| None).collect(), split: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.pages.fill_with(|| None);
        self.split.clear();
    }

    /// Remembers an access, and finds one that it races with.
    pub(super) fn access(
        &mut self,
        offset: usize,
        bytes: usize,
        trace: Trace,
        writes: bool,
        happened: &impl Fn(&AccessTime) -> bool,
    ) -> Option<Conflict> {
        let end = offset + bytes;
        let mut at = offset;
        while at < end {
            let next = (at / WORD + 1) * WORD;
            let until = next.min(end);
            let found = self.access_word(at, until - at, trace, writes, happened);
            if let Some((trace, wrote)) = found {
                return Some(Conflict { trace, wrote, offset: at });
            }
            at = until;
        }
        None
    }

    fn access_word(
        &mut self,
        at: usize,
        bytes: usize,
        trace: Trace,
        writes: bool,
        happened: &impl Fn(&AccessTime) -> bool,
    ) -> Option<(Trace, bool)> {
        let word = at / WORD;
        let page = self.pages.get_mut(word / WORDS_OF_A_PAGE)?;
        let page = page.get_or_insert_with(|| Box::new([Cell::default(); WORDS_OF_A_PAGE]));
        let cell = &mut page[word % WORDS_OF_A_PAGE];
        if cell.split == 0 && bytes == WORD {
            return cell.access(trace, writes, happened);
        }
        if cell.split == 0 {
            self.split.push([*cell; WORD]);
            cell.split = self.split.len() as u32;
        }
        let cells = &mut self.split[cell.split as usize - 1];
        let touched = &mut cells[at % WORD..][..bytes];
        touched.iter_mut().find_map(|cell| cell.access(trace, writes, happened))
    }
}

impl Cell {
    /// Remembers an access; the earlier one that it races with, and whether that
    /// wrote.
    fn access(
        &mut self,
        trace: Trace,
        writes: bool,
        happened: &impl Fn(&AccessTime) -> bool,
    ) -> Option<(Trace, bool)> {
        let races = |other: &Trace| {
            other.pc != 0 && !(trace.atomic && other.atomic) && !happened(&other.time)
        };
        if races(&self.write) {
            return Some((self.write, true));
        }
        if !writes {
            self.remember_reader(trace, happened);
            return None;
        }
        if let Some(read) = self.reads.iter().find(|read| races(read)) {
            return Some((*read, false));
        }
        self.write = trace;
        if !trace.atomic {
            self.reads = Default::default();
        }
        None
    }

    fn remember_reader(&mut self, trace: Trace, happened: &impl Fn(&AccessTime) -> bool) {
        let replaceable = |read: &&mut Trace| read.pc == 0 || happened(&read.time);
        match self.reads.iter_mut().find(replaceable) {
            Some(read) => *read = trace,
            None => self.reads[1] = trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(thread: u16, atomic: bool) -> Trace {
        let time = AccessTime { thread, ..AccessTime::default() };
        Trace { time, pc: 1, atomic }
    }

    /// Nothing is ordered but a thread's own.
    fn race(accesses: &[(usize, usize, u16, bool, bool)]) -> bool {
        let mut shadow = Shadow::new(64);
        accesses.iter().any(|&(offset, bytes, thread, writes, atomic)| {
            let own = |time: &AccessTime| time.thread == thread;
            let trace = trace(thread, atomic);
            shadow.access(offset, bytes, trace, writes, &own).is_some()
        })
    }

    #[test]
    fn a_write_races_with_reads_and_writes() {
        assert!(race(&[(0, 4, 1, true, false), (0, 4, 2, false, false)]));
        assert!(race(&[(0, 4, 1, false, false), (0, 4, 2, true, false)]));
        assert!(race(&[(0, 4, 1, true, false), (0, 4, 2, true, true)]));
        assert!(!race(&[(0, 4, 1, false, false), (0, 4, 2, false, false)]));
        assert!(!race(&[(0, 4, 1, true, true), (0, 4, 2, true, true)]));
    }

    #[test]
    fn bytes_of_a_word_are_tracked_separately() {
        assert!(!race(&[(0, 1, 1, true, false), (1, 1, 2, true, false)]));
        assert!(race(&[(0, 1, 1, true, false), (0, 4, 2, true, false)]));
        assert!(race(&[(0, 4, 1, true, false), (3, 1, 2, true, false)]));
        assert!(race(&[(2, 4, 1, true, false), (4, 2, 2, true, false)]));
    }
}
