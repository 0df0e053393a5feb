//! The records a run leaves behind, as other tools read them.

mod ceilings;
mod params;
mod point;
mod run;
mod sample;
mod self_test;
mod suite;
mod summary;

pub use ceilings::{
    Bandwidth, CEILINGS_VERSION, CeilingsRecord, Latencies, LinkBandwidth, LinkPoint, LinksAtOnce,
    SharedLink,
};
pub use params::{InvalidParams, Params};
pub use point::Point;
pub use run::{
    Adapter, CacheLevel, DIRTY, Effort, Environment, Gpu, HipGpu, Machine, PluginRecord, RunRecord,
    SCHEMA_VERSION, SMALL_NOTE, Shaders, Software,
};
pub use sample::{SampleRow, flags, retain_samples_of};
pub use self_test::{PointScatter, SELF_TEST_VERSION, SelfTest, Trial};
pub use suite::{Shard, SuitePart};
pub use summary::{Ceiling, SummaryRow, YesNo};
