//! Data of the Silicon Tracking System: digis and its setup; raw data, their tables, and digis that
//! were unpacked from them.

use std::path::Path;
use std::sync::OnceLock;

use algorithms_sts::sts_unpack::{RawTimeslices, StsUnpack};
use generators_common::DataError;
use generators_common::io::Selection;
use generators_sts::io::{
    ArchiveShape, read_digis, read_raw_data, read_raw_timeslices, read_readout, read_setup,
    read_unpacked, write_archive, write_digis, write_raw_timeslices, write_readout, write_setup,
    write_unpacked,
};
use generators_sts::raw::{Cabling, Descriptor, RawData, RawTimeslice, Readout, Rules, block_of};
use tasks::algorithm::{Algorithm, Variant};
use tasks::device::{Backend, Target, Team};

use crate::scratch::{Scratch, comes_back};

/// Messages that are unpacked of one input: descriptors may share them.
const MAX_MESSAGES: u64 = 1 << 16;

pub(crate) fn csv(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.csv", input, read_digis, write_digis)
}

pub(crate) fn bin(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.bin", input, read_digis, write_digis)
}

pub(crate) fn parquet(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.parquet", input, read_digis, write_digis)
}

/// Reads any compressed data.
pub(crate) fn gz(scratch: &Scratch, input: &[u8]) -> bool {
    let read = |name| comes_back(scratch, name, input, read_digis, write_digis);
    read("digis.csv.gz") | read("digis.bin.gz")
}

pub(crate) fn setup(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "setup.json", input, read_setup, write_setup)
}

pub(crate) fn timeslices(scratch: &Scratch, input: &[u8]) -> bool {
    let write = |path: &_, data: &_| write_raw_timeslices(path, data);
    comes_back(scratch, "raw.bin", input, read_raw_timeslices, write)
}

/// Timeslice archives. What is written has no flags, and no components that were passed over, so
/// only the data come back.
pub(crate) fn archives(scratch: &Scratch, input: &[u8]) -> bool {
    let read = |path: &Path| {
        let (data, _) = read_raw_data(&[path.to_owned()], &Selection::default())?;
        Ok::<_, DataError>(data)
    };
    let write = |path: &_, data: &_| write_archive(path, data, ArchiveShape::default());
    comes_back(scratch, "raw.tsa", input, read, write)
}

pub(crate) fn tables(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "tables.json", input, read_readout, write_readout)
}

pub(crate) fn unpacked(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.bin", input, read_unpacked, |path, (unpacked, rules)| {
        write_unpacked(path, unpacked, *rules)
    })
}

/// A microslice of any messages, whose index is the first eight bytes; another one of the same
/// messages is of a known board in any case. All variants must give the same result.
pub(crate) fn messages(_: &Scratch, input: &[u8]) -> bool {
    let Some((index, content)) = input.split_first_chunk() else {
        return false;
    };
    let descriptor = Descriptor::of_sts(BOARD, u64::from_le_bytes(*index));
    let mut data = RawData::default();
    data.push_timeslice(RawTimeslice { start_ns: START_NS, ..RawTimeslice::default() });
    let microslices = [(descriptor, content), (Descriptor::of_sts(BOARD, START_NS), content)];
    let (count, block) = block_of(microslices.into_iter());
    if data.push_component(count, &block).is_err() || data.messages() > MAX_MESSAGES {
        return false;
    }
    let mut found_digis = false;
    for rules in Rules::ALL {
        let input = RawTimeslices::new(data.clone(), readout().clone(), rules);
        for variant in hosts() {
            let made = variant.checked_output(&StsUnpack, &input, &Target::host(team()), None);
            let made = made.unwrap_or_else(|problem| panic!("{}: {problem}", variant.name));
            found_digis |= !made.digis.is_empty();
        }
    }
    found_digis
}

const BOARD: u16 = 0x1000;
const START_NS: u64 = 1_700_000_000_000_000_000;

fn hosts() -> impl Iterator<Item = Variant<StsUnpack>> {
    let variants = StsUnpack.variants().into_iter();
    variants.filter(|variant| variant.backend == Backend::Cpu)
}

fn readout() -> &'static Readout {
    static READOUT: OnceLock<Readout> = OnceLock::new();
    READOUT.get_or_init(|| {
        let cabling = Cabling { time_offset_ns: -970, ..Cabling::regular(3) };
        cabling.readout(Vec::new()).expect("sensible")
    })
}

fn team() -> &'static Team {
    static TEAM: OnceLock<Team> = OnceLock::new();
    TEAM.get_or_init(|| Team::new(1).expect("a thread"))
}
