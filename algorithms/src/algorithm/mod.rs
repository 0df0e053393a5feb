//! What a reconstruction task and a variant of it are.
//!
//! | module | holds |
//! |---|---|
//! | `variant` | a variant, as data, and what it is got ready for |
//! | `session` | a variant that is ready: what its author writes, and what is made of that |
//! | `filling` | a variant on the host that fills a list |
//! | `output`, `difference` | what is made, and the check of most tasks |
//! | `digest` | an output as a few numbers |
//! | `mutants` | outputs that a check must refuse |
//! | `shrink` | smaller inputs |
//! | `work` | how much there is to do |
//! | `metric` | the figures of results, and what each of them means |

mod difference;
mod digest;
mod filling;
mod given;
pub(crate) mod metric;
pub(crate) mod mutants;
mod output;
mod session;
pub(crate) mod shrink;
mod variant;
mod work;

use std::path::Path;

use generators::{DataError, named};

use crate::axis::{Axis, Params};
use crate::plugin::Contract;

pub use difference::Difference;
pub(crate) use difference::same;
pub use digest::{Digest, KINDS, SegmentSums, Segments};
pub(crate) use digest::{ITEM_MULTIPLIER, ItemWords, SEGMENT_MULTIPLIER, WORD_STEP, segment_sums};
pub use given::Given;
pub use metric::{About, Better, Metric, MetricInfo, Relation};
pub use mutants::{Choose, Harm, Mutants};
pub use output::{Element, Output};
pub(crate) use session::Runner;
pub use session::{Damage, Session};
pub use variant::{Native, Open, Opened, Opening, SHADERS, Variant};
pub use work::{MemoryShares, Plan, Work};

/// What is known of a task without any data.
#[derive(Clone, Copy, Debug)]
pub struct TaskInfo {
    /// The subcommand's name.
    pub name: &'static str,
    /// The task in one line.
    pub summary: &'static str,
    /// The name of what [`Algorithm::generate`] makes: tasks with the same name, and the same
    /// type of input, make the same of the same parameters and seed.
    pub input: &'static str,
    /// How the names of files end that [`Algorithm::read`] reads; what [`Algorithm::write`] is given
    /// may be such that only some of them can hold it.
    pub file_endings: &'static [&'static str],
    /// What can be varied.
    pub axes: &'static [Axis],
    /// What can be said about an input that is read from a file; some of it may be varied in
    /// generated data too.
    pub file_axes: &'static [Axis],
    /// The figures that its variants may have in the results.
    pub metrics: &'static [MetricInfo],
}

/// A reconstruction task with a known right answer.
pub trait Algorithm: Copy + Send + Sync + 'static {
    /// What a variant is given.
    type Input: Send + Sync + 'static;
    /// What a variant makes of it.
    type Output: Output;

    /// What is known of it without any data.
    fn info(&self) -> TaskInfo;

    /// All variants, in the order in which they are listed; those of plugins come
    /// last. Loading a plugin adds to them.
    fn variants(&self) -> Vec<Variant<Self>>;

    /// What its plugins may say of themselves, if it takes any.
    fn contract(&self) -> Option<&'static Contract> {
        None
    }

    /// Fills in what was not given, and says how much memory a point takes.
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn plan(&self, params: Params) -> Result<Plan, DataError>;

    /// What a variant takes of the memory of a plan where there are several inputs.
    fn memory_shares(&self, _variant: &str) -> MemoryShares {
        MemoryShares::UNKNOWN
    }

    /// Generates the input of a planned point.
    ///
    /// # Errors
    /// As [`Algorithm::plan`].
    fn generate(&self, params: &Params, seed: u64) -> Result<Self::Input, DataError>;

    /// Reads an input from a file, with the parameters that describe it. The options
    /// are values of [`TaskInfo::file_axes`].
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(&self, path: &Path, options: &Params) -> Result<(Self::Input, Params), DataError>;

    /// Writes an input to a file, for [`Algorithm::read`].
    ///
    /// # Errors
    /// If it can't be written.
    fn write(&self, input: &Self::Input, path: &Path) -> Result<(), DataError>;

    /// What is left of an input if a part is taken away, large parts first: to
    /// find what it is that makes a variant wrong. See `shrink.rs`.
    fn shrink<'i>(&self, input: &'i Self::Input) -> Box<dyn Iterator<Item = Self::Input> + 'i>;

    /// Small inputs that are hard in some way, with their names.
    fn hard_inputs(&self, seed: u64) -> Vec<(String, Self::Input)>;

    /// How much there is to do.
    fn work(&self, input: &Self::Input) -> Work;

    /// What a reader of results should know of an input, in words.
    fn notes(&self, _: &Self::Input) -> Vec<String> {
        Vec::new()
    }

    /// The right answer by these semantics, if its variants have them; `None` where it
    /// would take too long.
    fn reference(&self, input: &Self::Input, semantics: Semantics) -> Option<Self::Output>;

    /// Whether an output is what was promised; without a reference, as far as that
    /// can be told. As the reference, it is the work of all threads of the current pool,
    /// and comes to the same with any number of them.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn check(
        &self,
        input: &Self::Input,
        reference: Option<&Self::Output>,
        output: &Self::Output,
        promise: Promise,
    ) -> Result<(), Damage> {
        if let Some(reference) = reference {
            return self.compare(input, reference, output, promise);
        }
        let reference = self.reference(input, promise.semantics);
        let reference = reference.ok_or("there is no reference to compare with")?;
        self.compare(input, &reference, output, promise)
    }

    /// Whether an output is what was promised, by the right one: element by element, unless
    /// a task says otherwise.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn compare(
        &self,
        _: &Self::Input,
        right: &Self::Output,
        output: &Self::Output,
        _: Promise,
    ) -> Result<(), Damage> {
        output.compare(right)
    }

    /// How good an output is, where it is known what really happened: further figures
    /// for the results. Asked for once the output was found right.
    fn quality(&self, _: &Self::Input, _: &Self::Output) -> Vec<Metric> {
        Vec::new()
    }

    /// Copies of a right output of which one element was harmed; [`Self::check`] must refuse
    /// those that are not equal to it, as far as [`Harm`] goes against what was promised.
    fn mutants(
        &self,
        _: &Self::Input,
        right: &Self::Output,
        choose: Choose<'_>,
    ) -> Mutants<Self::Output> {
        right.mutants(choose)
    }

    /// What a variant that does nothing would leave behind. [`Self::check`]
    /// must refuse it.
    fn no_op_output(&self, _: &Self::Input) -> Self::Output {
        Self::Output::nothing()
    }
}

/// What a variant promises of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Whether it keeps the order of equals.
    pub stable: bool,
    /// What it keeps of each item.
    pub content: Content,
    /// Which right answer it gives.
    pub semantics: Semantics,
}

/// What a variant keeps of each item of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it.
    Whole,
    /// All but the address, which tells no more than the segment that an item is in.
    WithoutAddress,
}

/// Which right answer: published algorithms may differ for good reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// What we take for right; all that most tasks know.
    #[default]
    Exact,
    /// What the experiment's online reconstruction computes, with all its flaws.
    Published,
    /// What its offline reconstruction computes.
    Offline,
}

named! {
    "semantics",
    Semantics { Exact = "exact", Published = "published", Offline = "offline" }
}
