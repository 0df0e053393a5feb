//! What samples say: pure functions, tested on made-up samples.

mod between;
mod change_points;
mod crossing;
mod description;
mod energy;
mod evidence;
mod excursion;
mod false_discovery;
mod false_steps;
mod interval;
mod mann_whitney;
mod oddities;
mod paired;
mod permutations;
mod ratio;
mod sign_test;
mod student;
pub mod synthetic;
mod visits;

pub use between::{Between, Estimate, MIN_RUNS};
pub use change_points::{ChangePoint, Examined, Search};
pub use crossing::{Contest, Crossing, Faster, Timing, crossings};
pub use description::{Description, describe, lower_quartile};
pub use evidence::{Evidence, MANY};
pub use false_discovery::critical_p_value;
pub use false_steps::without_false_steps;
pub use interval::{Interval, Leveled, MIN_SAMPLES};
pub use mann_whitney::mann_whitney;
pub use oddities::{Oddity, oddities};
pub use paired::{GENERATION, MIN_GENERATIONS, MOST_GENERATIONS, Paired, is_look};
pub use ratio::{Series, ratio_freedom, ratio_interval, visits};
pub use sign_test::sign_test;
pub use visits::{MIN_VISITS, PILOT, Scatter, median, visits_for};
