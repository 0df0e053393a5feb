//! True clusters of simulated time frames.

use generators::tpc::PadMapping;
use generators::tpc::simulate::{Marks, TimeFrameGenerator, TimeFrameShape};

use crate::parallel::map;
use crate::tpc_cluster_finder::quality::Truth;
use crate::tpc_decode::TimeFrame;
use crate::tpc_decode::charge_map::Converter;

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
