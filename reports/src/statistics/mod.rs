//! What samples say: pure functions, tested on made-up samples.

mod description;
mod interval;
mod oddities;

pub use description::{Description, describe};
pub use interval::{Interval, MIN_SAMPLES, median_interval};
pub use oddities::{Oddity, oddities};
