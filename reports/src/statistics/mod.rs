//! What samples say: pure functions, tested on made-up samples.

mod description;
mod interval;
mod mann_whitney;
mod oddities;
mod ratio;
mod student;
mod visits;

pub use description::{Description, describe};
pub use interval::{Interval, MIN_SAMPLES};
pub use mann_whitney::mann_whitney;
pub use oddities::{Oddity, oddities};
pub use ratio::{Series, ratio_interval, visits};
pub use visits::{MIN_VISITS, Scatter};
