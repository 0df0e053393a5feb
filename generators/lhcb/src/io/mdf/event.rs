//! The banks of an event that are read, and its number.

use std::fmt;

use crate::events::BankWords;
use crate::format::{BankFormat, BankKind};
use crate::truth::Truth;

use super::bank::{Banks, FileBank, bank_type};
use super::frame::Content;
use super::monte_carlo::TruthBanks;
use super::problem::{MdfProblem, TruthProblem};

/// Number of an event, which is its name: `RUN-EVENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventNumber {
    /// The run.
    pub run: u32,
    /// The event of the run.
    pub event: u64,
}

impl fmt::Display for EventNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.run, self.event)
    }
}

impl EventNumber {
    /// Bytes of the body of an ODIN bank.
    const ODIN_BYTES: usize = 40;
    /// Offset of the event in the body; the run is at its start.
    const EVENT: usize = 16;

    /// The number that is the name of an event; `None` for other names.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let (run, event) = name.split_once('-')?;
        let number = EventNumber { run: run.parse().ok()?, event: event.parse().ok()? };
        // Names such as 01-2 would not come back.
        (number.to_string() == name).then_some(number)
    }

    fn from_odin(body: &[u8]) -> Result<Self, MdfProblem> {
        let too_short = || MdfProblem::Odin(body.len());
        let run = body.first_chunk().ok_or_else(too_short)?;
        let event = body.get(Self::EVENT..).and_then(|body| body.first_chunk());
        let event = event.ok_or_else(too_short)?;
        Ok(EventNumber { run: u32::from_le_bytes(*run), event: u64::from_le_bytes(*event) })
    }

    /// The body of an ODIN bank.
    pub(super) fn to_odin(self) -> [u8; Self::ODIN_BYTES] {
        let mut body = [0; Self::ODIN_BYTES];
        body[..4].copy_from_slice(&self.run.to_le_bytes());
        body[Self::EVENT..Self::EVENT + 8].copy_from_slice(&self.event.to_le_bytes());
        body
    }
}

/// Event as a file has it.
pub(super) struct RawEvent<'a> {
    /// Content and version of the banks.
    pub format: BankFormat,
    /// Run and event, if there is an ODIN bank.
    pub number: Option<EventNumber>,
    /// Words of all banks of the VELO.
    words: Vec<u32>,
    /// Sources of these banks, with the end of their words.
    ends: Vec<(u16, usize)>,
    truth: TruthBanks<'a>,
}

impl RawEvent<'_> {
    /// The banks of the VELO, in the order of the file.
    pub(super) fn bank_words(&self) -> Vec<BankWords<'_>> {
        let mut start = 0;
        let bank = |&(source, end): &(u16, usize)| {
            let words = &self.words[start..end];
            start = end;
            BankWords { source, words }
        };
        self.ends.iter().map(bank).collect()
    }

    /// The truth; `None` if there are no banks of it.
    pub(super) fn truth(&self) -> Option<Result<Truth, TruthProblem>> {
        self.truth.read()
    }

    /// Bytes of the truth.
    pub(super) fn truth_bytes(&self) -> u64 {
        self.truth.bytes()
    }
}

/// Reads the banks of an event: those of the preferred kind, or of the other one if it has none of these.
///
/// # Errors
/// The first problem of what is read. Words of the VELO are not looked at.
pub(super) fn read(content: Content<'_>, preferred: BankKind) -> Result<RawEvent<'_>, MdfProblem> {
    let mut super_pixels = Vec::new();
    let mut retina = Vec::new();
    let mut number = None;
    let mut truth = TruthBanks::default();
    for bank in Banks::new(content) {
        let bank = bank?;
        match bank.bank_type {
            bank_type::SUPER_PIXEL => super_pixels.push(bank),
            bank_type::RETINA => retina.push(bank),
            bank_type::ODIN if number.is_none() => {
                number = Some(EventNumber::from_odin(bank.body)?);
            }
            bank_type::PARTICLES => truth.add_particles(bank.source, bank.body),
            bank_type::VERTICES => truth.add_vertices(bank.body),
            _ => {}
        }
    }
    let has_preferred = match preferred {
        BankKind::SuperPixel => !super_pixels.is_empty(),
        BankKind::Retina => !retina.is_empty(),
    };
    let (kind, banks) = match (preferred, has_preferred) {
        (BankKind::SuperPixel, true) | (BankKind::Retina, false) => {
            (BankKind::SuperPixel, super_pixels)
        }
        (BankKind::Retina, true) | (BankKind::SuperPixel, false) => (BankKind::Retina, retina),
    };
    let Some(first) = banks.first() else {
        return Err(MdfProblem::NoBanks);
    };
    let format = BankFormat { kind, version: first.version };
    let mut event = RawEvent { format, number, words: Vec::new(), ends: Vec::new(), truth };
    banks.iter().try_for_each(|bank| event.add(bank))?;
    let expected = format.banks();
    // A bank that is there twice is reported as such.
    if banks.len() < expected {
        return Err(MdfProblem::Incomplete { banks: banks.len(), expected });
    }
    Ok(event)
}

impl RawEvent<'_> {
    fn add(&mut self, bank: &FileBank<'_>) -> Result<(), MdfProblem> {
        let source_id = bank.source;
        let first = self.format.version;
        if bank.version != first {
            return Err(MdfProblem::MixedVersions { source_id, version: bank.version, first });
        }
        let (words, rest) = bank.body.as_chunks();
        if !rest.is_empty() {
            return Err(MdfProblem::PartOfWord { source_id, bytes: bank.body.len() });
        }
        if words.is_empty() && !self.format.has_sensor_pairs() {
            return Err(MdfProblem::NoCount { source_id });
        }
        self.words.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
        self.ends.push((source_id, self.words.len()));
        Ok(())
    }
}
