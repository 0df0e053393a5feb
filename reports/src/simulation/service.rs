//! Times of workers, from the timeslices of a run.

use farm::{Service, ServiceTime, Spills};

use crate::record::YesNo;
use crate::stream::{StreamRow, TimesliceRow, TimesliceState};

/// Times that workers took for the timeslices of a stream.
pub(super) fn service_of(row: &StreamRow, timeslices: &[TimesliceRow]) -> Service {
    let mut service = Service { spill: Vec::new(), pause: Vec::new(), block: 1.0 };
    let spills = spills(row);
    let own = timeslices.iter().filter(|timeslice| timeslice.point_id == row.point_id);
    let mut in_order: Vec<_> = own.collect();
    in_order.sort_by(|a, b| a.due_s.total_cmp(&b.due_s));
    for timeslice in in_order {
        let Some(time) = time_of(timeslice) else { continue };
        // In the detector's time a timeslice is due when it ends.
        let begin_s = timeslice.due_s * row.speed - row.timeslice_s;
        let is_pause = spills.is_some_and(|spills| spills.is_pause(begin_s, row.timeslice_s));
        if is_pause { service.pause.push(time) } else { service.spill.push(time) }
    }
    // Long against what lasts for some timeslices, short against the stream.
    service.block = (service.spill.len() as f64).sqrt().max(1.0);
    service
}

/// Times of a timeslice that is done.
fn time_of(timeslice: &TimesliceRow) -> Option<ServiceTime> {
    if timeslice.fate != TimesliceState::Done {
        return None;
    }
    let [emitted_s, begun_s, ended_s] =
        [timeslice.emitted_s?, timeslice.begun_s?, timeslice.ended_s?];
    Some(ServiceTime {
        // One that was late because the queue was full waits for workers, not for the source.
        before_s: if timeslice.held == YesNo::Yes {
            0.0
        } else {
            (emitted_s - timeslice.due_s).max(0.0)
        },
        work_s: (ended_s - begun_s).max(0.0),
        after_s: timeslice.check_s.unwrap_or(0.0),
    })
}

/// Spills and pauses of a stream, in the detector's time.
pub(super) fn spills(row: &StreamRow) -> Option<Spills> {
    let (on, off) = row.spill.split_once('/')?;
    let seconds = |text: &str| humantime::parse_duration(text).ok().map(|time| time.as_secs_f64());
    Some(Spills { on_s: seconds(on)?, off_s: seconds(off)? })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{WORK_S, row, timeslices};
    use super::*;

    #[test]
    fn times_are_those_of_timeslices_with_results() {
        let row = row(1.0);
        let mut all = timeslices(&row);
        all[0].fate = TimesliceState::Dropped;
        all[1].emitted_s = Some(all[1].due_s + 0.001);
        all[2].held = YesNo::Yes;
        all[2].emitted_s = Some(all[2].due_s + 0.5);
        all[3].check_s = Some(0.003);
        all.reverse();
        let service = service_of(&row, &all);
        assert_eq!((service.spill.len(), service.pause.len()), (199, 0));
        let expected = [(0.001, 0.0), (0.0, 0.0), (0.0, 0.003)];
        for (time, (before_s, after_s)) in service.spill.iter().zip(expected) {
            let is_close = |value: f64, expected: f64| (value - expected).abs() < 1e-9;
            assert!(is_close(time.before_s, before_s) && is_close(time.after_s, after_s));
            assert!(is_close(time.work_s, WORK_S), "{time:?}");
        }
        assert_eq!(service.block, 199_f64.sqrt());
        let other = StreamRow { point_id: "other".into(), ..row };
        assert!(service_of(&other, &all).spill.is_empty());
    }

    #[test]
    fn pauses_have_times_of_their_own() {
        let row = StreamRow { spill: "4s/6s".into(), ..row(2.0) };
        let service = service_of(&row, &timeslices(&row));
        assert_eq!((service.spill.len(), service.pause.len()), (80, 120));
    }
}
