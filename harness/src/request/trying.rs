//! Smoke mode: commands run with minimal work, to test that they work.

use std::env;
use std::time::Duration;

use super::Settings;
use super::values::SampleRange;

/// Environment variable of smoke mode: small inputs, few and short samples.
const VARIABLE: &str = "RECOBENCH_SMALL";

const MAX_TIME: Duration = Duration::from_millis(20);
const MAX_SAMPLES: usize = 3;

/// Maximum time of a confirmation in smoke mode.
const MAX_CONFIRM_TIME: Duration = Duration::from_secs(2);

/// Returns the time budget of a confirmation, limited in smoke mode.
pub fn confirming(time: Duration) -> Duration {
    if is_only_tried() { time.min(MAX_CONFIRM_TIME) } else { time }
}

/// Returns true in smoke mode.
pub fn is_only_tried() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

impl Settings {
    /// Limits samples and time for smoke mode.
    pub(super) fn make_short(&mut self) {
        self.max_time = self.max_time.min(MAX_TIME);
        let max = self.samples.map_or(MAX_SAMPLES, |samples| samples.max.min(MAX_SAMPLES));
        self.samples = Some(SampleRange { min: 1, max });
    }
}
