//! Requests: values of flags, and of the parts of suites, which have the same syntax.
//!
//! Fields of requests declare their flags; `cli` adds those that depend on a task or a data set.

mod axes;
mod compare;
mod devices;
mod export;
mod generate;
mod history;
mod list;
mod measure;
mod outputs;
mod points;
mod portability;
mod process;
mod report;
mod reproduce;
mod selftest;
mod settings;
mod site;
mod stream;
pub(crate) mod suggestion;
mod suite;
mod throughput;
mod trying;
pub(crate) mod values;
mod verify;
mod winners;

pub use axes::AxisValues;
pub(crate) use axes::{as_tried, typed_default};
pub use compare::{CompareRequest, DEFAULT_STORE, FailOn, Judging};
pub use devices::DevicesRequest;
pub use export::ExportRequest;
pub use generate::GenerateRequest;
pub use history::{
    BaselineRequest, ChangesRequest, HistoryAction, HistoryRequest, ListRunsRequest, PruneRequest,
    StoreFolder,
};
pub use list::ListRequest;
pub use measure::{CacheMode, DamagePolicy, MeasureRequest, MemoryPages, SessionFlags, Source};
pub use outputs::{DescriptionFormat, Formats, OutputFlags, Outputs};
pub use points::PointFlags;
pub use portability::PortabilityRequest;
pub use process::{OutputPath, OutputRequest, ProcessRequest, VariantChoice};
pub use report::{ReportFormat, ReportRequest};
pub use reproduce::ReproduceRequest;
pub use selftest::{SelfTestMode, SelfTestRequest};
pub use settings::Settings;
pub use site::SiteRequest;
pub use stream::{Spill, StreamFlags, StreamRequest, WhenFull};
pub use suite::{AgainstRequest, SuiteRequest};
pub use throughput::{DeviceSet, Processes, ThroughputFlags, ThroughputRequest};
pub(crate) use trying::{confirming, is_only_tried};
pub use values::{SampleRange, Threads};
pub use verify::{FileOptions, VerifyRequest};
pub use winners::WinnersRequest;
