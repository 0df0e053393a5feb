//! Raw pages, the settings of finding clusters in them, and the true clusters of simulated ones.

use std::sync::OnceLock;

use generators_tpc::PadMapping;
use generators_tpc::simulate::{Marks, TimeFrameGenerator, TimeFrameShape};
use parallel::map;

use super::finding::Finding;
use super::reference;
use super::reference::RightOutput;
use crate::tpc_cluster_finder::quality::Truth;
use crate::tpc_decode::TimeFrame;
use crate::tpc_decode::charge_map::Converter;

/// A time frame of pages with all data that is needed to find clusters.
pub struct RawFrame {
    pub(super) frame: TimeFrame,
    pub(super) finding: Finding,
    simulated: Option<Simulated>,
    truth: OnceLock<Option<Vec<Truth>>>,
    right: OnceLock<RightOutput>,
}

impl RawFrame {
    pub(super) fn new(frame: TimeFrame, finding: Finding) -> Self {
        let frame = frame.in_fragments(finding.fragment);
        RawFrame { frame, finding, simulated: None, truth: OnceLock::new(), right: OnceLock::new() }
    }

    /// This frame with the parameters of the simulation that generated it.
    pub(super) fn simulated(self, simulated: Simulated) -> Self {
        RawFrame { simulated: Some(simulated), ..self }
    }

    /// True clusters of each sector, where they are known.
    pub(super) fn truth(&self) -> Option<&[Truth]> {
        let find = || self.simulated.as_ref().map(|simulated| simulated.truth(&self.frame));
        self.truth.get_or_init(find).as_deref()
    }

    /// A frame of other pages with the settings of this one.
    pub(super) fn with_frame(&self, frame: TimeFrame) -> Self {
        RawFrame::new(frame, self.finding)
    }

    /// The pages.
    pub fn frame(&self) -> &TimeFrame {
        &self.frame
    }

    /// The expected output.
    pub(super) fn expected(&self) -> &RightOutput {
        self.right.get_or_init(|| reference::find(&self.frame, self.finding))
    }
}

/// Parameters with which a time frame was generated.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    pub(super) shape: TimeFrameShape,
    pub(super) seed: u64,
}

impl Simulated {
    /// True clusters in each sector that has pages, corrected by the gains of pads. Runs the
    /// simulation once more.
    pub(super) fn truth(&self, frame: &TimeFrame) -> Vec<Truth> {
        let mapping = PadMapping::regular();
        let generator = match TimeFrameGenerator::new(&self.shape, &mapping, self.seed) {
            Ok(generator) => generator,
            Err(problem) => unreachable!("it was generated before: {problem}"),
        };
        map(&frame.sector_numbers(), |&sector| {
            let converter = Converter::new(frame.gains(), sector, frame.format());
            let gain = |pad| converter.gain(pad);
            Truth::new(generator.digits_with_truth(sector.into(), gain, Marks::Unused).clusters)
        })
    }
}
