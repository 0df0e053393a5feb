//! Data of the STS as files.
//!
//! | ending | content |
//! |---|---|
//! | `.csv` | text: `module,side,channel,time_ns,adc`, one digi per line |
//! | `.parquet` | the same columns |
//! | `.bin` | little-endian columns behind the magic `STSDIGI1` |
//! | `.json` | the setup of an STS: `asic`, `cuts`, `landau`, `modules`; the tables of unpackers |
//! | `.tsa` | raw data as FLESnet writes them |
//!
//! Raw data are binary too, behind the magic `STSTSLC1`, and so are the digis unpacked from them
//! (`STSDIGX1`). The truth of simulated digis is written as CSV next to them.

mod digi_bin;
mod digi_csv;
mod digi_parquet;
mod digi_table;
mod digis;
mod flesnet;
mod raw;
mod rows;
mod setup_json;
mod truth;

pub use digi_table::ReadDigis;
pub use digis::{
    DigiOptions, check_writable, read_digis, read_digis_with, write_digis,
    write_digis_of_timeslices,
};
pub use flesnet::{
    ArchiveShape, Cut, Remarks, files_of_input, is_archive_name, is_raw_file, read_raw_data,
    timeslice_duration_ns, write_archive,
};
pub use raw::{
    check_raw_file, read_raw_timeslices, read_unpacked, write_raw_timeslices, write_unpacked,
};
pub use setup_json::{read_readout, read_setup, write_readout, write_setup};
pub use truth::write_truth;
