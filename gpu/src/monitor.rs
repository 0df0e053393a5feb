//! State of a GPU as its driver reports it, whether the GPU works or not.

use std::fmt;

/// A monitor of a GPU. Each value may be unavailable, with the reason as text: none of them is
/// needed to run a kernel.
pub trait Monitor: Send + Sync {
    /// Current clock of the multiprocessors in MHz.
    ///
    /// # Errors
    /// The reason why it is unavailable.
    fn clock_mhz(&self) -> Result<u32, String>;

    /// Highest clock of the multiprocessors in MHz.
    ///
    /// # Errors
    /// The reason why it is unavailable.
    fn max_clock_mhz(&self) -> Result<u32, String>;

    /// Current reasons for a reduced clock.
    ///
    /// # Errors
    /// The reason why they are unavailable.
    fn limits(&self) -> Result<Vec<Limit>, String>;

    /// Energy used since some time in the past, in joules. Counters are updated every 20 to 100 ms.
    ///
    /// # Errors
    /// The reason why it is unavailable.
    fn energy_j(&self) -> Result<f64, String>;
}

/// Reasons for a reduced clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// The power limit of the GPU.
    Power,
    /// The temperature of the GPU or of its memory.
    Heat,
    /// A signal of the machine's power supply, or an emergency.
    Hardware,
}

impl fmt::Display for Limit {
    /// Writes the limit and how to avoid it.
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
