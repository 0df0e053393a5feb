//! Raw pages, and the settings of finding clusters in them.

use std::sync::OnceLock;

use super::finding::Finding;
use super::reference::{self, RightOutput};
use super::truth::Simulated;
use crate::tpc_cluster_finder::quality::Truth;
use crate::tpc_decode::TimeFrame;

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
