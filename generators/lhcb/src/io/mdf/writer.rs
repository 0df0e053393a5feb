//! Events into a file, each with its checksum.

use std::io::Write;
use std::path::Path;

use generators_common::DataError;
use generators_common::io::file::write_file;
use text::Untrusted;

use crate::events::{Event, Events};
use crate::format::BankKind;
use crate::truth::Truth;

use super::bank::{FileBank, bank_type};
use super::event::EventNumber;
use super::frame::{BANKS, HEADER, HEADER_VERSION, SUB_HEADER_WORDS, UNCHECKED, checksum};
use super::monte_carlo::{particles_to_parts, vertices_to_body};

/// Version of ODIN banks.
const ODIN_VERSION: u8 = 6;
/// Version of banks with particles.
const PARTICLES_VERSION: u8 = 2;
/// Version of banks with vertices.
const VERTICES_VERSION: u8 = 1;
/// Words of the trigger mask, with all bits set.
const TRIGGER_MASK: [u32; 4] = [u32::MAX; 4];

/// Writes events into a file, compressed if its name ends with `.gz`. Reading it gives the same events,
/// if their names are of the form `RUN-EVENT`: others become `event-N`, with the index N in the file.
///
/// # Errors
/// If the file can't be written, or an event lacks banks or has too many vertices.
pub fn write(path: &Path, events: &Events) -> Result<(), DataError> {
    let mut problem = None;
    let written = write_file(path, |sink| {
        let mut bytes = Vec::new();
        for (index, event) in events.iter().enumerate() {
            let name = &events.names()[index];
            let truth = events.truth().map(|truth| &truth[index]);
            bytes.clear();
            if let Err(error) = encode(name, event, truth, &mut bytes) {
                problem = Some(error);
                // The error above is the one that is reported.
                return Err(std::io::ErrorKind::InvalidInput.into());
            }
            sink.write_all(&bytes)?;
        }
        Ok(())
    });
    problem.map_or(written, Err)
}

/// Appends an event.
fn encode(
    name: &str,
    event: Event<'_>,
    truth: Option<&Truth>,
    to: &mut Vec<u8>,
) -> Result<(), DataError> {
    let problem =
        |problem: String| DataError::shape(format!("event {}: {problem}", name.escaped()));
    let expected = event.format.banks();
    if event.banks.len() != expected {
        let banks = event.banks.len();
        return Err(problem(format!("{banks} of {expected} banks; MDF files have all of them")));
    }
    let start = to.len();
    let number = EventNumber::from_name(name);
    to.resize(start + UNCHECKED, 0);
    to.extend([0, HEADER_VERSION << 4 | SUB_HEADER_WORDS, BANKS, 0]);
    to.extend(TRIGGER_MASK.iter().flat_map(|word| word.to_le_bytes()));
    to.extend(number.map_or(0, |number| number.run).to_le_bytes());
    to.resize(start + HEADER, 0);
    if let Some(number) = number {
        let body = &number.to_odin();
        FileBank { bank_type: bank_type::ODIN, version: ODIN_VERSION, source: 0, body }.write(to);
    }
    write_banks(event, to);
    if let Some(truth) = truth {
        write_truth(truth, to).ok_or_else(|| problem("too many vertices".to_owned()))?;
    }
    let size = to.len() - start;
    let size = u32::try_from(size).map_err(|_| problem("too much truth".to_owned()))?;
    let sum = checksum(&to[start + UNCHECKED..]);
    let words = [size, size, size, sum].map(u32::to_le_bytes);
    to[start..start + UNCHECKED].copy_from_slice(words.as_flattened());
    Ok(())
}

fn write_banks(event: Event<'_>, to: &mut Vec<u8>) {
    let bank_type = match event.format.kind {
        BankKind::SuperPixel => bank_type::SUPER_PIXEL,
        BankKind::Retina => bank_type::RETINA,
    };
    let mut body = Vec::new();
    for bank in event.bank_words() {
        body.clear();
        body.extend(bank.words.iter().flat_map(|word| word.to_le_bytes()));
        let version = event.format.version;
        FileBank { bank_type, version, source: bank.source, body: &body }.write(to);
    }
}

/// Appends the banks with the truth; `None` if they can't hold it.
fn write_truth(truth: &Truth, to: &mut Vec<u8>) -> Option<()> {
    for (part, body) in particles_to_parts(truth).iter().enumerate() {
        let source = u16::try_from(part).ok()?;
        let version = PARTICLES_VERSION;
        FileBank { bank_type: bank_type::PARTICLES, version, source, body }.write(to);
    }
    let body = &vertices_to_body(truth)?;
    let version = VERTICES_VERSION;
    FileBank { bank_type: bank_type::VERTICES, version, source: 0, body }.write(to);
    Some(())
}
