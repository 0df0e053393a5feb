//! The records of a run, as other tools read them.

mod ceilings;
mod identity;
mod inputs;
mod params;
mod point;
mod quantities;
mod run;
mod sample;
mod self_test;
mod suite;
mod summary;

pub use ceilings::{
    Bandwidth, CEILINGS_VERSION, CeilingsRecord, Latencies, LinkBandwidth, LinkPoint, LinksAtOnce,
    SharedLink,
};
pub use inputs::InputRecord;
pub use params::{InvalidParams, Params};
pub use point::Point;
pub use quantities::{About, AxisKind, AxisRecord, Better, Declared, MetricRecord, Quantities};
pub use run::{
    Adapter, CacheLevel, DIRTY, Effort, Environment, Gpu, HipGpu, Machine, PluginRecord, RunRecord,
    SCHEMA_VERSION, SMALL_NOTE, Shaders, Software,
};
pub use sample::{SampleRow, flags, retain_samples_of};
pub use self_test::{PointScatter, SELF_TEST_VERSION, SelfTest, Trial};
pub use suite::{Shard, SuitePart};
pub use summary::{Ceiling, FULL_LEVEL, INTERVAL_LEVEL, SummaryRow, YesNo};
