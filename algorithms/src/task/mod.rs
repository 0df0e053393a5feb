//! Tasks as the harness sees them: without type parameters.
//!
//! An [`Algorithm`] has types of its own for input and output, so a list of
//! algorithms can't be written. `typed` wraps each of them once into a
//! [`Task`], which can be.

#[cfg(test)]
pub(crate) mod example;
mod typed;

use std::path::Path;

use generators::DataError;

#[cfg(doc)]
use crate::algorithm::{Algorithm, Session};
use crate::algorithm::{
    Damage, Given, MemoryShares, Metric, MetricInfo, Native, Plan, Semantics, TaskInfo, Work,
};
use crate::axis::{Axis, Params};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, Backend, Target, Unavailable};
use crate::plugin::{Contract, PluginInfo};
use crate::timing::Stages;

pub use typed::TaskOf;

/// A reconstruction task.
pub trait Task: Sync {
    /// What is known of it without any data.
    fn info(&self) -> TaskInfo;
    /// The subcommand's name.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// What can be varied.
    fn axes(&self) -> &'static [Axis] {
        self.info().axes
    }
    /// See [`TaskInfo::file_axes`].
    fn file_axes(&self) -> &'static [Axis] {
        self.info().file_axes
    }
    /// See [`TaskInfo::metrics`].
    fn metrics(&self) -> &'static [MetricInfo] {
        self.info().metrics
    }
    /// All variants; their places in this list are their numbers.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Algorithm::contract`].
    fn contract(&self) -> Option<&'static Contract> {
        None
    }
    /// See [`Algorithm::plan`].
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn plan(&self, params: Params) -> Result<Plan, DataError>;
    /// See [`Algorithm::memory_shares`].
    fn memory_shares(&self, _variant: &str) -> MemoryShares {
        MemoryShares::UNKNOWN
    }
    /// Generates the input of a planned point. What the same parameters and seed made
    /// before, for this task or another one with such inputs, is used again while
    /// somebody has it, and for a while longer if it is small.
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn generate(&self, params: &Params, seed: u64) -> Result<Box<dyn Case>, DataError>;
    /// Reads an input from a file; see [`Algorithm::read`].
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(&self, path: &Path, options: &Params) -> Result<Box<dyn Case>, DataError>;
    /// Small inputs that are hard in some way, with their names.
    fn hard_cases(&self, seed: u64) -> Vec<(String, Box<dyn Case>)>;
}

/// What is known of a variant without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// The variant's name.
    pub name: &'static str,
    /// The variant in one line.
    pub summary: &'static str,
    /// Where it runs.
    pub backend: Backend,
    /// Whether it keeps the order of equals.
    pub stable: bool,
    /// The right answers that it knows.
    pub semantics_supported: &'static [Semantics],
    /// If it can have teams within a team: how many threads the outer one can use.
    pub nested: Option<usize>,
    /// What it is compared with to see what it costs not to be native; `None` if it is native.
    pub native: Option<Native>,
    /// The plugin that it comes from; `None` if `bench` has it itself.
    pub plugin: Option<&'static PluginInfo>,
    /// Why it is nowhere to be had, and how to get it; `None` if it is there.
    pub unavailable_reason: Option<&'static str>,
    /// Where its machine code begins, in the memory of this process: whoever goes on from
    /// there, by calls and through pointers, finds all of it.
    pub code: usize,
}

/// An input with its right answer.
pub trait Case: Send + Sync {
    /// The parameters that describe it.
    fn params(&self) -> &Params;
    /// How much there is to do.
    fn work(&self) -> Work;
    /// What a reader of results should know of the input, in words.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// Gets a variant ready; `variant` is its number.
    ///
    /// # Errors
    /// If the variant can't run here or not on such an input.
    fn prepare<'c>(
        &'c self,
        variant: usize,
        target: &Target<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable>;
    /// Gives the memory of all buffers that are not in use back to the system,
    /// so that the next ones lie elsewhere. The input stays where it is.
    fn drop_buffers(&self);
    /// From now on candidates take their buffers from there: for inputs that are processed one
    /// after the other by the same buffers.
    fn take_buffers_from(&mut self, _: &Arena) {}
    /// Writes the input to a file, for [`Task::read`].
    ///
    /// # Errors
    /// If it can't be written.
    fn write(&self, path: &Path) -> Result<(), DataError>;
    /// See [`Algorithm::shrink`].
    fn shrink(&self) -> Box<dyn Iterator<Item = Box<dyn Case>> + '_> {
        Box::new(std::iter::empty())
    }
    /// How many outputs with one element harmed the check refuses, for each variant by what it
    /// promises; places are drawn from a seed.
    ///
    /// # Errors
    /// One that it takes for right.
    fn refused_mutants(&self, seed: u64) -> Result<usize, String>;
    /// Whether the check tells a variant that does nothing from one that is
    /// right, which it must unless there is nothing to do.
    fn rejects_no_op(&self) -> bool;
}

/// A variant that is ready to be checked and measured. See [`Session`] for
/// the errors.
pub trait Candidate: Send {
    /// Provides fresh input. Not timed.
    fn reset(&mut self) -> Result<(), DeviceError>;
    /// Overwrites every buffer that is not input.
    fn poison(&mut self) -> Result<(), DeviceError>;
    /// Does the work. This is what is timed.
    fn run(&mut self) -> Result<(), DeviceError>;
    /// The stages of the last run, where they are known. Not timed.
    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(Stages::new())
    }
    /// Finds the right answer that its output is compared with, unless it is known
    /// already: so that the time of that is not taken for the check's.
    fn find_reference(&self) {}
    /// Whether the output of the last run is right.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn check(&mut self) -> Result<(), Damage>;
    /// See [`Session::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// See [`Session::given`].
    fn given(&self) -> Given {
        Given::default()
    }
    /// See [`Session::figures`].
    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }
    /// See [`Session::sample`].
    fn sample(&self) -> Option<Work> {
        None
    }
    /// How good the output was that was checked last; see [`Algorithm::quality`].
    fn quality(&self) -> Vec<Metric> {
        Vec::new()
    }
    /// Gives the buffers back.
    fn release(&mut self);
    /// Bytes of all buffers held during a run.
    fn buffer_bytes(&self) -> u64;
}

#[cfg(test)]
mod tests;
