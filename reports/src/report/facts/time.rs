//! Dates and durations, from RFC 3339.

use std::time::Duration;

use humantime::{format_duration, parse_rfc3339};

use crate::record::RunRecord;

/// `2026-11-20`.
pub fn day(started: &str) -> &str {
    started.get(..10).unwrap_or(started)
}

/// `2026-11-20 12:18 UTC`.
pub fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}

/// Duration of a run, `2m 14s`; `None` if it was killed.
pub fn duration(record: &RunRecord) -> Option<String> {
    let end = parse_rfc3339(record.finished.as_deref()?).ok()?;
    let elapsed = end.duration_since(parse_rfc3339(&record.started).ok()?);
    let seconds = elapsed.ok()?.as_secs();
    Some(format_duration(Duration::from_secs(seconds)).to_string())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::run;
    use super::*;

    #[test]
    fn times_are_cut_where_readers_stop() {
        assert_eq!(day("2026-11-20T12:18:41Z"), "2026-11-20");
        assert_eq!(minute("2026-11-20T12:18:41Z"), "2026-11-20 12:18 UTC");
        assert_eq!(minute("sometime"), "sometime");
    }

    #[test]
    fn a_killed_run_has_no_duration() {
        let mut record = run(vec![]).record;
        assert_eq!(duration(&record).as_deref(), Some("1m 30s"));
        record.finished = None;
        assert_eq!(duration(&record), None);
    }
}
