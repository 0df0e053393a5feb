//! Digis of raw data, in the order in which they are unpacked.

use std::path::Path;

use generators::DataError;
use generators::io::is_raw_file;
use generators::partition::Partition;
use generators::sts::SegmentedDigis;
use generators::sts::raw::TimesliceCounts;

use crate::algorithm::Algorithm;
use crate::axis::Params;
use crate::sts_sort::StsSort;
use crate::sts_unpack::{RawTimeslices, StsUnpack, unpack};

/// A segment for each timeslice.
pub(super) fn unpacked(raw: &RawTimeslices) -> SegmentedDigis {
    let unpacked = unpack(raw.data(), raw.readout(), raw.rules());
    let lengths = unpacked.timeslices.iter().map(TimesliceCounts::digis);
    let partition = Partition::from_lengths(lengths);
    SegmentedDigis::new(unpacked.digis, partition)
}

/// Reads raw data, which are unpacked, or digis, whose segments are timeslices then.
pub(super) fn read(path: &Path, options: &Params) -> Result<(SegmentedDigis, Params), DataError> {
    if !is_raw_file(path)? {
        return StsSort.read(path, options);
    }
    let (raw, params) = StsUnpack.read(path, options)?;
    Ok((unpacked(&raw), params))
}
