//! What is told of a GPU from outside, while it works or not.

use std::fmt;

/// Somebody who watches a GPU. Each answer may be missing, with the reason in
/// words: nothing here is needed to run a kernel.
pub trait Monitor: Send + Sync {
    /// The clock of the multiprocessors now, in MHz.
    ///
    /// # Errors
    /// Why it can't be told.
    fn clock_mhz(&self) -> Result<u32, String>;

    /// The highest clock of the multiprocessors, in MHz.
    ///
    /// # Errors
    /// Why it can't be told.
    fn most_clock_mhz(&self) -> Result<u32, String>;

    /// What holds the clock down now.
    ///
    /// # Errors
    /// Why it can't be told.
    fn limits(&self) -> Result<Vec<Limit>, String>;

    /// The energy that the GPU has used since some time in the past, in joules.
    /// Counters move in steps of 20 to 100 ms.
    ///
    /// # Errors
    /// Why it can't be told.
    fn energy_j(&self) -> Result<f64, String>;
}

/// What holds a clock down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// The power that the GPU may take.
    Power,
    /// The temperature of the GPU or of its memory.
    Heat,
    /// A signal from the supply of the machine, or an emergency.
    Hardware,
}

impl fmt::Display for Limit {
    /// What is the limit, and what can be done about it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Power => {
                "the power limit of the GPU: compare runs with the same limit \
                 (`nvidia-smi -q -d POWER`), or lock the clock below it (`nvidia-smi -lgc`)"
            }
            Limit::Heat => "heat: a hot room, a weak fan, or a neighbour at full load?",
            Limit::Hardware => {
                "the hardware itself (power brake or fast trigger): look after the power supply"
            }
        })
    }
}
