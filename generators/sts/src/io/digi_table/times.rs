//! Times relative to an origin: those of digis have 31 bits, 2.1 s.

use text::counted;

use super::{Cell, RowProblem};
use crate::MAX_TIME_NS;

const NAME: &str = super::COLUMNS[3];
/// Floats are exact up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// All times of a table.
pub(super) struct Times {
    /// As specified.
    origin: Option<i64>,
    bounds: Option<Bounds>,
    /// Number of times with a fraction.
    fractions: u64,
    /// The largest magnitude of a time that came as a float.
    largest_float: f64,
}

/// Earliest and latest time.
#[derive(Clone, Copy)]
struct Bounds {
    earliest: Stamp,
    latest: Stamp,
}

#[derive(Clone, Copy)]
struct Stamp {
    time: i64,
    row: u64,
}

impl Times {
    pub(super) fn new(origin: Option<i64>) -> Self {
        Times { origin, bounds: None, fractions: 0, largest_float: 0.0 }
    }

    /// Adds the time of a row, and returns it.
    pub(super) fn add(&mut self, row: u64, cell: Cell<'_>) -> Result<i64, String> {
        let time = self.floor(cell)?;
        if let Some(origin) = self.origin {
            check(time, origin)?;
        }
        let stamp = Stamp { time, row };
        let bounds = self.bounds.get_or_insert(Bounds { earliest: stamp, latest: stamp });
        if time < bounds.earliest.time {
            bounds.earliest = stamp;
        }
        if time > bounds.latest.time {
            bounds.latest = stamp;
        }
        Ok(time)
    }

    /// A time without its fraction.
    fn floor(&mut self, cell: Cell<'_>) -> Result<i64, String> {
        let mut cell = cell;
        if let Cell::Float(value) = cell
            && value.is_finite()
        {
            self.fractions += u64::from(value.fract() != 0.0);
            self.largest_float = self.largest_float.max(value.abs());
            cell = Cell::Float(value.floor());
        }
        let time = cell.whole(NAME)?;
        i64::try_from(time).map_err(|_| format!("{NAME} {time} does not fit 64 bits"))
    }

    /// The origin: as specified; 0 if all times fit; or else the earliest time. The
    /// unit is that of row numbers in messages.
    pub(super) fn origin(&self, unit: &str) -> Result<i64, RowProblem> {
        let Some(Bounds { earliest, latest }) = self.bounds else { return Ok(0) };
        if let Some(origin) = self.origin {
            return Ok(origin);
        }
        if earliest.time >= 0 && fits(latest.time, 0) {
            return Ok(0);
        }
        if fits(latest.time, earliest.time) {
            return Ok(earliest.time);
        }
        let problem = format!(
            "{NAME} {} is more than {MAX_TIME_NS} ns after {}, the earliest time ({unit} {}); write \
             the digis of one timeslice only, or correct times that are wrong",
            latest.time, earliest.time, earliest.row
        );
        Err(RowProblem { row: latest.row, problem })
    }

    /// Notes for users, given the origin.
    pub(super) fn notes(&self, origin: i64) -> impl Iterator<Item = String> {
        let moved = (self.origin.is_none() && origin != 0).then(|| {
            format!(
                "times are relative to the earliest, {origin} ns; specify another origin with \
                 --time-origin"
            )
        });
        let fractions = (self.fractions > 0).then(|| {
            format!("{} with a fraction of a ns, rounded down", counted(self.fractions, "time"))
        });
        let coarse = (self.largest_float > EXACT).then(|| {
            let step = self.largest_float.next_up() - self.largest_float;
            format!(
                "times of {} ns came as floating-point numbers, which are exact to {step} ns only; \
                 write them as integers",
                self.largest_float
            )
        });
        [moved, fractions, coarse].into_iter().flatten()
    }
}

/// True if a time that is not before an origin is not too late.
fn fits(time: i64, origin: i64) -> bool {
    i128::from(time) - i128::from(origin) <= MAX_TIME_NS.into()
}

fn check(time: i64, origin: i64) -> Result<(), String> {
    if time < origin {
        let problem = format!("{NAME} {time} is before the origin {origin}");
        return Err(format!("{problem}; specify an earlier --time-origin"));
    }
    if !fits(time, origin) {
        let problem = format!("{NAME} {time} is more than {MAX_TIME_NS} ns after the origin");
        return Err(format!("{problem} {origin}; specify a later --time-origin"));
    }
    Ok(())
}
