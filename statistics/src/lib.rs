//! Statistics of samples: pure functions, tested on synthetic samples.

mod blocks;
mod change_points;
mod crossing;
mod description;
mod energy;
mod evidence;
mod excursion;
mod false_discovery;
mod false_steps;
mod interval;
mod paired;
mod permutations;
mod plateau;
mod ranks;
mod ratio;
mod runs;
mod streams;
pub mod synthetic;
mod warnings;

pub use blocks::{MIN_BLOCKS, PILOT, PairedBlocks, blocks_for};
pub use change_points::{ChangePoint, Examined, Search};
pub use crossing::{Crossing, Faster, MedianPair, Timing, crossings};
pub use description::{Description, describe, lower_quartile, median};
pub use evidence::{Evidence, MANY};
pub use false_discovery::critical_p_value;
pub use false_steps::without_false_steps;
pub use interval::{ConfidenceInterval, Interval, MIN_SAMPLES};
pub use paired::{MAX_RESTARTS, MIN_RESTARTS, Paired, ROUNDS_PER_RESTART, is_look};
pub use plateau::{Growth, MIN_POINTS, Plateau, Rate, growth};
pub use ranks::mann_whitney;
pub use ratio::{Series, blocks, ratio_freedom, ratio_interval};
pub use runs::{MIN_RUNS, ScatterBetweenRuns};
pub use streams::{Estimate, mean_of_blocks, quantile_with_interval};
pub use warnings::sample_warnings;
