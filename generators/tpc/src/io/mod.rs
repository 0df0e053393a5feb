//! Data of the TPC as files.
//!
//! | ending | content |
//! |---|---|
//! | `.pages` | raw pages; `.index.csv` next to it lists their streams, `.labels` the particles of their samples |
//! | `.raw`, `.tf`, `.dump` | pages as ALICE has them |
//! | `.csv` | slice tracks as text |
//! | `.bin` | slice tracks behind the magic `TPCTRKS1`, clusters in pieces behind `TPCCLUS1` |
//! | `.cases` | charges of sectors, with labels and results |

mod charges;
mod clusters;
mod labels;
mod mapping;
mod pages;
mod raw;
mod slice_tracks;

pub use charges::{check_charge_file, read_charges, write_charges};
pub use clusters::{check_cluster_file, read_clusters, write_clusters};
pub use labels::{LabelWriter, SectorLabels, labels_of, read_labels, write_labels};
pub use mapping::read_pad_mapping;
pub use pages::{PageSelection, PageWriter, index_of, read_raw_pages, write_raw_pages};
pub use raw::{PageRemarks, headers_alone, is_tpc_file, read_tpc_file};
pub use slice_tracks::{check_slice_track_file, read_slice_tracks, write_slice_tracks};
