//! Files of data sets.
//!
//! Any of them may be compressed by gzip, zstd, LZ4 or xz, whatever its name is. Files are written
//! by gzip if their name ends in `.gz`.

pub mod archive;
mod compressed;
pub mod content_limit;
pub mod file;
pub mod rows;
mod selection;
pub mod source;
pub mod standard_input;
mod table;
mod zstd_frames;

pub use content_limit::with_content_limit;
pub use file::{name_bytes, next_to, sibling_path, stem};
pub use selection::Selection;
pub use standard_input::{FileName, is_standard_input};
pub use table::{Table, Values, check_table_file, write_table};
pub use zstd_frames::zstd_frame;
