//! Statistics of samples: pure functions, tested on synthetic samples.

mod blocks;
mod change_points;
mod crossing;
mod description;
mod energy;
mod estimate;
mod evidence;
mod false_steps;
mod hypotheses;
mod interval;
mod paired;
mod permutations;
mod plateau;
mod ratio;
mod runs;
mod shares;
mod spares;
mod streams;
pub mod synthetic;

pub use blocks::{MIN_BLOCKS, PILOT, PairedBlocks, blocks_for};
pub use change_points::{ChangePoint, Examined, Search};
pub use crossing::{Crossing, Faster, MedianPair, Timing, crossings};
pub use description::{Description, describe, lower_quartile, median, sample_warnings};
pub use estimate::{RatioEstimate, Side};
pub use evidence::{Evidence, MANY};
pub use false_steps::without_false_steps;
pub use hypotheses::{critical_p_value, mann_whitney};
pub use interval::{ConfidenceInterval, Interval, MIN_SAMPLES};
pub use paired::{MAX_RESTARTS, MIN_RESTARTS, Paired, ROUNDS_PER_RESTART, is_look};
pub use plateau::{Growth, MIN_POINTS, Plateau, Rate, growth};
pub use ratio::{Series, blocks, ratio_freedom, ratio_interval};
pub use runs::{MIN_RUNS, ScatterBetweenRuns};
pub use shares::{
    Difference, Items, MIN_PARTS, PairedParts, Part, binomial_interval, bootstrap_interval,
};
pub use spares::spare_units;
pub use streams::{Estimate, mean_of_blocks, quantile_with_interval, ratio_of_blocks};
