//! Readings of power over time, and their integral.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Minimum number of readings within a period.
const MIN_READINGS: usize = 3;
/// Maximum number of readings that are kept: a quarter of an hour at the highest rate.
const CAPACITY: usize = 1 << 20;
/// A period may end this number of intervals after the last reading.
const MAX_MISSING: u32 = 5;

/// Reason why readings say too little of a period.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ReadingsError {
    /// Too few readings lie within the period.
    #[error(
        "{readings} readings within {seconds:.2} s, of at least {MIN_READINGS}; measure for longer"
    )]
    TooFew { readings: usize, seconds: f64 },
    /// Readings stopped before the end.
    #[error("no reading in the last {seconds:.1} s of the period")]
    Stopped { seconds: f64 },
    /// The first readings were dropped.
    #[error("the period has more readings than are kept; print fewer")]
    Dropped,
}

/// Power at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) at: Instant,
    pub(crate) watts: f64,
}

/// Readings in the order of their times.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    kept: VecDeque<Reading>,
    dropped: bool,
}

impl Readings {
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Mean interval between readings.
    pub(crate) fn interval(&self) -> Option<Duration> {
        let length = self.kept.back()?.at - self.kept.front()?.at;
        let intervals = u32::try_from(self.kept.len() - 1).ok().filter(|&count| count > 0)?;
        Some(length / intervals)
    }

    /// Joules in a period by the trapezium rule. Power at its begin lies on the line between the
    /// readings around it; after the last reading, its power holds.
    pub(crate) fn joules(&self, begin: Instant, end: Instant) -> Result<f64, ReadingsError> {
        let first = self.kept.partition_point(|reading| reading.at <= begin);
        let after = self.kept.partition_point(|reading| reading.at <= end);
        let readings = after.saturating_sub(first);
        if readings < MIN_READINGS {
            let seconds = (end - begin).as_secs_f64();
            return Err(ReadingsError::TooFew { readings, seconds });
        }
        if first == 0 && self.dropped {
            return Err(ReadingsError::Dropped);
        }
        let last = self.kept[after - 1];
        let length = last.at - self.kept[first].at;
        let usual = length / u32::try_from(readings - 1).unwrap_or(u32::MAX);
        if end - last.at > MAX_MISSING * usual + Duration::from_secs(1) {
            return Err(ReadingsError::Stopped { seconds: (end - last.at).as_secs_f64() });
        }
        let watts = match first.checked_sub(1) {
            Some(before) => between(self.kept[before], self.kept[first], begin),
            None => self.kept[first].watts,
        };
        let mut before = Reading { at: begin, watts };
        let mut joules = 0.0;
        let at_end = Reading { at: end, watts: last.watts };
        for &reading in self.kept.range(first..after).chain([&at_end]) {
            let seconds = (reading.at - before.at).as_secs_f64();
            joules += seconds * (before.watts + reading.watts) / 2.0;
            before = reading;
        }
        Ok(joules)
    }
}

impl Extend<Reading> for Readings {
    fn extend<T: IntoIterator<Item = Reading>>(&mut self, readings: T) {
        for reading in readings {
            if self.kept.len() == CAPACITY {
                self.kept.pop_front();
                self.dropped = true;
            }
            self.kept.push_back(reading);
        }
    }
}

/// Power at a moment between two readings.
fn between(before: Reading, after: Reading, at: Instant) -> f64 {
    let length = (after.at - before.at).as_secs_f64();
    let part = if length > 0.0 { (at - before.at).as_secs_f64() / length } else { 0.0 };
    before.watts + part * (after.watts - before.watts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(origin: Instant, of: &[(u64, f64)]) -> Readings {
        let mut readings = Readings::default();
        readings.extend(
            of.iter().map(|&(ms, watts)| Reading { at: origin + Duration::from_millis(ms), watts }),
        );
        readings
    }

    fn joules(of: &[(u64, f64)], begin: u64, end: u64) -> Result<f64, ReadingsError> {
        let origin = Instant::now();
        let at = |ms| origin + Duration::from_millis(ms);
        readings(origin, of).joules(at(begin), at(end))
    }

    #[test]
    fn power_is_integrated_by_trapezia() {
        let ramp = [(0, 0.0), (1000, 10.0), (2000, 20.0), (3000, 30.0), (4000, 40.0)];
        // From 5 W at 0.5 s to 30 W at 3 s, and 30 W for half a second.
        let found = joules(&ramp, 500, 3500).expect("enough");
        assert!((found - (2.5 * 17.5 + 15.0)).abs() < 1e-9, "{found}");
        let before_all = joules(&ramp[1..], 0, 4000).expect("enough");
        assert!((before_all - (10.0 + 75.0)).abs() < 1e-9, "{before_all}");
    }

    #[test]
    fn periods_with_few_readings_have_no_energy() {
        let ten = [(0, 5.0), (100, 5.0), (200, 5.0), (300, 5.0), (400, 5.0)];
        assert!(joules(&ten, 50, 350).is_ok());
        assert_eq!(
            joules(&ten, 150, 350),
            Err(ReadingsError::TooFew { readings: 2, seconds: 0.2 })
        );
        assert_eq!(joules(&ten, 0, 4400), Err(ReadingsError::Stopped { seconds: 4.0 }));
        assert_eq!(joules(&[], 0, 100), Err(ReadingsError::TooFew { readings: 0, seconds: 0.1 }));
    }

    #[test]
    fn readings_that_were_dropped_are_missed() {
        let origin = Instant::now();
        let mut long = Readings::default();
        let at = |ms: u64| origin + Duration::from_millis(ms);
        long.extend((0..CAPACITY as u64 + 10).map(|ms| Reading { at: at(ms), watts: 1.0 }));
        let end = at(CAPACITY as u64);
        assert_eq!(long.joules(origin, end), Err(ReadingsError::Dropped));
        assert!(long.joules(at(100), end).is_ok());
        assert_eq!(long.interval(), Some(Duration::from_millis(1)));
    }
}
