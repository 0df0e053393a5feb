//! The records a run leaves behind, as other tools read them.

mod params;
mod point;
mod run;
mod sample;
mod summary;

pub use params::{InvalidParams, Params};
pub use point::Point;
pub use run::{
    Bandwidth, CacheLevel, Environment, Gpu, Machine, RunRecord, SCHEMA_VERSION, Software,
};
pub use sample::SampleRow;
pub use summary::{SummaryRow, YesNo};
