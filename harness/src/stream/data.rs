//! Prepared timeslices with their reference results.

use generators_common::DataError;
use tasks::algorithm::{InputFiles, Semantics};
use tasks::axis::Params;
use tasks::open_loop::{FrameSums, Frames, OpenLoop, RelativeRate};

use super::protocol::ResultDigest;
use super::schedule::PreparedCounts;

/// Ratio of prepared timeslices of spills to those of pauses, which differ less.
const SPILLS_FOR_PAUSE: usize = 4;

/// Timeslices of one detector.
pub(super) struct Data {
    /// Timeslices of spills, then those of pauses.
    pub(super) frames: Box<dyn Frames>,
    pub(super) prepared: PreparedCounts,
    /// Detector time per timeslice, in ns.
    pub(super) timeslice_ns: u64,
}

/// Variation of timeslices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variation {
    /// Number of prepared timeslices.
    pub(super) ring: usize,
    /// Standard deviation of the interaction rate relative to its mean.
    pub(super) jitter: f64,
    /// True if there are pauses without interactions.
    pub(super) has_pauses: bool,
    pub(super) seed: u64,
}

/// Size of a prepared timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Number of items, such as digis.
    pub(super) items: u64,
    /// Bytes of the input.
    pub(super) bytes: u64,
}

/// Properties of the prepared timeslices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content<'a> {
    pub(super) sizes: &'a [Size],
    pub(super) expected: &'a [ResultDigest],
}

impl Data {
    /// Generates timeslices, each with its own seed.
    pub(super) fn simulated(
        task: &dyn OpenLoop,
        params: &Params,
        variation: &Variation,
    ) -> Result<Self, DataError> {
        let plan = task.frame(params)?;
        let pauses =
            if variation.has_pauses { variation.ring.div_ceil(SPILLS_FOR_PAUSE) } else { 0 };
        let mut rates = rates(variation.jitter, variation.ring);
        rates.extend(std::iter::repeat_n(Some(0.0), pauses));
        Ok(Data {
            frames: task.generate_frames(&plan, &rates, variation.seed)?,
            prepared: PreparedCounts { of_spills: variation.ring, of_pauses: pauses },
            timeslice_ns: plan.frame_ns,
        })
    }

    /// Reads all timeslices of a file.
    pub(super) fn read(
        task: &dyn OpenLoop,
        files: &InputFiles,
        options: &Params,
        timeslice_ns: u64,
    ) -> Result<Self, DataError> {
        let frames = task.read_frames(files, options)?;
        let prepared = PreparedCounts { of_spills: frames.works().len(), of_pauses: 0 };
        Ok(Data { frames, prepared, timeslice_ns })
    }

    /// Size of each timeslice, and the unit of its items.
    pub(super) fn sizes(&self) -> (Vec<Size>, &'static str) {
        let works = self.frames.works();
        let unit = works.first().map_or("", |work| work.item_unit);
        let size = works.iter().map(|work| Size { items: work.items, bytes: work.input_bytes });
        (size.collect(), unit)
    }

    /// Reference result of each timeslice for the task and, if there are parameters, for the stage
    /// after it.
    ///
    /// # Errors
    /// If the stage can't process these timeslices.
    pub(super) fn expected(
        &self,
        semantics: Semantics,
        stage: Option<&Params>,
    ) -> Result<Vec<FrameSums>, DataError> {
        self.frames.expected(semantics, stage)
    }
}

/// Relative interaction rates with a mean of 1 and this standard deviation, evenly spaced; `None`
/// if all timeslices use the rate of the preset.
fn rates(jitter: f64, count: usize) -> Vec<RelativeRate> {
    let spread = 3_f64.sqrt() * jitter;
    let rate = |number: usize| {
        let position = 2.0 * (number as f64 + 0.5) / count as f64 - 1.0;
        (jitter > 0.0).then_some(1.0 + spread * position)
    };
    (0..count).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use tasks::algorithm::Segments;

    use super::*;
    use crate::registry::open_loop_task;

    fn sts() -> &'static dyn OpenLoop {
        open_loop_task("sts").expect("known")
    }

    fn params(given: &[(&'static str, &str)]) -> Params {
        sts().plan(given.iter().copied().collect()).expect("sensible").params
    }

    fn variation(ring: usize) -> Variation {
        Variation { ring, jitter: 0.0, has_pauses: false, seed: 1 }
    }

    #[test]
    fn timeslices_are_as_long_as_those_of_the_preset_and_differ() {
        // The preset would yield two timeslices of 1.25 ms each.
        let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
        let data = Data::simulated(sts(), &params, &variation(3)).expect("made");
        let arrays = data.frames.arrays();
        assert_eq!((arrays.len(), data.timeslice_ns), (3, 1_250_000));
        assert_ne!(arrays[0], arrays[1]);
        let (sizes, unit) = data.sizes();
        assert_eq!(sizes[0].bytes, arrays[0][0].len() as u64);
        assert_eq!((sizes[0].bytes, unit), (8 * sizes[0].items, "digi"));
    }

    #[test]
    fn the_rate_varies_and_pauses_have_noise_only() {
        let params = params(&[("preset", "cbm-auau"), ("scale", "0.002")]);
        let variation = Variation { jitter: 0.5, has_pauses: true, ..variation(4) };
        let data = Data::simulated(sts(), &params, &variation).expect("made");
        assert_eq!(data.prepared, PreparedCounts { of_spills: 4, of_pauses: 1 });
        let digis: Vec<u64> = data.sizes().0.iter().map(|size| size.items).collect();
        // At low rates the number of collisions fluctuates, too.
        assert!(2 * digis[0] < digis[3], "{digis:?}");
        assert!(4 * digis[4] < digis[0], "{digis:?}");
    }

    #[test]
    fn rates_have_the_mean_and_the_deviation_that_were_asked_for() {
        let all: Vec<f64> = rates(0.3, 1000).into_iter().flatten().collect();
        let mean = all.iter().sum::<f64>() / 1000.0;
        let variance = all.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 1e-9 && (variance.sqrt() - 0.3).abs() < 1e-4);
        assert_eq!(rates(0.0, 2), [None, None]);
    }

    #[test]
    fn all_variants_match_the_reference() {
        let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
        let data = Data::simulated(sts(), &params, &variation(1)).expect("made");
        let expected = data.expected(Semantics::Exact, None).expect("few");
        let found = ResultDigest::from(expected[0].digest(Segments::ALL));
        assert!(found.counts[0] > 0 && found.sum != 0);
        assert_eq!((expected.len(), found.stage), (1, None));
    }
}
