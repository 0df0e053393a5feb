//! Data sets as files.
//!
//! | ending | content |
//! |---|---|
//! | `.csv` | text: `module,side,channel,time_ns,adc`, one digi per line |
//! | `.bin` | little-endian columns behind the magic `STSDIGI1` |
//! | `.json` | the setup of an STS: `asic`, `cuts`, `landau`, `modules` |
//! | `.pages` | raw pages of the TPC; `.index.csv` next to it lists their streams, `.labels` the particles of their samples |
//!
//! Slice tracks are text or columns too, by the same endings, behind the magic `TPCTRKS1`. Clusters
//! in pieces are binary only, behind the magic `TPCCLUS1`; so are raw data of the STS (`STSTSLC1`)
//! and the digis unpacked from them (`STSDIGX1`). The tables of unpackers are JSON. The truth of
//! simulated digis is written as CSV next to them.
//!
//! Any of them may be compressed by gzip, zstd, LZ4 or xz, whatever its name is. Files are written
//! by gzip if their name ends in `.gz`.

mod clusters;
mod compressed;
mod content_limit;
mod counted;
mod csv_rows;
mod digi_bin;
mod digi_csv;
mod fields;
mod file;
mod flesnet;
mod names;
mod selection;
mod setup_json;
mod slice_tracks;
mod source;
mod sts_raw;
mod sts_truth;
mod tpc_charges;
mod tpc_labels;
mod tpc_mapping;
mod tpc_pages;
mod tpc_raw;
mod zstd_frames;

use std::path::Path;

pub use clusters::{check_cluster_file, read_clusters, write_clusters};
pub(crate) use content_limit::ContentTooLarge;
pub use content_limit::with_content_limit;
pub use flesnet::{
    ArchiveShape, Cut, Remarks, files_of_input, is_archive_name, is_raw_file, read_raw_data,
    timeslice_duration_ns, write_archive,
};
pub use names::{name_bytes, next_to, sibling_path, stem};
pub use selection::Selection;
pub use setup_json::{read_readout, read_setup, write_readout, write_setup};
pub use slice_tracks::{check_slice_track_file, read_slice_tracks, write_slice_tracks};
pub use sts_raw::{
    check_raw_file, read_raw_timeslices, read_unpacked, write_raw_timeslices, write_unpacked,
};
pub use sts_truth::write_truth;
pub use tpc_charges::{check_charge_file, read_charges, write_charges};
pub use tpc_labels::{LabelWriter, SectorLabels, labels_of, read_labels, write_labels};
pub use tpc_mapping::read_pad_mapping;
pub use tpc_pages::{PageSelection, PageWriter, index_of, read_raw_pages, write_raw_pages};
pub use tpc_raw::{PageRemarks, headers_alone, is_tpc_file, read_tpc_file};

use crate::DataError;
use crate::sts::SegmentedDigis;
use crate::sts::setup::Setup;
use fields::Limits;
use file::{Format, create, finish, format_of, open};

/// True if a file is read piece by piece, and only what is of use is kept: raw data, and pages.
///
/// # Errors
/// If the file can't be opened or read.
pub fn is_pieces_file(path: &Path) -> Result<bool, DataError> {
    Ok(is_raw_file(path)? || is_tpc_file(path)?)
}

/// Reads the digis of a timeslice.
///
/// # Errors
/// If the file can't be read, or is not what its ending says: the error names
/// the line or the offset.
pub fn read_digis(path: &Path) -> Result<SegmentedDigis, DataError> {
    read_within(path, Limits::OF_DIGIS)
}

/// Reads the digis of a timeslice of a detector: digis of modules that it does not have and charges
/// above its range are refused too.
///
/// # Errors
/// Those of [`read_digis`], and digis that do not fit the detector.
pub fn read_digis_of(path: &Path, setup: &Setup) -> Result<SegmentedDigis, DataError> {
    read_within(path, Limits::for_setup(setup))
}

fn read_within(path: &Path, limits: Limits) -> Result<SegmentedDigis, DataError> {
    let format = format_of(path)?;
    let mut source = open(path)?;
    let digis = match format {
        Format::Csv => digi_csv::read(path, &mut source, limits),
        Format::Bin => digi_bin::read(path, &mut source, limits),
    }?;
    if digis.digis().is_empty() {
        return Err(DataError::format(path, "at its end", "it holds no digis"));
    }
    Ok(digis)
}

/// Checks that `segments` segments can be written to a file of this name; call it before they are
/// generated.
///
/// # Errors
/// If the ending is unknown, or the format can't hold the segments.
pub fn check_writable(path: &Path, segments: usize) -> Result<(), DataError> {
    match format_of(path)? {
        Format::Csv => Ok(()),
        Format::Bin => digi_bin::check_segments(segments),
    }
}

/// Writes the digis of a timeslice in the format of the file's ending.
///
/// # Errors
/// If the file can't be written (it is then incomplete), or if the format
/// can't hold the digis: binary files need an even number of segments.
pub fn write_digis(path: &Path, digis: &SegmentedDigis) -> Result<(), DataError> {
    let format = format_of(path)?;
    check_writable(path, digis.partition().segments())?;
    let mut sink = create(path)?;
    let written = match format {
        Format::Csv => digi_csv::write(&mut sink, digis),
        Format::Bin => digi_bin::write(&mut sink, digis),
    };
    written.and_then(|()| finish(sink)).map_err(|source| DataError::io(path, source))
}
