//! Time stamps of records: UTC, RFC 3339.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second with a year of four digits.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// The current time, limited to the years 1970 to 9999.
pub fn now() -> String {
    written(SystemTime::now())
}

/// A time to the microsecond, limited to the years 1970 to 9999.
pub fn exactly(time: SystemTime) -> String {
    humantime::format_rfc3339_micros(within(time)).to_string()
}

/// Parses a time: UTC in RFC 3339 such as `2026-01-31T12:00:00Z`, or seconds since 1970; `None` for
/// other texts, and before 1970 or after 9999.
pub fn parse(text: &str) -> Option<SystemTime> {
    let since_1970 = |seconds: f64| {
        let since = Duration::try_from_secs_f64(seconds).ok()?;
        (since <= LAST).then(|| UNIX_EPOCH + since)
    };
    match text.parse() {
        Ok(seconds) => since_1970(seconds),
        Err(_) => humantime::parse_rfc3339(text).ok(),
    }
}

/// Description of a problem of the clock, if one can be detected.
pub fn clock_problem() -> Option<String> {
    let now = SystemTime::now();
    (within(now) != now).then(|| {
        "the clock is before 1970 or after 9999: times of this record are not those of the run; \
         set the clock"
            .to_owned()
    })
}

fn within(time: SystemTime) -> SystemTime {
    time.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST)
}

fn written(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(within(time)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_can_be_written() {
        let year = Duration::from_secs(366 * 86_400);
        assert_eq!(written(UNIX_EPOCH - year), "1970-01-01T00:00:00Z");
        assert_eq!(written(UNIX_EPOCH + LAST), "9999-12-31T23:59:59Z");
        assert_eq!(written(UNIX_EPOCH + LAST + year), "9999-12-31T23:59:59Z");
        assert_eq!(written(UNIX_EPOCH + year), "1971-01-02T00:00:00Z");
        assert_eq!(clock_problem(), None, "of this machine");
    }

    #[test]
    fn moments_are_read_as_they_are_written() {
        let moment = UNIX_EPOCH + Duration::from_micros(1_769_860_800_250_000);
        assert_eq!(exactly(moment), "2026-01-31T12:00:00.250000Z");
        for text in ["2026-01-31T12:00:00.25Z", "1769860800.25", &exactly(moment)] {
            assert_eq!(parse(text), Some(moment), "{text}");
        }
        for text in ["", "noon", "-1", "inf", "NaN", "1e15", "2026-01-31", "2026-01-31T12:00:00"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
