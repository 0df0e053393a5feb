//! The records of a run, as other tools read them.

mod ceilings;
mod identity;
mod point;
mod quantities;
mod rows;
mod run;
mod self_test;
mod suite;

pub use ceilings::{
    Bandwidth, CEILINGS_VERSION, CeilingsRecord, Latencies, LinkBandwidth, LinkPoint, LinksAtOnce,
    SharedLink,
};
pub use identity::Code;
pub(crate) use point::Identified;
pub use point::{InvalidParams, Params, Point};
pub use quantities::{About, AxisKind, AxisRecord, Better, Declared, MetricRecord, Quantities};
pub use rows::{
    Ceiling, FULL_LEVEL, INTERVAL_LEVEL, SampleRow, SummaryRow, YesNo, flags, retain_samples_of,
};
pub use run::{
    Adapter, CacheLevel, DIRTY, Effort, Environment, Gpu, HipGpu, Machine, PluginRecord, RunRecord,
    SCHEMA_VERSION, SMALL_NOTE, Shaders, Software,
};
pub use self_test::{PointScatter, SELF_TEST_VERSION, SelfTest, Trial};
pub use suite::{InputRecord, Shard, SuitePart};
