//! Remarks about archives: parts that were passed over, are missing or flagged.

use std::collections::BTreeMap;
use std::path::PathBuf;

use text::counted;

use generators_common::io::FileName;

use crate::raw::{Component, Descriptor};

/// Flags of a timeslice, and their meaning.
const TIMESLICE_FLAGS: [(u32, &str); 4] = [
    (1, "flagged: microslices are missing"),
    (2, "flagged: a microslice was cut by the link"),
    (4, "flagged: components are missing"),
    (8, "flagged: sub-timeslices are missing"),
];
const COMPONENT_FLAGS: [(u32, &str); 2] =
    [(1, "with missing microslices"), (2, "with a microslice cut by the link")];
/// The checksum of the microslice is valid.
const CRC_VALID: u16 = 1;
const MICROSLICE_FLAGS: [(u16, &str); 3] =
    [(2, "cut by the link"), (4, "cut by user logic"), (8, "with a data error")];

/// Names of detectors by their system id.
const SYSTEMS: [(u8, &str); 16] = [
    (0x20, "MVD"),
    (0x30, "RICH"),
    (0x40, "TRD"),
    (0x48, "TRD2D"),
    (0x50, "MUCH"),
    (0x58, "MUST"),
    (0x60, "TOF"),
    (0x70, "ECAL"),
    (0x80, "PSD"),
    (0x81, "FSD"),
    (0x90, "BMON"),
    (0xe0, "TRB3"),
    (0xe1, "hodoscope"),
    (0xe2, "Cherenkov"),
    (0xe3, "lead glass"),
    (0xf0, "FLES patterns"),
];

/// The end of a file that is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The file.
    pub path: PathBuf,
    /// Whole timeslices of it.
    pub timeslices: u64,
    /// Offset of the timeslice that is not whole, in bytes, decompressed.
    pub byte: u64,
}

/// Parts of archives that were passed over, are missing or flagged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Files that end within a timeslice.
    pub cut: Vec<Cut>,
    others: BTreeMap<u8, u64>,
    empty: u64,
    without_start: u64,
    flagged: BTreeMap<Flagged, u64>,
    wrong_checksums: u64,
}

/// A thing with a flag, and what the flag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flagged {
    thing: &'static str,
    meaning: &'static str,
}

impl Remarks {
    pub(super) fn timeslice_flags(&mut self, flags: u32) {
        self.flags("timeslice", flags, &TIMESLICE_FLAGS);
    }

    pub(super) fn component_flags(&mut self, flags: u32) {
        self.flags("component", flags, &COMPONENT_FLAGS);
    }

    fn flags<F: Into<u32> + Copy>(
        &mut self,
        thing: &'static str,
        flags: u32,
        known: &[(F, &'static str)],
    ) {
        for &(flag, meaning) in known {
            if flags & flag.into() != 0 {
                *self.flagged.entry(Flagged { thing, meaning }).or_default() += 1;
            }
        }
    }

    pub(super) fn empty_component(&mut self) {
        self.empty += 1;
    }

    pub(super) fn without_start(&mut self) {
        self.without_start += 1;
    }

    pub(super) fn other_system(&mut self, system: u8) {
        *self.others.entry(system).or_default() += 1;
    }

    /// Checks flags and checksums of a component's microslices.
    pub(super) fn component(&mut self, component: Component<'_>) {
        for descriptor in component.descriptors() {
            self.flags("microslice", descriptor.flags.into(), &MICROSLICE_FLAGS);
            if descriptor.flags & CRC_VALID != 0 && !has_right_checksum(component, &descriptor) {
                self.wrong_checksums += 1;
            }
        }
    }

    /// Sentences about parts that are missing or damaged.
    pub fn defects(&self) -> Vec<String> {
        let cut = self.cut.iter().map(Cut::sentence);
        cut.chain(self.checksum_sentence()).collect()
    }

    fn checksum_sentence(&self) -> Option<String> {
        let count = self.wrong_checksums;
        (count > 0).then(|| format!("{} with a wrong CRC-32C", counted(count, "microslice")))
    }

    /// Sentences, in the order of a reader's interest; none if all is well.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.cut.iter().map(Cut::sentence).collect();
        for (&system, count) in &self.others {
            let components = counted(*count, "component");
            sentences.push(format!("{components} of {} passed over", name_of(system)));
        }
        if self.empty > 0 {
            sentences.push(format!("{} passed over", counted(self.empty, "empty component")));
        }
        if self.without_start > 0 {
            sentences.push(format!(
                "{} without a start: times count from 0 ns of Unix time",
                counted(self.without_start, "timeslice")
            ));
        }
        for (Flagged { thing, meaning }, &count) in &self.flagged {
            sentences.push(format!("{} {meaning}", counted(count, thing)));
        }
        sentences.extend(self.checksum_sentence());
        sentences
    }
}

impl Cut {
    fn sentence(&self) -> String {
        let were = if self.timeslices == 1 { "was" } else { "were" };
        format!(
            "{}: the file is cut: {} {were} read, the next begins at byte {}",
            FileName(&self.path),
            counted(self.timeslices, "whole timeslice"),
            self.byte
        )
    }
}

fn has_right_checksum(component: Component<'_>, descriptor: &Descriptor) -> bool {
    crc32c::crc32c(component.content(descriptor)) == descriptor.crc
}

fn name_of(system: u8) -> String {
    let known = SYSTEMS.iter().find(|(id, _)| *id == system);
    known.map_or_else(
        || format!("system {system:#04x}"),
        |(_, name)| format!("the {name} ({system:#04x})"),
    )
}
