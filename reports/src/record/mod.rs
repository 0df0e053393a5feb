//! The records of a run, as other tools read them.

mod energy;
mod identity;
mod machine_records;
mod planned;
mod point;
mod quality;
mod quantities;
mod rows;
mod run;
mod sampled;
mod suite;

pub use energy::{EnergyRecord, IdleRecord, PowerCap, PowerCommandRecord};
pub use identity::Code;
pub use machine_records::{
    Bandwidth, CEILINGS_VERSION, CeilingsRecord, Latencies, LinkBandwidth, LinkPoint, LinksAtOnce,
    PointScatter, SELF_TEST_VERSION, SelfTest, SharedLink, Trial,
};
pub use planned::PlannedVariant;
pub(crate) use point::Identified;
pub use point::{InvalidParams, Params, Point};
pub use quality::{FigureKind, InvalidPart, Parts, QualityRow};
pub use quantities::{About, AxisKind, AxisRecord, Better, Declared, MetricRecord, Quantities};
pub use rows::{
    Ceiling, FAILED, FULL_LEVEL, INTERVAL_LEVEL, J_PER_ITEM, SampleRow, SummaryRow, WRONG, YesNo,
    flags, retain_samples_of,
};
pub use run::{
    Adapter, CacheLevel, DIRTY, Effort, Environment, Gpu, HipGpu, Machine, PluginRecord, RunRecord,
    SCHEMA_VERSION, SMALL_NOTE, Shaders, Software,
};
pub use sampled::SampleStatistics;
pub use suite::{InputRecord, Shard, SuitePart};
