//! Counterparts of published values in streams.

use statistics::{Estimate, Growth, Interval, mean_of_blocks, quantile_with_interval};

use super::data::{Streams, events};
use super::figure::{Quantity, Stream, Value};
use super::measured::{Here, Measured};
use crate::record::YesNo;
use crate::stream::{Rates, StreamRow, TimesliceRow};
use crate::throughput::Curve;

impl Here<'_> {
    /// The results of a figure's streams.
    pub(super) fn streams_of(&self, stream: &Stream) -> Streams {
        let own = self.streams.iter().find(|streams| streams.name == stream.runs);
        own.cloned().unwrap_or_else(|| Streams::new(stream.runs.clone()))
    }

    /// Finds a value of streams.
    ///
    /// # Errors
    /// The reason why it is not known, as text.
    pub(super) fn find_in(&self, streams: &Streams, value: &Value) -> Result<Measured, String> {
        let missing = || match streams.note(value) {
            _ if value.task.is_empty() => "not reproducible here".to_owned(),
            Some(note) => note,
            None if value.device == "cuda" && !self.has_gpu() => "needs a GPU".to_owned(),
            None => "not measured".to_owned(),
        };
        let metric = value.metric.as_deref().unwrap_or_default();
        match value.task.as_str() {
            "stream" => {
                let row = streams.row(value).ok_or_else(missing)?;
                of_timeslices(row, streams.timeslices_of(row), metric)
            }
            "throughput" => of_events(&streams.curve(value).ok_or_else(missing)?, metric),
            _ => Err(missing()),
        }
        .map_err(|why| why.to_owned())
    }
}

const UNKNOWN: &str = "the run has no such metric";

/// A metric of the timeslices at one speed.
fn of_timeslices<'a>(
    row: &StreamRow,
    own: impl Iterator<Item = &'a TimesliceRow> + Clone,
    metric: &str,
) -> Result<Measured, String> {
    let exactly = |amount: f64| (amount, Some(Interval { low: amount, high: amount }));
    let known = |amount: Option<f64>| amount.map(exactly).ok_or_else(|| UNKNOWN.to_owned());
    let is_time = matches!(metric, "interval_s" | "work_s");
    let (amount, interval) = match metric {
        "digis" => known(mean(own.map(|it| Quantity::Digis.count_in(it))))?,
        "clusters" => known(mean(own.map(|it| Quantity::Clusters.count_in(it))))?,
        "hits" => known(mean(own.map(|it| Quantity::Hits.count_in(it))))?,
        "hits_in_spills" => known(hits_where(own, |digis, halfway| digis > halfway))?,
        "hits_in_pauses" => known(hits_where(own, |digis, halfway| digis <= halfway))?,
        "bytes_per_s" => mean_rate(row, own).ok_or_else(|| UNKNOWN.to_owned())?,
        // Workers with a backlog process at their maximum rate, whatever the input rate.
        "peak_bytes_per_s" if row.kept_up != YesNo::Yes => {
            return Err("not kept up with at any measured speed".to_owned());
        }
        "peak_bytes_per_s" => known(Rates::new(row, own, |it| it.bytes as f64).highest())?,
        "interval_s" => exactly(row.timeslice_s / row.speed),
        "work_s" => work(row, own).ok_or_else(|| UNKNOWN.to_owned())?,
        _ => return Err(UNKNOWN.to_owned()),
    };
    Ok(Measured {
        amount,
        interval,
        items: if is_time { row.items as u64 } else { 1 },
        is_sample: false,
        item_unit: if is_time { row.item_unit.clone() } else { "timeslice".to_owned() },
        threads: row.processes * row.threads,
    })
}

/// The mean hits of timeslices on one side of the midpoint between the smallest and the largest
/// number of digis.
fn hits_where<'a>(
    own: impl Iterator<Item = &'a TimesliceRow> + Clone,
    is_there: fn(f64, f64) -> bool,
) -> Option<f64> {
    let digis = || own.clone().map(|it| Quantity::Digis.count_in(it));
    let halfway = (digis().reduce(f64::min)? + digis().reduce(f64::max)?) / 2.0;
    let there = own.clone().filter(|it| is_there(Quantity::Digis.count_in(it), halfway));
    mean(there.map(|it| Quantity::Hits.count_in(it)))
}

/// The processed bytes per second, with the interval by the scatter over time.
fn mean_rate<'a>(
    row: &StreamRow,
    own: impl Iterator<Item = &'a TimesliceRow> + Clone,
) -> Option<(f64, Option<Interval>)> {
    let rates = Rates::new(row, own, |it| it.bytes as f64);
    let parts: Vec<f64> = rates.done.iter().map(|(_, rate)| *rate).collect();
    let interval = mean_of_blocks(&parts).and_then(|estimate| estimate.interval);
    Some((row.bytes_per_s?, interval))
}

/// The median time of a timeslice divided by the number of workers.
fn work<'a>(
    row: &StreamRow,
    own: impl Iterator<Item = &'a TimesliceRow>,
) -> Option<(f64, Option<Interval>)> {
    let workers = row.processes.max(1) as f64;
    let busy = own.filter_map(|it| Some((it.ended_s? - it.begun_s?) / workers));
    let busy: Vec<f64> = busy.collect();
    let Estimate { value, interval } = quantile_with_interval(&busy, 0.5)?;
    Some((value, interval))
}

/// A metric of events over streams.
fn of_events(curve: &Curve<'_>, metric: &str) -> Result<Measured, String> {
    let row = match metric {
        "one_events_per_s" => curve.rows.iter().copied().find(|row| row.streams == 1),
        "most_events_per_s" => curve.best(),
        "plateau_events_per_s" => match &curve.growth {
            Growth::Level(_) => curve.plateau(),
            _ => return Err(curve.words().split(';').next().unwrap_or_default().to_owned()),
        },
        _ => None,
    };
    let row = row.ok_or_else(|| UNKNOWN.to_owned())?;
    let items = row.items_per_event();
    let amount = match (&curve.growth, metric) {
        (Growth::Level(plateau), "plateau_events_per_s") => Some(plateau.level / items),
        _ => events(row),
    };
    let interval = row.rate_interval();
    Ok(Measured {
        amount: amount.ok_or_else(|| UNKNOWN.to_owned())?,
        interval: interval.map(|(low, high)| Interval { low: low / items, high: high / items }),
        items: 1,
        is_sample: false,
        item_unit: "event".to_owned(),
        threads: row.streams * row.threads,
    })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), it| (sum + it, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::figures;
    use super::super::{ClaimVerdict, Reproduction};
    use super::*;
    use crate::charts::fixture::run;
    use crate::stream::fixture::{row, timeslice};
    use crate::throughput::{ThroughputRow, fixture};

    /// Spills and pauses of one second each, at a speed that is kept up with and one that is not.
    pub(crate) fn beam_time() -> Streams {
        let behind = StreamRow { kept_up: YesNo::No, ..row(4.0) };
        let pause = |it: TimesliceRow| TimesliceRow {
            digis: 9_000,
            clusters: 8_000,
            hits: 40,
            bytes: 72_000,
            ..it
        };
        let timeslices = (0..400).map(|index| match index / 20 % 2 {
            0 => timeslice(index, 0.03),
            _ => pause(timeslice(index, 0.03)),
        });
        Streams {
            rows: vec![row(1.0), behind],
            timeslices: timeslices.collect(),
            ..Streams::new("beam-time".to_owned())
        }
    }

    fn reproduced(id: &str, streams: Streams) -> Reproduction {
        let figure = figures().into_iter().find(|figure| figure.id == id).expect(id);
        let streams = [streams];
        Reproduction::new(figure, &Here { record: &run(), rows: &[], streams: &streams })
    }

    fn amount(reproduction: &Reproduction, label: &str) -> f64 {
        reproduction.found(label).expect(label).amount
    }

    #[test]
    fn rates_are_those_of_the_highest_speed_that_is_kept_up() {
        let rates = reproduced("fig5.13", beam_time());
        assert_eq!(amount(&rates, "STS, mean, CPU"), 7.2e6 * 20.0);
        // In intervals of half a second, each within a spill.
        let most = amount(&rates, "STS, at most, CPU");
        assert!((most / 144e6 - 1.0).abs() < 1e-6, "{most}");
        assert_eq!(rates.found("all detectors, mean"), Err("not reproducible here"));
        assert_eq!(rates.found("STS, mean, GPU"), Err("not measured"), "there is a GPU");
        assert_eq!(rates.judged[0].published, Some(900.0 / 310.0));
        let mut behind = beam_time();
        behind.rows.remove(0);
        let rates = reproduced("fig5.13", behind);
        assert!(rates.found("STS, mean, CPU").is_ok());
        let why = rates.found("STS, at most, CPU").expect_err("behind");
        assert!(why.starts_with("not kept up with"), "{why}");
    }

    #[test]
    fn hits_are_separate_in_spills_and_in_pauses() {
        let hits = reproduced("fig5.15", beam_time());
        assert_eq!(amount(&hits, "hits a timeslice in spills"), 28_000.0);
        assert_eq!(amount(&hits, "hits a timeslice in pauses"), 40.0);
        assert!(matches!(hits.judged[0].verdict, ClaimVerdict::Holds(ratio) if ratio == 700.0));
        let clusters = reproduced("fig5.14", beam_time());
        assert_eq!(amount(&clusters, "clusters a timeslice"), 354_000.0);
        assert_eq!(clusters.judged[0].published, Some(5.0));
    }

    #[test]
    fn processing_times_are_next_to_input_rates() {
        let streams = Streams { name: "data-challenge".to_owned(), ..beam_time() };
        let challenge = reproduced("fig5.11", streams);
        assert_eq!(amount(&challenge, "a timeslice comes each, speed 1"), 0.05);
        // 30 ms by one of two workers.
        assert!((amount(&challenge, "a timeslice takes, CPU") - 0.015).abs() < 1e-9);
        assert!(matches!(challenge.judged[0].verdict, ClaimVerdict::Holds(_)));
        let verdict = &challenge.judged[1].verdict;
        assert!(matches!(verdict, ClaimVerdict::Unknown(why) if why.ends_with("not measured")));
        let nothing = reproduced("fig5.11", Streams::new("data-challenge".to_owned()));
        assert!(!nothing.is_measured());
    }

    #[test]
    fn a_plateau_or_the_reason_for_none_is_reported() {
        let events = |rates: &[f64]| {
            let points = [1, 2, 4].into_iter().zip(rates);
            let points = points.map(|(streams, rate)| fixture::row(streams, *rate)).collect();
            let streams = Streams { points, ..Streams::new("velo-events".to_owned()) };
            reproduced("allen.plateau", streams)
        };
        let level = events(&[10e6, 19e6, 19.2e6]);
        assert!((amount(&level, "plateau, CPU") - 19.1).abs() < 0.01);
        assert_eq!(
            (amount(&level, "one stream, CPU"), amount(&level, "the most, CPU")),
            (10.0, 19.2)
        );
        assert!(matches!(level.judged[0].verdict, ClaimVerdict::Holds(_)));
        let rising = events(&[10e6, 19e6, 36e6]);
        let why = rising.found("plateau, CPU").expect_err("it rises");
        assert!(why.starts_with("no plateau: doubling the streams gives"), "{why}");
        let two = events(&[10e6, 10.1e6]);
        assert!((amount(&two, "plateau, CPU") - 10.0).abs() < 1e-9);
        let bound = events(&[10e6, 19e6]);
        let why = bound.found("plateau, CPU").expect_err("it rises");
        assert!(why.starts_with("plateau of at least 19 M/s, still rising"), "{why}");
        let one = events(&[10e6]);
        assert_eq!(one.found("plateau, CPU"), Err("plateau not judged"));
    }

    /// Inputs of many events, whose items are events.
    #[test]
    fn events_of_an_input_are_counted() {
        let row =
            ThroughputRow { item_unit: "event".into(), items: 20.0, ..fixture::row(1, 5000.0) };
        let streams = Streams { points: vec![row], ..Streams::new("velo-events".to_owned()) };
        assert_eq!(amount(&reproduced("allen.plateau", streams), "one stream, CPU"), 5000.0);
    }

    #[test]
    fn a_wrong_output_is_no_value() {
        let mut wrong = beam_time();
        wrong.rows = vec![StreamRow {
            valid: YesNo::No,
            note: "wrong output: timeslice 3".into(),
            ..row(1.0)
        }];
        let rates = reproduced("fig5.13", wrong);
        assert_eq!(rates.found("STS, mean, CPU"), Err("wrong output: timeslice 3"));
    }
}
