//! Timeslice archives of FLESnet, CBM's data acquisition (`.tsa`): reading and writing.
//!
//! An archive is a binary archive of Boost.Serialization: no padding, no index and no number of
//! timeslices. `docs/files.md` describes the format as far as it is used here.
//!
//! | module | content |
//! |---|---|
//! | `header` | beginning of a file, and its numbers, texts and class marks |
//! | `timeslice` | one timeslice |
//! | `runs` | the files of a run, and the order of their timeslices |
//! | `remarks` | parts that were passed over, are missing or flagged |
//! | `write` | writing, as one file or as a sequence |

mod header;
mod remarks;
mod runs;
mod timeslice;
mod write;

pub use remarks::{Cut, Remarks};
pub use runs::{
    files_of_input, is_archive_name, is_raw_file, read_raw_data, timeslice_duration_ns,
};
pub use write::{ArchiveShape, write_archive};
