//! Reconstruction tasks and their variants.
//!
//! | module | holds |
//! |---|---|
//! | `variant` | a variant, as data, and the context in which it is prepared |
//! | `session` | a prepared variant: the trait that its author implements, and its adapter |
//! | `answers` | right answers for an input, and the check against them |
//! | `fill_output` | a CPU variant that fills a list |
//! | `gpu_task` | a task on a GPU, as its buffers and what a run does with them |
//! | `output`, `difference` | outputs, and the check of most tasks |
//! | `digest` | an output as a few numbers |
//! | `read_input` | an input that was read from files |
//! | `mutants` | outputs that a check must refuse |
//! | `shrink` | smaller inputs |
//! | `output_files` | files that outputs are written to |
//! | `file_remarks` | remarks about the files of an input |
//! | `work` | amount of work |
//! | `metric` | metrics in the results, and their definitions |
//! | `quality` | metrics of quality, with their counts |

mod answers;
mod difference;
mod digest;
mod file_remarks;
mod fill_output;
mod gpu_task;
mod input_files;
mod input_state;
pub mod metric;
pub mod mutants;
mod output;
mod output_files;
mod quality;
mod read_input;
mod session;
pub mod shrink;
mod variant;
mod work;

use std::path::Path;

use generators_common::{DataError, named};
use text::Untrusted;

use crate::axis::{Axis, Params};
use crate::plugin::Contract;

pub use answers::Answers;
pub use answers::Judge;
pub use difference::Difference;
pub use difference::same;
pub use digest::{Digest, KINDS, SegmentSums, Segments};
pub use digest::{ITEM_MULTIPLIER, ItemWords, SEGMENT_MULTIPLIER, WORD_STEP, segment_sums};
pub use file_remarks::FileRemarks;
pub use generators_common::element::{Choose, Element};
pub use gpu_task::{GpuRunner, GpuTask, limit_digis};
pub use input_files::{InputFiles, Reading, SourceFile};
pub use input_state::InputState;
pub use metric::{About, Better, Metric, MetricInfo, Relation};
pub use mutants::{Mutants, Mutation};
pub use output::{Output, compare_lists};
pub use output_files::{OutputAlias, OutputFiles, OutputFormat, VariantChoice};
pub use quality::{PartSum, Quality, QualityKind};
pub use read_input::ReadInput;
pub use session::Runner;
#[cfg(any(test, feature = "testing"))]
pub use session::RunnerSession;
pub use session::{Candidate, CheckError, Session};
pub use variant::{Prepare, PrepareResult, SHADERS, Variant, VariantContext};
pub use work::{MemoryShares, Plan, Work};

/// Description of a task without any data.
#[derive(Clone, Copy, Debug)]
pub struct TaskInfo {
    /// The subcommand's name.
    pub name: &'static str,
    /// The task in one line.
    pub summary: &'static str,
    /// Name of the input that [`Algorithm::generate`] makes: tasks with the same name and the same
    /// type of input make equal inputs from equal parameters and seeds.
    pub input: &'static str,
    /// File name endings that [`Algorithm::read`] accepts; some inputs of [`Algorithm::write`] may
    /// fit only some of these formats.
    pub file_endings: &'static [&'static str],
    /// Parameters of generated inputs.
    pub axes: &'static [Axis],
    /// Parameters of an input that is read from a file; generated data may have some of them, too.
    pub file_axes: &'static [Axis],
    /// Metrics that its variants may have in the results.
    pub metrics: &'static [MetricInfo],
}

impl TaskInfo {
    /// A task with an input of its own, which is generated only, and without metrics.
    pub const fn new(name: &'static str, summary: &'static str, axes: &'static [Axis]) -> TaskInfo {
        TaskInfo {
            name,
            summary,
            input: name,
            file_endings: &[],
            axes,
            file_axes: &[],
            metrics: &[],
        }
    }
}

/// Copies of data during a measurement, for tasks without an estimate of their own: the content, the
/// input, two buffers, output, reference, and two copies for a check.
pub const DEFAULT_MEMORY_FOR_BYTE: u64 = 8;

/// A reconstruction task with a known right answer.
pub trait Algorithm: Copy + Send + Sync + 'static {
    /// Input of a variant.
    type Input: Send + Sync + 'static;
    /// Output of a variant.
    type Output: Output<Self>;

    /// Description of the task without any data.
    fn info(&self) -> TaskInfo;

    /// All variants in their listed order, those of plugins last. Loading a plugin adds to them.
    fn variants(&self) -> Vec<Variant<Self>>;

    /// Examples in the help of its command, a line each; `{task}` stands for its name.
    fn examples(&self) -> &'static str {
        ""
    }

    /// Declarations that its plugins may make about themselves; `None` if it takes no plugins.
    fn contract(&self) -> Option<&'static Contract> {
        None
    }

    /// Completes the parameters, and computes the memory of a point.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn plan(&self, params: Params) -> Result<Plan, DataError>;

    /// Shares of a plan's memory that a variant needs if there are several inputs.
    fn memory_shares(&self, _variant: &str) -> MemoryShares {
        MemoryShares::UNKNOWN
    }

    /// Bytes of memory that measuring needs for each byte of a file that is kept: the content, the
    /// input that is made of it, buffers of a variant, the reference and a check. Estimated for
    /// binary files; text is larger for the same data.
    fn memory_for_byte(&self) -> u64 {
        DEFAULT_MEMORY_FOR_BYTE
    }

    /// Generates the input of a planned point.
    ///
    /// # Errors
    /// If no data can have these parameters.
    fn generate(&self, params: &Params, seed: u64) -> Result<Self::Input, DataError>;

    /// Reads an input from a file, with the parameters that describe it. The options
    /// are values of [`TaskInfo::file_axes`]. A task without [`TaskInfo::file_endings`] reads none.
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(&self, files: &InputFiles, _: &Params) -> Result<(Self::Input, Params), DataError> {
        let name = self.info().name;
        Err(DataError::Shape(format!("{}: {name} reads no files", files.first().escaped())))
    }

    /// The files that [`Algorithm::read`] reads, those that a name such as `run_%n` stands for among
    /// them, and how it does.
    ///
    /// # Errors
    /// If a file is missing or can't be opened.
    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        Ok(files.whole())
    }

    /// Reads an input as [`Algorithm::read`] does, with notes on how.
    ///
    /// # Errors
    /// As [`Algorithm::read`].
    fn read_with_notes(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<ReadInput<Self::Input>, DataError> {
        let (input, params) = self.read(files, options)?;
        Ok(ReadInput { input, params, notes: Vec::new() })
    }

    /// Writes an input to a file, for [`Algorithm::read`].
    ///
    /// # Errors
    /// If it can't be written.
    fn write(&self, _: &Self::Input, path: &Path) -> Result<(), DataError> {
        let name = self.info().name;
        Err(DataError::Shape(format!("{}: {name} writes no files", path.escaped())))
    }

    /// Defects of the files that an input was read from: parts that are missing or damaged, and are
    /// left out.
    fn defects(&self, _: &Self::Input) -> Vec<String> {
        Vec::new()
    }

    /// Files that outputs are written to; `None` if they are of no use outside.
    fn output_files(&self) -> Option<OutputFiles> {
        None
    }

    /// Writes an output to one of [`Algorithm::output_files`], by its index, in the format of the
    /// file's ending; returns the number of items.
    ///
    /// # Errors
    /// If the file can't be written; it is then as it was.
    fn write_output(
        &self,
        _: &Self::Input,
        _: &Self::Output,
        _file: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let name = self.info().name;
        Err(DataError::Shape(format!("{}: {name} writes no output", path.escaped())))
    }

    /// Smaller inputs, made by removing parts of an input, large parts first, to find the part that
    /// makes a variant fail. See `shrink.rs`. By default there are none.
    fn shrink<'i>(&self, _: &'i Self::Input) -> Box<dyn Iterator<Item = Self::Input> + 'i> {
        Box::new(std::iter::empty())
    }

    /// Small inputs that are hard in some respect, with their names.
    fn hard_inputs(&self, seed: u64) -> Vec<(String, Self::Input)>;

    /// Amount of work.
    fn work(&self, input: &Self::Input) -> Work;

    /// Notes on an input for readers of results.
    fn notes(&self, _: &Self::Input) -> Vec<String> {
        Vec::new()
    }

    /// Computes the right answer for these semantics, if variants have them; `None` if it would
    /// take too long.
    fn reference(&self, input: &Self::Input, semantics: Semantics) -> Option<Self::Output>;

    /// Checks that an output satisfies the promise; without a reference, as far as that is
    /// possible. Like the reference, it uses all threads of the current pool, and its result does
    /// not depend on their number.
    ///
    /// # Errors
    /// The first error that is found.
    fn check(
        &self,
        input: &Self::Input,
        reference: Option<&Self::Output>,
        output: &Self::Output,
        promise: Promise,
    ) -> Result<(), CheckError> {
        if let Some(reference) = reference {
            return self.compare(input, reference, output, promise);
        }
        let reference = self.reference(input, promise.semantics);
        let reference = reference.ok_or("there is no reference to compare with")?;
        self.compare(input, &reference, output, promise)
    }

    /// Checks an output against the right one: element by element, unless a task defines it
    /// otherwise.
    ///
    /// # Errors
    /// The first error that is found.
    fn compare(
        &self,
        _: &Self::Input,
        right: &Self::Output,
        output: &Self::Output,
        _: Promise,
    ) -> Result<(), CheckError> {
        output.compare(right)
    }

    /// Quality of an output where the truth is known: further metrics for the results, with the
    /// counts of events that intervals and comparisons need. Called once the output was found
    /// right.
    fn quality(&self, _: &Self::Input, _: &Self::Output) -> Vec<Quality> {
        Vec::new()
    }

    /// Copies of a right output with one element mutated; [`Self::check`] must refuse those that
    /// differ from it, as far as the [`Mutation`] violates the promise.
    fn mutants(
        &self,
        _: &Self::Input,
        right: &Self::Output,
        choose: Choose<'_>,
    ) -> Mutants<Self::Output> {
        right.mutants(choose)
    }

    /// Output of a variant that does nothing. [`Self::check`] must refuse it.
    fn no_op_output(&self, _: &Self::Input) -> Self::Output {
        <Self::Output as Output<Self>>::nothing()
    }
}

/// Promise of a variant about its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// True if it keeps the order of equal items.
    pub stable: bool,
    /// Content that it keeps of each item.
    pub content: Content,
    /// Semantics of its output.
    pub semantics: Semantics,
}

/// Content that a variant keeps of each item of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// All fields.
    Whole,
    /// All fields but the address, which follows from the segment of the item.
    WithoutAddress,
}

/// Definition of the right answer: published algorithms may differ for good reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// The definition of recobench; the only one of most tasks.
    #[default]
    Exact,
    /// Result of the experiment's online reconstruction, with all its flaws.
    Published,
    /// Result of the experiment's offline reconstruction.
    Offline,
}

named! {
    "semantics",
    Semantics { Exact = "exact", Published = "published", Offline = "offline" }
}
