//! Requests: values of flags, and of the parts of suites, which have the same syntax.
//!
//! Fields of requests declare their flags; `cli` adds those that depend on a task or a data set.

mod axes;
mod energy;
mod history;
mod machines;
mod measure;
mod mixed;
mod outputs;
mod pareto;
mod plan;
mod settings;
mod simulate;
mod stored_runs;
mod stream;
mod studies;
mod submission;
mod suite;
mod throughput;
mod untimed;
pub(crate) mod values;

/// Environment variable with the file of defaults of flags; empty for none.
pub(crate) const CONFIG_VARIABLE: &str = "RECOBENCH_CONFIG";

pub use axes::AxisValues;
pub(crate) use axes::{as_tried, typed_default};
pub use energy::EnergyFlags;
pub use history::{
    BaselineRequest, ChangesRequest, HistoryAction, HistoryRequest, ListRunsRequest, StoreFolder,
};
pub use machines::MachinesRequest;
pub use measure::{CacheMode, DamagePolicy, MeasureRequest, MemoryPages, SessionFlags, Source};
pub use mixed::{Background, MixedRequest};
pub use outputs::{
    AnyResults, Descriptions, FormatSet, OutputFlags, Outputs, Results, SelfTests, Verdicts,
};
pub use pareto::{ParetoFlags, ParetoRequest};
pub use plan::PlanRequest;
pub use settings::Settings;
pub(crate) use settings::{confirming, is_only_tried};
pub use simulate::{NodeFailures, SimulateRequest};
pub use stored_runs::{
    CompareRequest, DEFAULT_STORE, ExportRequest, FailOn, PointFlags, ReportFormat, ReportRequest,
    SiteRequest, TraceRequest, WinnersRequest,
};
pub use stream::{Spill, StreamFlags, StreamRequest, WhenFull};
pub use studies::{PortabilityRequest, ReproduceRequest, SelfTestMode, SelfTestRequest};
pub use submission::{CheckRequest, PackRequest, SubmissionAction, SubmissionRequest};
pub use suite::{AgainstRequest, SuiteRequest};
pub use throughput::{DeviceSet, Processes, ROTATION, ThroughputFlags, ThroughputRequest};
pub use untimed::{
    DevicesRequest, FileOptions, GenerateRequest, ListRequest, OutputPath, OutputRequest,
    ProcessRequest, VerifyRequest,
};
pub use values::{SampleRange, Threads};
