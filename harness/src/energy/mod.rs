//! Energy of processors, of GPUs, and of what a command measures.
//!
//! Meters are read before and after a period, never inside of what is timed.
//!
//! | module | does |
//! |---|---|
//! | `meters` | the meters of a run, and what counts for a point |
//! | `idle` | power of the idle machine |
//! | `window` | energy of a period |
//! | `counters` | counters of processors and GPUs |
//! | `on_request` | a command that runs while energy is measured |
//! | `power_command` | its lines |
//! | `readings` | its readings, integrated |

mod counters;
mod idle;
mod meters;
mod on_request;
mod power_command;
mod readings;
mod window;

pub(crate) use meters::{EnergyMeters, PeriodEnergy, PointEnergy};
pub(crate) use window::{EnergyWindow, MIN_CPU_PERIOD};

#[cfg(test)]
pub(crate) use meters::fake;
