//! Flags of energy, for all commands that measure.

use std::time::Duration;

use clap::Args;

use super::values;

/// Meters of energy, in addition to counters of processors and GPUs.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct EnergyFlags {
    /// Measure energy by a command that prints one number in watts per line until it is ended.
    #[arg(long, value_name = "COMMAND", help_heading = "Energy", hide_short_help = true)]
    pub power_command: Option<String>,
    /// Measure the power of the idle machine before the run, and subtract it [default TIME: 5s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Energy")]
    #[arg(hide_short_help = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "5s")]
    pub subtract_idle: Option<Duration>,
}
