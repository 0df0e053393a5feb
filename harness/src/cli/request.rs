//! What a command line asks for.

use std::path::PathBuf;

use clap_complete::Shell;

use super::{
    AxisValues, CompareRequest, DecodeRequest, DevicesRequest, ExportRequest, HistoryRequest,
    ListRequest, MeasureRequest, ReconstructRequest, ReportRequest, ReproduceRequest,
    SelfTestRequest, SimulationRequest, SuiteRequest, TimeFrameRequest, VerifyRequest,
};
use crate::plugins::trial::TrialRequest;

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
        /// The shell.
        shell: Shell,
    },
}

impl Request {
    /// Keeps the file that defaults come from, for the record of what is measured.
    pub(super) fn remember_defaults(&mut self, file: Option<PathBuf>) {
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
