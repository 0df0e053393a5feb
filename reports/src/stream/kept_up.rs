//! Verdict on whether workers keep up with a speed.

use super::row::StreamRow;
use crate::record::YesNo;
use crate::units;

/// Reason why workers do not keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Timeslices were dropped.
    Dropped(u64),
    /// Timeslices were delayed because the queue was full.
    Held(u64),
    /// Timeslices were lost with their workers.
    Lost(u64),
    /// The backlog at the end was more than one timeslice per worker.
    Backlog(u64),
}

/// Shortfall of a row; `None` if its workers kept up. `held` timeslices were delayed by a full
/// queue.
///
/// At the end each worker may have one waiting timeslice: a backlog below that over the whole time
/// does not grow. Workers that are too slow by some share of the input leave that share as backlog.
pub fn shortfall(row: &StreamRow, held: u64) -> Option<Shortfall> {
    let max = row.processes as u64;
    match row {
        row if row.lost > 0 => Some(Shortfall::Lost(row.lost)),
        row if row.dropped > 0 => Some(Shortfall::Dropped(row.dropped)),
        _ if held > 0 => Some(Shortfall::Held(held)),
        row if row.backlog > max => Some(Shortfall::Backlog(row.backlog)),
        _ => None,
    }
}

impl Shortfall {
    /// `12 timeslices were dropped`.
    pub fn words(self) -> String {
        let (count, what) = match self {
            Shortfall::Dropped(count) => (count, "dropped"),
            Shortfall::Held(count) => (count, "late, because the queue was full"),
            Shortfall::Lost(count) => (count, "lost with their workers"),
            Shortfall::Backlog(count) => (count, "not begun at the end"),
        };
        let timeslices = units::counted(count as usize, "timeslice");
        let verb = if count == 1 { "was" } else { "were" };
        format!("{timeslices} {verb} {what}")
    }
}

/// The highest speed that was kept up with below the lowest one that was not; `None` if there is
/// none. Rows are those of one setting on one device.
pub fn highest_kept_up<'a>(
    rows: impl IntoIterator<Item = &'a StreamRow> + Clone,
) -> Option<&'a StreamRow> {
    let speed = |row: &&StreamRow| row.speed;
    let measured = || rows.clone().into_iter().filter(|row| row.is_measured());
    let failed = measured().filter(|row| row.kept_up == YesNo::No).map(|row| row.speed);
    let lowest = failed.fold(f64::INFINITY, f64::min);
    let kept = measured().filter(|row| row.kept_up == YesNo::Yes && row.speed < lowest);
    kept.max_by(|a, b| speed(a).total_cmp(&speed(b)))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn missing_and_late_timeslices_are_a_shortfall() {
        let whole = row(1.0);
        assert_eq!(shortfall(&whole, 0), None);
        assert_eq!(shortfall(&whole, 1), Some(Shortfall::Held(1)));
        let behind = |backlog| StreamRow { backlog, ..whole.clone() };
        assert_eq!(shortfall(&behind(2), 0), None, "one for each worker");
        assert_eq!(shortfall(&behind(3), 0), Some(Shortfall::Backlog(3)));
        let dropped = StreamRow { dropped: 1, ..behind(3) };
        let words = shortfall(&dropped, 0).expect("it fell short").words();
        assert_eq!(words, "1 timeslice was dropped");
        let lost = StreamRow { lost: 2, ..dropped };
        assert_eq!(shortfall(&lost, 5), Some(Shortfall::Lost(2)));
    }

    #[test]
    fn speeds_above_a_failure_do_not_count() {
        let of = |speed, kept_up: bool| StreamRow { kept_up: kept_up.into(), ..row(speed) };
        let rows = [of(2.0, true), of(1.0, true), of(4.0, false), of(5.0, true)];
        assert_eq!(highest_kept_up(&rows).map(|row| row.speed), Some(2.0));
        assert_eq!(highest_kept_up(&[of(1.0, false)]).map(|row| row.speed), None);
    }
}
