//! Events: the banks of each, one after the other in one array, and their truth where it is known.

mod problem;

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::format::{BankFormat, BankKind};
use crate::geometry::{MODULE_PAIRS, pair_of};
use crate::truth::Truth;
use crate::words::sensor_of;

pub use problem::{BankProblem, EventProblem};

/// Extent of a bank.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Bank {
    /// Index of its first word among all.
    pub first_word: u32,
    /// Number of words, the count of words included where there is one.
    pub words: u16,
    /// The sensor, or the pair of sensors.
    pub source: u16,
}

/// Extent and format of an event, as kernels read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct EventHeader {
    /// Index of its first bank among all.
    pub first_bank: u32,
    /// Number of banks.
    pub banks: u16,
    /// 0 for super-pixels, 1 for clusters of the readout.
    pub kind: u8,
    /// Version of the banks.
    pub version: u8,
}

/// Events with valid banks, in order of their pairs of modules, then of their sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    words: Vec<u32>,
    banks: Vec<Bank>,
    headers: Vec<EventHeader>,
    names: Vec<String>,
    truth: Vec<Truth>,
    /// Events that were left out, and the reasons.
    pub defects: Vec<String>,
}

/// Banks of one event.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Content and version.
    pub format: BankFormat,
    /// Extents of the banks, by pair of modules and source.
    pub banks: &'a [Bank],
    all_words: &'a [u32],
}

/// A bank of an event that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankWords<'a> {
    /// The sensor, or the pair of sensors.
    pub source: u16,
    /// The body, with the count of words where there is one.
    pub words: &'a [u32],
}

impl Events {
    /// Appends an event, after its banks were checked and brought in order of their pairs of modules, then
    /// of their sources. The truth
    /// must be given for all events or for none.
    ///
    /// # Errors
    /// The first problem of a bank; nothing is appended then.
    pub fn push(
        &mut self,
        name: String,
        format: BankFormat,
        banks: &[BankWords<'_>],
        truth: Option<Truth>,
    ) -> Result<(), EventProblem> {
        let mut banks = banks.to_vec();
        let pair = |bank: &BankWords<'_>| pair_of(sensor_of(format, bank.source, false));
        banks.sort_by_key(|bank| (pair(bank), bank.source));
        problem::check(format, &banks)?;
        let total: usize = banks.iter().map(|bank| bank.words.len()).sum();
        if u32::try_from(self.words.len() + total).is_err() {
            return Err(EventProblem::TooManyWords);
        }
        self.headers.push(EventHeader {
            first_bank: self.banks.len() as u32,
            banks: banks.len() as u16,
            kind: format.kind as u8,
            version: format.version,
        });
        for bank in &banks {
            self.banks.push(Bank {
                first_word: self.words.len() as u32,
                words: bank.words.len() as u16,
                source: bank.source,
            });
            self.words.extend_from_slice(bank.words);
        }
        self.names.push(name);
        self.truth.extend(truth);
        Ok(())
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// True if there are no events.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// True if an event has banks of this kind.
    pub fn has(&self, kind: BankKind) -> bool {
        self.headers.iter().any(|header| header.kind == kind as u8)
    }

    /// The words of all banks.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The banks of all events.
    pub fn banks(&self) -> &[Bank] {
        &self.banks
    }

    /// Extent and format of each event.
    pub fn headers(&self) -> &[EventHeader] {
        &self.headers
    }

    /// Name of each event.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Truth of each event; `None` if it is not known of all.
    pub fn truth(&self) -> Option<&[Truth]> {
        (!self.is_empty() && self.truth.len() == self.len()).then_some(&self.truth)
    }

    /// Sets the truth of all events.
    ///
    /// # Panics
    /// If its length is not the number of events.
    pub(crate) fn set_truth(&mut self, truth: Vec<Truth>) {
        assert_eq!(truth.len(), self.len(), "truth of each event");
        self.truth = truth;
    }

    /// Bytes of banks, with the header of eight bytes that each has in a file.
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.words.as_slice()) + size_of_val(self.banks.as_slice())) as u64
    }

    /// The event with this index.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn event(&self, index: usize) -> Event<'_> {
        let header = self.headers[index];
        let first = header.first_bank as usize;
        Event {
            format: header.format(),
            banks: &self.banks[first..first + usize::from(header.banks)],
            all_words: &self.words,
        }
    }

    /// All events in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Event<'_>> {
        (0..self.len()).map(|index| self.event(index))
    }

    /// Range of the words of these events.
    pub fn words_of(&self, events: Range<usize>) -> Range<usize> {
        let start = |event: usize| {
            let bank = self.headers.get(event).map(|header| header.first_bank as usize);
            let bank = bank.and_then(|bank| self.banks.get(bank));
            bank.map_or(self.words.len(), |bank| bank.first_word as usize)
        };
        start(events.start)..start(events.end)
    }

    /// Range of the banks of these events.
    pub fn banks_of(&self, events: Range<usize>) -> Range<usize> {
        let start = |event: usize| {
            self.headers.get(event).map_or(self.banks.len(), |header| header.first_bank as usize)
        };
        start(events.start)..start(events.end)
    }

    /// A copy of some of the events, in this order.
    ///
    /// # Panics
    /// If there is none with such an index.
    pub fn selected(&self, events: impl IntoIterator<Item = usize>) -> Events {
        let mut selected = Events::default();
        for index in events {
            let event = self.event(index);
            let banks: Vec<_> = event.bank_words().collect();
            let truth = self.truth.get(index).cloned();
            let pushed = selected.push(self.names[index].clone(), event.format, &banks, truth);
            pushed.expect("valid before");
        }
        selected
    }

    /// Appends other events.
    ///
    /// # Errors
    /// If there are more words than indices.
    pub fn append(&mut self, other: &Events) -> Result<(), EventProblem> {
        for (index, event) in other.iter().enumerate() {
            let banks: Vec<_> = event.bank_words().collect();
            let truth = other.truth.get(index).cloned();
            self.push(other.names[index].clone(), event.format, &banks, truth)?;
        }
        self.defects.extend_from_slice(&other.defects);
        Ok(())
    }
}

impl EventHeader {
    /// Content and version of the banks.
    #[inline]
    pub fn format(self) -> BankFormat {
        let kind = BankKind::ALL[usize::from(self.kind)];
        BankFormat { kind, version: self.version }
    }
}

impl<'a> Event<'a> {
    /// Words of a bank that count: without the number of words, and without those after them.
    #[inline]
    pub fn words(&self, bank: Bank) -> &'a [u32] {
        let start = bank.first_word as usize;
        let body = &self.all_words[start..start + usize::from(bank.words)];
        if self.format.has_sensor_pairs() {
            return body;
        }
        match body.split_first() {
            Some((&count, words)) => &words[..count as usize],
            None => body,
        }
    }

    /// The banks of each of the 26 pairs of modules.
    pub fn banks_by_pair(&self) -> impl Iterator<Item = &'a [Bank]> {
        let format = self.format;
        let mut rest = self.banks;
        (0..MODULE_PAIRS).map(move |pair| {
            let is_own = |bank: &&Bank| pair_of(sensor_of(format, bank.source, false)) == pair;
            let own = rest.iter().take_while(is_own).count();
            rest.split_off(..own).expect("counted among them")
        })
    }

    /// Words of all banks that count, zero words included.
    pub fn word_count(&self) -> usize {
        self.banks.iter().map(|&bank| self.words(bank).len()).sum()
    }

    /// The banks with their whole bodies.
    pub fn bank_words(&self) -> impl Iterator<Item = BankWords<'a>> {
        let all = self.all_words;
        self.banks.iter().map(move |bank| {
            let start = bank.first_word as usize;
            BankWords { source: bank.source, words: &all[start..start + usize::from(bank.words)] }
        })
    }
}
