//! What is asked for: of a command, and of a suite's parts, which are written alike.

mod axes;
mod compare;
mod devices;
mod export;
mod generate;
mod history;
mod list;
mod measure;
mod outputs;
mod report;
mod reproduce;
mod selftest;
pub(crate) mod suggestion;
mod suite;
pub(crate) mod values;
mod verify;

use std::path::PathBuf;

use crate::plugins::trial::TrialRequest;

pub use axes::AxisValues;
pub(crate) use axes::typed_default;
pub use compare::{CompareRequest, DEFAULT_STORE, FailOn};
pub use devices::{DevicesFormat, DevicesRequest};
pub use export::ExportRequest;
pub use generate::{SimulationRequest, TimeFrameRequest, TruthFiles};
pub use history::{ChangesRequest, HistoryAction, HistoryRequest};
pub use list::{ListFormat, ListRequest, Listed};
pub use measure::{
    CacheMode, DamagePolicy, DecodeRequest, MeasureRequest, ReconstructRequest, Source,
};
pub use outputs::Outputs;
pub use report::{ReportFormat, ReportRequest};
pub use reproduce::ReproduceRequest;
pub use selftest::{SelfTestRequest, Ways};
pub use suite::{AgainstRequest, SuiteRequest};
pub use values::SampleRange;
pub use verify::VerifyRequest;

/// What is to be done.
pub enum Request {
    /// `bench list`
    List(ListRequest),
    /// `bench devices`
    Devices(DevicesRequest),
    /// `bench sort` and the like
    Measure(Box<MeasureRequest>),
    /// `bench decode --digits` and `--strict`
    Decode(Box<DecodeRequest>),
    /// `bench sts --clusters` and `--hits`
    Reconstruct(Box<ReconstructRequest>),
    /// `bench run`
    RunSuite(Box<SuiteRequest>),
    /// `bench compare`
    Compare(Box<CompareRequest>),
    /// `bench selftest`
    SelfTest(Box<SelfTestRequest>),
    /// `bench verify`
    Verify(Box<VerifyRequest>),
    /// `bench generate sts`
    Generate {
        /// The axes with a value each.
        axes: AxisValues,
        /// The seed.
        seed: u64,
        /// The file.
        out: PathBuf,
    },
    /// `bench generate sts-physics`
    GenerateSimulated(Box<SimulationRequest>),
    /// `bench generate tpc`
    GenerateTimeFrame(Box<TimeFrameRequest>),
    /// `bench generate tracks`
    GenerateTracks {
        /// The axes with a value each.
        axes: AxisValues,
        /// The seed.
        seed: u64,
        /// The file.
        out: PathBuf,
    },
    /// `bench generate clusters`
    GenerateClusters {
        /// The axes with a value each.
        axes: AxisValues,
        /// The seed.
        seed: u64,
        /// The file.
        out: PathBuf,
    },
    /// `bench history`
    History(HistoryRequest),
    /// `bench report`
    Report(ReportRequest),
    /// `bench reproduce`
    Reproduce(Box<ReproduceRequest>),
    /// `bench export`
    Export(ExportRequest),
    /// The process that takes samples for another one.
    Serve {
        /// Shared libraries with more variants.
        plugins: Vec<PathBuf>,
    },
    /// The process that tries a plugin.
    TryPlugin(TrialRequest),
    /// `bench completions`
    Completions {
        /// The script, for the shell that was named.
        script: String,
    },
}

impl Request {
    /// Keeps the file that defaults come from, for the record of what is measured.
    pub(crate) fn remember_defaults(&mut self, file: Option<PathBuf>) {
        match self {
            Request::Measure(request) => request.config = file,
            Request::Decode(request) => request.measuring.config = file,
            Request::Reconstruct(request) => request.measuring.config = file,
            Request::RunSuite(request) => request.config = file,
            Request::Reproduce(request) => request.config = file,
            _ => {}
        }
    }
}
