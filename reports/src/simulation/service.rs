//! Times of workers, from the timeslices of a run.

use farm::{Service, ServiceTime, Spills};

use crate::record::YesNo;
use crate::stream::{StreamRow, TimesliceRow, TimesliceState};

/// Times that workers took for the timeslices of a stream.
pub(super) fn service_of(row: &StreamRow, timeslices: &[TimesliceRow]) -> Service {
    let mut service = Service::default();
    let spills = spills(row);
    for timeslice in timeslices.iter().filter(|timeslice| timeslice.point_id == row.point_id) {
        let Some(time) = time_of(timeslice) else { continue };
        // In the detector's time a timeslice is due when it ends.
        let begin_s = timeslice.due_s * row.speed - row.timeslice_s;
        let is_pause = spills.is_some_and(|spills| spills.is_pause(begin_s, row.timeslice_s));
        if is_pause { service.pause.push(time) } else { service.spill.push(time) }
    }
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
