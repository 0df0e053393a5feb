//! Commands that are only tried: whether they work, not what they measure.

use std::env;
use std::time::Duration;

use super::Settings;
use super::values::SampleRange;

/// Environment variable of smoke mode: small inputs, few and short samples.
const VARIABLE: &str = "RECOBENCH_SMALL";

const MOST_TIME: Duration = Duration::from_millis(20);
const MOST_SAMPLES: usize = 3;

/// Time that a confirmation may take.
const MOST_CONFIRMING: Duration = Duration::from_secs(2);

/// No more than a try may take of what was asked for.
pub fn confirming(time: Duration) -> Duration {
    if is_only_tried() { time.min(MOST_CONFIRMING) } else { time }
}

/// Returns true in smoke mode.
pub fn is_only_tried() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

impl Settings {
    /// Few samples, and little time for them.
    pub(super) fn make_short(&mut self) {
        self.max_time = self.max_time.min(MOST_TIME);
        let most = self.samples.map_or(MOST_SAMPLES, |samples| samples.max.min(MOST_SAMPLES));
        self.samples = Some(SampleRange { min: 1, max: most });
    }
}
