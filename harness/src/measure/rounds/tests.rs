//! Tests of the sampling order with scripted samples and no clock.

use super::*;

/// Sampler that returns scripted times, without a clock.
struct Scripted(Vec<f64>);

/// Sampler that has to warm up before its next sample.
struct Cold(Scripted);

impl Sampler for Cold {
    type Sample = f64;
    type Failure = &'static str;

    fn sample(&mut self) -> Result<f64, &'static str> {
        self.0.sample()
    }

    fn needs_warm_up(&self) -> bool {
        true
    }
}

/// Times over 100 s do not count.
impl Measurement for f64 {
    fn seconds(&self) -> f64 {
        *self
    }

    fn counts(&self) -> bool {
        *self < 100.0
    }

    fn spent(&self) -> Duration {
        Duration::from_secs_f64(*self)
    }
}

impl Sampler for Scripted {
    type Sample = f64;
    type Failure = &'static str;

    fn sample(&mut self) -> Result<f64, &'static str> {
        let sample = self.0[0];
        self.0.rotate_left(1);
        if sample.is_nan() {
            return Err("the device is gone");
        }
        Ok(sample)
    }
}

#[derive(Default)]
struct Log {
    sampled: Vec<SampleIndex>,
    interrupt_after: Option<usize>,
    longest: Option<Duration>,
    fail: bool,
}

impl Observer<f64> for Log {
    type Error = &'static str;

    fn sampled(&mut self, at: SampleIndex, _: &f64) -> Result<(), &'static str> {
        self.sampled.push(at);
        if self.fail { Err("disk full") } else { Ok(()) }
    }

    fn ends_before(&self, next: Duration) -> bool {
        let enough = |limit| self.sampled.len() >= limit;
        self.interrupt_after.is_some_and(enough)
            || self.longest.is_some_and(|longest| next > longest)
    }
}

const POLICY: Policy = Policy {
    min_samples: 7,
    min_is_given: false,
    max_samples: 30,
    max_time: Duration::from_secs(1000),
    precision: 0.01,
};

fn steady(seconds: f64) -> Scripted {
    Scripted(vec![seconds])
}

fn sample_once<const N: usize>(
    mut samplers: [Scripted; N],
    series: &mut [Series<f64>; N],
    first_round: usize,
    log: &mut Log,
) -> Result<usize, &'static str> {
    let both = samplers.iter_mut().zip(series).enumerate();
    let in_block = both.map(|(i, (sampler, series))| BlockCandidate::new(i, sampler, series));
    sample_block(in_block.collect(), &POLICY, first_round, 1, log)
}

/// Runs the first block.
fn first_block<const N: usize>(samplers: [Scripted; N], log: &mut Log) -> [Series<f64>; N] {
    let mut series = std::array::from_fn(|_| Series::default());
    sample_once(samplers, &mut series, 0, log).expect("no errors");
    series
}

/// Number of samples of each series.
fn counts<const N: usize>(series: [Series<f64>; N]) -> [usize; N] {
    series.map(|series| series.samples.len())
}

#[test]
fn each_round_has_every_candidate_once_in_changing_order() {
    let mut log = Log::default();
    let mut series = Default::default();
    let noisy = || Scripted(vec![1.0, 2.0, 3.0, 1.5, 2.5]);
    let samplers = [noisy(), noisy(), noisy(), noisy()];
    assert_eq!(sample_once(samplers, &mut series, 0, &mut log), Ok(5));
    let order: Vec<_> = log.sampled.iter().map(|at| at.candidate).collect();
    let rounds: Vec<_> = order.chunks(4).collect();
    assert_eq!(rounds.len(), 5);
    for round in &rounds {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
    }
    let changes = rounds.iter().any(|round| *round != rounds[0]);
    assert!(changes, "the order never changes");
}

#[test]
fn blocks_continue_sample_and_round_indices() {
    let mut log = Log::default();
    let mut series = Default::default();
    assert_eq!(sample_once([steady(1.0)], &mut series, 0, &mut log), Ok(5));
    assert_eq!(sample_once([steady(2.0)], &mut series, 5, &mut log), Ok(10));
    let numbers: Vec<_> = log.sampled.iter().map(|at| at.index).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    let fresh = log.sampled.iter().filter(|at| at.fresh);
    assert_eq!(fresh.map(|at| at.round).collect::<Vec<_>>(), [0, 5]);
    assert_eq!(series[0].block_offsets, [0, 5]);
    assert_eq!(series[0].spent, Duration::from_secs(16));
}

#[test]
fn slow_candidates_get_their_share_of_the_time() {
    // A fifth of 1000 s is over after warming up and two samples.
    let series = first_block([steady(1.0), steady(99.0)], &mut Log::default());
    assert_eq!(counts(series), [5, 2]);
}

#[test]
fn a_failure_ends_one_candidate_and_no_other() {
    // The first is the warm-up.
    let failing = Scripted(vec![1.0, 1.0, 2.0, f64::NAN, 1.0]);
    let [failed, steady] = first_block([failing, steady(1.0)], &mut Log::default());
    assert_eq!(failed.samples, [1.0, 2.0]);
    assert_eq!(failed.failure.as_deref(), Some("the device is gone"));
    assert_eq!((steady.samples.len(), steady.failure), (5, None));
}

#[test]
fn the_warm_up_is_not_a_sample() {
    // Slow once, for the warm-up, and steady from then on.
    let mut script = vec![1.0; 100];
    script[0] = 50.0;
    let [series] = first_block([Scripted(script)], &mut Log::default());
    assert_eq!(series.samples, [1.0; 5]);
}

#[test]
fn candidates_too_slow_for_the_remaining_time_are_dropped() {
    let mut log = Log { longest: Some(Duration::from_secs(2)), ..Log::default() };
    // The duration is known after the warm-up.
    let series = first_block([steady(1.0), steady(3.0)], &mut log);
    assert_eq!(counts(series), [5, 0]);
}

#[test]
fn long_runs_are_warm_by_themselves_once_they_are_known() {
    let mut log = Log::default();
    let samplers = || [steady(1.0), steady(0.01)];
    let mut series = first_block(samplers(), &mut log);
    sample_once(samplers(), &mut series, 5, &mut log).expect("no errors");
    // The long one warms up in the first block only.
    let warming = [1000, 20].map(Duration::from_millis);
    assert_eq!(series.each_ref().map(|series| series.warming), warming);
    assert_eq!(counts(series), [10, 10]);
}

#[test]
fn long_runs_warm_up_again_if_they_have_to() {
    let mut series = Series::default();
    for first_round in [0, 5] {
        let mut sampler = Cold(steady(1.0));
        let in_block = vec![BlockCandidate::new(0, &mut sampler, &mut series)];
        let block = sample_block(in_block, &POLICY, first_round, 1, &mut Log::default());
        assert_eq!(block, Ok(first_round + 5));
    }
    assert_eq!(series.warming, Duration::from_secs(2));
}

#[test]
fn an_interrupt_keeps_what_there_is() {
    let mut log = Log { interrupt_after: Some(3), ..Log::default() };
    let taken = counts(first_block([steady(1.0), steady(2.0)], &mut log));
    assert_eq!(taken.iter().sum::<usize>(), 3);
}

#[test]
fn an_observer_that_fails_ends_it() {
    let mut log = Log { fail: true, ..Log::default() };
    let result = sample_once([steady(1.0)], &mut Default::default(), 0, &mut log);
    assert_eq!((result, log.sampled.len()), (Err("disk full"), 1));
}

#[test]
fn samples_that_do_not_count_are_kept() {
    // The first is the warm-up, then every other one counts.
    let [series] = first_block([Scripted(vec![1.0, 120.0])], &mut Log::default());
    assert!(series.seconds.len() < series.samples.len());
    assert!(series.seconds.iter().all(|seconds| *seconds < 100.0));
}

#[test]
fn no_candidates_need_no_samples() {
    let mut log = Log::default();
    assert_eq!(sample_once([], &mut [], 4, &mut log), Ok(4));
    assert_eq!(log.sampled, []);
}
