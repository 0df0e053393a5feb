//! Prepared timeslices with their reference results.

use algorithms_sts::sts::task::{STS, Timeslices};
use algorithms_sts::sts::{Timeslice, segment_sums_of};
use algorithms_sts::sts_events::{EventRules, event_sums, right_events};
use algorithms_sts::sts_scenario;
use generators_common::DataError;
use generators_sts::physics::Scenario;
use tasks::algorithm::{Algorithm, InputFiles, Semantics};
use tasks::axis::Params;

use super::protocol::{Expected, ResultDigest};
use super::schedule::PreparedCounts;

/// Ratio of prepared timeslices of spills to those of pauses, which differ less.
const SPILLS_FOR_PAUSE: usize = 4;

/// Timeslices of one detector.
pub(super) struct Data {
    /// Timeslices of spills, then those of pauses.
    pub(super) timeslices: Vec<Timeslices>,
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
    pub(super) digis: u64,
    /// Bytes of the input: digis or raw data.
    pub(super) bytes: u64,
}

/// Properties of the prepared timeslices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content<'a> {
    pub(super) sizes: &'a [Size],
    pub(super) expected: &'a [ResultDigest],
}

impl Data {
    /// Simulates timeslices of a scenario, each with its own seed.
    pub(super) fn simulated(params: &Params, variation: &Variation) -> Result<Self, DataError> {
        let (single, scenario) = single(params)?;
        let pauses =
            if variation.has_pauses { variation.ring.div_ceil(SPILLS_FOR_PAUSE) } else { 0 };
        let rates = rates(scenario.rate_hz, variation.jitter, variation.ring);
        let rates = rates.into_iter().chain(std::iter::repeat_n(Some(0.0), pauses));
        let timeslice = |(number, rate): (usize, Option<f64>)| {
            let mut params = single.clone();
            if let Some(rate) = rate {
                params.set(sts_scenario::RATE.axis().name, rate.to_string());
            }
            STS.generate(&params, variation.seed.wrapping_add(number as u64))
        };
        Ok(Data {
            timeslices: rates.enumerate().map(timeslice).collect::<Result<_, _>>()?,
            prepared: PreparedCounts { of_spills: variation.ring, of_pauses: pauses },
            timeslice_ns: scenario.timeslice_ns,
        })
    }

    /// Reads all timeslices of a file.
    pub(super) fn read(
        files: &InputFiles,
        options: &Params,
        timeslice_ns: u64,
    ) -> Result<Self, DataError> {
        let (all, _) = STS.read(files, options)?;
        let timeslices: Vec<_> = all.0.into_iter().map(|it| Timeslices(vec![it])).collect();
        let prepared = PreparedCounts { of_spills: timeslices.len(), of_pauses: 0 };
        Ok(Data { timeslices, prepared, timeslice_ns })
    }

    /// References to all timeslices.
    pub(super) fn each(&self) -> Vec<&Timeslice> {
        self.timeslices.iter().flat_map(|timeslices| &timeslices.0).collect()
    }

    /// Size of each timeslice.
    pub(super) fn sizes(&self) -> Vec<Size> {
        let size = |timeslices: &Timeslices| {
            let work = STS.work(timeslices);
            Size { digis: work.items, bytes: work.input_bytes }
        };
        self.timeslices.iter().map(size).collect()
    }

    /// Reference result of each timeslice for the chain and, if there are rules, for events.
    ///
    /// # Errors
    /// If the rules put a digi into more events than can be counted.
    pub(super) fn expected(
        &self,
        semantics: Semantics,
        rules: Option<EventRules>,
    ) -> Result<Vec<Expected>, DataError> {
        let expected = |timeslices: &Timeslices| {
            let right =
                STS.reference(timeslices, semantics).expect("the chain always has a reference");
            let events = rules.map(|rules| right_events(&timeslices.0[0], rules)).transpose()?;
            let events = events.as_ref().map(event_sums);
            Ok(Expected { chain: segment_sums_of(&right), events })
        };
        self.timeslices.iter().map(expected).collect()
    }
}

/// Scenario of complete parameters, of digis or of raw data.
pub(super) fn scenario(params: &Params) -> Result<Scenario, DataError> {
    let mut params = params.clone();
    params.complete(&[sts_scenario::ORDER.axis()]);
    sts_scenario::scenario(&params)
}

/// Parameters for one of the timeslices that complete parameters specify, and its scenario.
fn single(params: &Params) -> Result<(Params, Scenario), DataError> {
    let scale = sts_scenario::SCALE.value(params)? / f64::from(scenario(params)?.timeslices);
    let mut single = params.clone();
    single.set(sts_scenario::SCALE.axis().name, scale.to_string());
    let scenario = scenario(&single)?;
    Ok((single, scenario))
}

/// Interaction rates with this mean and standard deviation, evenly spaced; `None` if all timeslices
/// use the rate of the preset.
fn rates(mean_hz: f64, jitter: f64, count: usize) -> Vec<Option<f64>> {
    let spread = 3_f64.sqrt() * jitter;
    let rate = |number: usize| {
        let position = 2.0 * (number as f64 + 0.5) / count as f64 - 1.0;
        (jitter > 0.0).then_some(mean_hz * (1.0 + spread * position))
    };
    (0..count).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use tasks::algorithm::Segments;

    use super::*;

    fn params(given: &[(&'static str, &str)]) -> Params {
        STS.plan(given.iter().copied().collect()).expect("sensible").params
    }

    fn variation(ring: usize) -> Variation {
        Variation { ring, jitter: 0.0, has_pauses: false, seed: 1 }
    }

    #[test]
    fn timeslices_are_as_long_as_those_of_the_preset_and_differ() {
        // The preset would yield two timeslices of 1.25 ms each.
        let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
        let data = Data::simulated(&params, &variation(3)).expect("made");
        assert_eq!((data.timeslices.len(), data.timeslice_ns), (3, 1_250_000));
        assert!(data.timeslices.iter().all(|timeslices| timeslices.0.len() == 1));
        let each = data.each();
        assert_ne!(each[0].stream(), each[1].stream());
        let sizes = data.sizes();
        assert_eq!(sizes[0].digis, each[0].stream().len() as u64);
        assert_eq!(sizes[0].bytes, 8 * sizes[0].digis);
    }

    #[test]
    fn several_timeslices_are_prepared_one_by_one() {
        for (scale, timeslice_ns) in
            [("1", 125_000_000), ("0.1", 125_000_000), ("0.06", 75_000_000), ("0.02", 50_000_000)]
        {
            let several = params(&[("preset", "mcbm-2024"), ("scale", scale)]);
            let (_, one) = single(&several).expect("sensible");
            assert_eq!((one.timeslices, one.timeslice_ns), (1, timeslice_ns), "{scale}");
        }
    }

    #[test]
    fn the_rate_varies_and_pauses_have_noise_only() {
        let params = params(&[("preset", "cbm-auau"), ("scale", "0.002")]);
        let variation = Variation { jitter: 0.5, has_pauses: true, ..variation(4) };
        let data = Data::simulated(&params, &variation).expect("made");
        assert_eq!(data.prepared, PreparedCounts { of_spills: 4, of_pauses: 1 });
        let digis: Vec<u64> = data.sizes().iter().map(|size| size.digis).collect();
        // At low rates the number of collisions fluctuates, too.
        assert!(2 * digis[0] < digis[3], "{digis:?}");
        assert!(4 * digis[4] < digis[0], "{digis:?}");
    }

    #[test]
    fn rates_have_the_mean_and_the_deviation_that_were_asked_for() {
        let all: Vec<f64> = rates(100.0, 0.3, 1000).into_iter().flatten().collect();
        let mean = all.iter().sum::<f64>() / 1000.0;
        let variance = all.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / 1000.0;
        assert!((mean - 100.0).abs() < 1e-9 && (variance.sqrt() - 30.0).abs() < 0.01);
        assert_eq!(rates(100.0, 0.0, 2), [None, None]);
    }

    #[test]
    fn all_variants_match_the_reference() {
        let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
        let data = Data::simulated(&params, &variation(1)).expect("made");
        let expected = data.expected(Semantics::Exact, None).expect("few");
        let found = expected[0].found(Segments::ALL);
        assert!(found.clusters > 0 && found.sum != 0);
        assert_eq!((expected.len(), found.events), (1, None));
    }
}
