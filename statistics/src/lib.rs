//! What samples say: pure functions, tested on made-up samples.

mod change_points;
mod crossing;
mod description;
mod energy;
mod evidence;
mod excursion;
mod false_discovery;
mod false_steps;
mod interval;
mod oddities;
mod paired;
mod permutations;
mod plateau;
mod ranks;
mod ratio;
mod runs;
mod streams;
mod student;
pub mod synthetic;
mod visits;

pub use change_points::{ChangePoint, Examined, Search};
pub use crossing::{Contest, Crossing, Faster, Timing, crossings};
pub use description::{Description, describe, lower_quartile, median};
pub use evidence::{Evidence, MANY};
pub use false_discovery::critical_p_value;
pub use false_steps::without_false_steps;
pub use interval::{Interval, Leveled, MIN_SAMPLES};
pub use oddities::oddities;
pub use paired::{GENERATION, MIN_GENERATIONS, MOST_GENERATIONS, Paired, is_look};
pub use plateau::{Growth, MIN_POINTS, Plateau, Rate, growth};
pub use ranks::mann_whitney;
pub use ratio::{Series, ratio_freedom, ratio_interval, visits};
pub use runs::{Between, MIN_RUNS};
pub use streams::{Estimate, mean_of_blocks, quantile_with_interval};
pub use visits::{MIN_VISITS, PILOT, visits_for};
