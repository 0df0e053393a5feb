//! Parser of times, for axes and for all flags.

use std::time::Duration;

/// Parses a time: `10ms`, `1s 500ms`, or a number of seconds.
///
/// # Errors
/// Describes how a time is written.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let time = match text.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => humantime::parse_duration(text).ok(),
    };
    time.ok_or_else(|| "use a time such as 10ms, 100us or 2s, or a number of seconds".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_seconds_and_others_have_a_unit() {
        for (text, ms) in [("5", 5000), ("0.25", 250), ("10ms", 10), ("1s 500ms", 1500), ("0", 0)] {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in ["", "ten", "-1", "-1s", "NaN", "inf", "1e30", "5 apples"] {
            let problem = parse_time(bad).expect_err(bad);
            assert!(problem.starts_with("use a time such as 10ms"), "{bad}: {problem}");
        }
    }
}
