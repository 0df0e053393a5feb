//! Data sets as files.
//!
//! | ending | content |
//! |---|---|
//! | `.csv` | text: `module,side,channel,time_ns,adc`, one digi per line |
//! | `.parquet` | the same columns |
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
mod digi_bin;
mod digi_csv;
mod digi_parquet;
mod digi_table;
mod digis;
mod file;
mod flesnet;
mod rows;
mod selection;
mod setup_json;
mod slice_tracks;
mod source;
mod standard_input;
mod sts_raw;
mod sts_truth;
mod table;
mod tpc_charges;
mod tpc_labels;
mod tpc_mapping;
mod tpc_pages;
mod tpc_raw;
mod zstd_frames;

pub use self::file::{name_bytes, next_to, sibling_path, stem};
pub use clusters::{check_cluster_file, read_clusters, write_clusters};
pub(crate) use content_limit::ContentTooLarge;
pub use content_limit::with_content_limit;
pub use digi_table::ReadDigis;
pub use digis::{
    DigiOptions, check_writable, read_digis, read_digis_with, write_digis,
    write_digis_of_timeslices,
};
pub use flesnet::{
    ArchiveShape, Cut, Remarks, files_of_input, is_archive_name, is_raw_file, read_raw_data,
    timeslice_duration_ns, write_archive,
};
pub use selection::Selection;
pub use setup_json::{read_readout, read_setup, write_readout, write_setup};
pub use slice_tracks::{check_slice_track_file, read_slice_tracks, write_slice_tracks};
pub use standard_input::{FileName, is_standard_input};
pub use sts_raw::{
    check_raw_file, read_raw_timeslices, read_unpacked, write_raw_timeslices, write_unpacked,
};
pub use sts_truth::write_truth;
pub use table::{Table, Values, check_table_file, write_table};
pub use tpc_charges::{check_charge_file, read_charges, write_charges};
pub use tpc_labels::{LabelWriter, SectorLabels, labels_of, read_labels, write_labels};
pub use tpc_mapping::read_pad_mapping;
pub use tpc_pages::{PageSelection, PageWriter, index_of, read_raw_pages, write_raw_pages};
pub use tpc_raw::{PageRemarks, headers_alone, is_tpc_file, read_tpc_file};

use std::path::Path;

use crate::DataError;

/// True if a file is read piece by piece, and only what is of use is kept: raw data, and pages.
///
/// # Errors
/// If the file can't be opened or read.
pub fn is_pieces_file(path: &Path) -> Result<bool, DataError> {
    Ok(is_raw_file(path)? || is_tpc_file(path)?)
}
