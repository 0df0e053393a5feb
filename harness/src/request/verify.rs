//! What `bench verify` is asked for.

use std::path::PathBuf;

use algorithms::device::Device;
use algorithms::device::emulator::Lanes;
use algorithms::task::Task;

use super::AxisValues;

/// What is to be checked, on what, and how.
pub struct VerifyRequest {
    /// The tasks; all if empty.
    pub tasks: Vec<&'static dyn Task>,
    /// Globs of variants; all if empty.
    pub variants: Vec<String>,
    /// Shared libraries with more variants.
    pub plugins: Vec<PathBuf>,
    /// Where to run; the CPU and every usable GPU if empty.
    pub devices: Vec<Device>,
    /// Seeds of the inputs.
    pub seeds: Vec<u64>,
    /// This input instead of the hard ones.
    pub input: Option<PathBuf>,
    /// What was said about that input: values of the tasks' [`Task::file_axes`].
    pub options: AxisValues,
    /// Inputs with more items are left out.
    pub most_items: u64,
    /// Lanes of a warp on the emulator.
    pub lanes: Lanes,
    /// Orders in which threads take turns on the emulator.
    pub schedules: u64,
    /// Whether each access to memory is checked on the emulator.
    pub races: bool,
    /// No lines on how far it is.
    pub quiet: bool,
}
