//! Tasks without type parameters, as the harness uses them.
//!
//! An [`Algorithm`] has associated types for input and output, so a list of algorithms can't be
//! written. `typed` wraps each of them in a [`Task`], which can be listed.

mod typed;

use std::path::Path;

#[cfg(doc)]
use crate::algorithm::Algorithm;
use generators_common::DataError;

pub use crate::algorithm::Candidate;
use crate::algorithm::{
    CheckError, DEFAULT_MEMORY_FOR_BYTE, InputFiles, MemoryShares, MetricInfo, OutputFiles, Plan,
    Semantics, SourceFile, TaskInfo, Work,
};
use crate::axis::{Axis, Params};
use crate::device::{Arena, Backend, Target, Unavailable};
use crate::native::Native;
use crate::plugin::{Contract, PluginInfo};

pub use typed::TypedTask;

/// A reconstruction task.
pub trait Task: Sync {
    /// Description of the task without any data.
    fn info(&self) -> TaskInfo;
    /// Name of the subcommand.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// Parameters of generated inputs.
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
    /// All variants; they are identified by their index in this list.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Algorithm::examples`].
    fn examples(&self) -> &'static str {
        ""
    }
    /// See [`Algorithm::contract`].
    fn contract(&self) -> Option<&'static Contract> {
        None
    }
    /// See [`Algorithm::plan`].
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn plan(&self, params: Params) -> Result<Plan, DataError>;
    /// See [`Algorithm::memory_shares`].
    fn memory_shares(&self, _variant: &str) -> MemoryShares {
        MemoryShares::UNKNOWN
    }
    /// See [`Algorithm::memory_for_byte`].
    fn memory_for_byte(&self) -> u64 {
        DEFAULT_MEMORY_FOR_BYTE
    }
    /// Generates the input of a planned point. An input with the same parameters and seed, of this
    /// task or another one with such inputs, is reused while it is in use, and for a while longer
    /// if it is small.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn generate(&self, params: &Params, seed: u64) -> Result<Box<dyn Case>, DataError>;
    /// Reads an input from a file; see [`Algorithm::read`].
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(&self, files: &InputFiles, options: &Params) -> Result<Box<dyn Case>, DataError>;
    /// See [`Algorithm::source_files`].
    ///
    /// # Errors
    /// If a file is missing or can't be opened.
    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        Ok(files.whole())
    }
    /// See [`Algorithm::output_files`].
    fn output_files(&self) -> Option<OutputFiles> {
        None
    }
    /// Small inputs that are hard in some respect, with their names.
    fn hard_cases(&self, seed: u64) -> Vec<(String, Box<dyn Case>)>;
}

/// Description of a variant without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// The variant's name.
    pub name: &'static str,
    /// The variant in one line.
    pub summary: &'static str,
    /// Backend that it runs on.
    pub backend: Backend,
    /// True if it keeps the order of equal items.
    pub stable: bool,
    /// Semantics that it supports.
    pub semantics_supported: &'static [Semantics],
    /// Maximum number of outer threads of a nested team; `None` if nested teams are not supported.
    pub nested: Option<usize>,
    /// Native variant that it is compared with to measure the cost of a portability layer; `None`
    /// if it is native.
    pub native: Option<Native>,
    /// Plugin that it comes from; `None` for built-in variants.
    pub plugin: Option<&'static PluginInfo>,
    /// Reason why it is missing, and how to get it; `None` if it is available.
    pub unavailable_reason: Option<&'static str>,
    /// Address of its machine code in this process: all of it can be found from there, through
    /// calls and pointers.
    pub code: usize,
}

/// An input with its right answer.
pub trait Case: Send + Sync {
    /// Parameters that describe it.
    fn params(&self) -> &Params;
    /// Amount of work.
    fn work(&self) -> Work;
    /// Notes on the input for readers of results.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// See [`Algorithm::defects`].
    fn defects(&self) -> Vec<String> {
        Vec::new()
    }
    /// Prepares the variant with this index.
    ///
    /// # Errors
    /// If the variant can't run here or on this input.
    fn prepare<'c>(
        &'c self,
        variant: usize,
        target: &Target<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable>;
    /// Returns the memory of all unused buffers to the system, so that the next ones have other
    /// addresses. The input stays where it is.
    fn drop_buffers(&self);
    /// Makes candidates take their buffers from another arena, for inputs that are processed one
    /// after the other with the same buffers.
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
    /// Checks the right answer for each promise of variants.
    ///
    /// # Errors
    /// The reason why the check refuses it.
    fn check_reference(&self) -> Result<(), CheckError>;
    /// Checks mutated outputs for each promise of variants, and returns the number of refused ones;
    /// mutated elements are drawn from a seed.
    ///
    /// # Errors
    /// A mutated output that the check accepts: the variant that could return it, and what is wrong
    /// with it.
    fn refused_mutants(&self, seed: u64) -> Result<usize, String>;
    /// True if the check distinguishes a variant that does nothing from a right one; it must,
    /// unless there is nothing to do.
    fn rejects_no_op(&self) -> bool;
}
