//! What a reconstruction task and a variant of it are.

use std::borrow::Cow;
use std::error::Error;
use std::path::Path;

use generators::DataError;

use crate::axis::{Axis, Params};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, Backend, Place};
use crate::plugin::PluginInfo;

/// A reconstruction task with a known right answer.
pub trait Algorithm: Sized + 'static {
    /// What a variant is given.
    type Input: Send + Sync + 'static;
    /// What a variant makes of it.
    type Output: Clone + PartialEq + Send + Sync + 'static;
    /// How an output can be wrong.
    type Mismatch: Error + Send + Sync + 'static;

    /// The subcommand's name.
    const NAME: &'static str;
    /// The task in one line.
    const SUMMARY: &'static str;

    /// The name of what [`Algorithm::generate`] makes: tasks with the same name, and the same
    /// type of input, make the same of the same parameters and seed.
    const INPUT: &'static str = Self::NAME;

    /// How the names of files end that [`Algorithm::write`] writes.
    const FILE_ENDING: &'static str;

    /// What can be varied.
    fn axes() -> &'static [Axis];

    /// What can be said about an input that is read from a file; some of it may be
    /// varied in generated data too.
    fn reading() -> &'static [Axis] {
        &[]
    }

    /// All variants, in the order in which they are listed; those of plugins come
    /// last. Loading a plugin adds to them.
    fn variants() -> Vec<&'static dyn Variant<Self>>;

    /// Fills in what was not given, and says how much memory a point takes.
    ///
    /// # Errors
    /// If no data can be as the parameters say.
    fn plan(params: Params) -> Result<Plan, DataError>;

    /// Generates the input of a planned point.
    ///
    /// # Errors
    /// As [`Algorithm::plan`].
    fn generate(params: &Params, seed: u64) -> Result<Self::Input, DataError>;

    /// Reads an input from a file, with the parameters that describe it. The options
    /// are values of [`Algorithm::reading`].
    ///
    /// # Errors
    /// If the file can't be read, or the options make no sense.
    fn read(path: &Path, options: &Params) -> Result<(Self::Input, Params), DataError>;

    /// Writes an input to a file, for [`Algorithm::read`].
    ///
    /// # Errors
    /// If it can't be written.
    fn write(input: &Self::Input, path: &Path) -> Result<(), DataError>;

    /// What is left of an input if a part is taken away, large parts first: to
    /// find what it is that makes a variant wrong.
    fn smaller(input: &Self::Input) -> Box<dyn Iterator<Item = Self::Input> + '_>;

    /// Small inputs that are hard in some way, with their names.
    fn hard_inputs(seed: u64) -> Vec<(String, Self::Input)>;

    /// How much there is to do.
    fn work(input: &Self::Input) -> Work;

    /// What a reader of results should know of an input, in words.
    fn notes(_: &Self::Input) -> Vec<String> {
        Vec::new()
    }

    /// The right answer by these semantics, if its variants have them; `None` where it
    /// would take too long.
    fn reference(input: &Self::Input, semantics: Semantics) -> Option<Self::Output>;

    /// Whether an output is what was promised; without a reference, as far as that
    /// can be told. As the reference, it is the work of all threads of the current pool,
    /// and comes to the same with any number of them.
    ///
    /// # Errors
    /// The first thing that is wrong.
    fn check(
        input: &Self::Input,
        reference: Option<&Self::Output>,
        output: &Self::Output,
        promise: Promise,
    ) -> Result<(), Self::Mismatch>;

    /// How good an output is, where it is known what really happened: further figures
    /// for the results. Asked for once the output was found right.
    fn quality(_: &Self::Input, _: &Self::Output) -> Vec<Metric> {
        Vec::new()
    }

    /// What a variant that does nothing would leave behind. [`Self::check`]
    /// must refuse it.
    fn untouched(input: &Self::Input) -> Self::Output;
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

impl Semantics {
    /// All of them.
    pub const ALL: [Semantics; 3] = [Semantics::Exact, Semantics::Published, Semantics::Offline];

    /// What lists and notes call it.
    pub const fn name(self) -> &'static str {
        match self {
            Semantics::Exact => "exact",
            Semantics::Published => "published",
            Semantics::Offline => "offline",
        }
    }
}

/// One way to do it, on one backend.
pub trait Variant<A: Algorithm>: Sync {
    /// The variant's name, unique within task and backend.
    fn name(&self) -> &'static str;
    /// The variant in one line, with its source.
    fn summary(&self) -> &'static str;
    /// Where it runs.
    fn backend(&self) -> Backend;
    /// Whether it keeps the order of equals.
    fn stable(&self) -> bool;

    /// What it keeps of each item.
    fn content(&self) -> Content {
        Content::Whole
    }

    /// The right answers that it knows, each with a reference of its own.
    fn answers(&self) -> &'static [Semantics] {
        &[Semantics::Exact]
    }

    /// Which right answer it gives to an input: one of [`Variant::answers`].
    fn semantics(&self, _: &A::Input) -> Semantics {
        Semantics::Exact
    }

    /// How many levels of nested teams it has: a single one unless it starts
    /// teams of its own.
    fn team_levels(&self) -> usize {
        1
    }

    /// The plugin that it comes from; `None` if `bench` has it itself.
    fn plugin(&self) -> Option<&'static PluginInfo> {
        None
    }

    /// Why it is nowhere to be had, and how to get it; `None` if it is there.
    fn missing(&self) -> Option<&'static str> {
        None
    }

    /// Where the code of [`Variant::prepare`] begins, see [`CodeRoots`](crate::code::CodeRoots).
    fn entry(&self) -> usize {
        let prepare: Prepare<Self, A> = Self::prepare;
        prepare as usize
    }

    /// Gets ready to run on an input.
    ///
    /// # Errors
    /// If the variant can't run here or not on such an input.
    fn prepare<'a>(
        &self,
        input: &'a A::Input,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<A> + 'a>, Unavailable>;
}

/// [`Variant::prepare`] of a type.
type Prepare<V, A> = for<'v, 'a, 'p, 't> fn(
    &'v V,
    &'a <A as Algorithm>::Input,
    &'a Arena,
    &'p Place<'t>,
) -> Result<Box<dyn Prepared<A> + 'a>, Unavailable>;

/// A variant that is ready to run on one input.
///
/// Buffers come from the arena that all variants of a point share, or from the
/// GPU. They are held from [`Prepared::reset`] to [`Prepared::release`] only.
///
/// Nothing goes wrong on the host; the errors are those of GPUs and of plugins.
pub trait Prepared<A: Algorithm>: Send {
    /// Takes buffers and provides fresh input. Not timed.
    ///
    /// # Errors
    /// If there is no room for the buffers.
    fn reset(&mut self) -> Result<(), DeviceError>;
    /// Overwrites every buffer that is not input, so that a check can't see
    /// the right output of an earlier run.
    ///
    /// # Errors
    /// If the device refuses.
    fn poison(&mut self) -> Result<(), DeviceError>;
    /// Does the work. This is what is timed.
    ///
    /// # Errors
    /// If the device refuses, or a kernel fails.
    fn run(&mut self) -> Result<(), DeviceError>;
    /// The stages of the last run, where they are known. Not timed. On a GPU
    /// those since [`Gpu::start_timeline`](crate::device::gpu::Gpu::start_timeline):
    /// who wants to know calls that before a run.
    ///
    /// # Errors
    /// If the device refuses.
    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(Stages::new())
    }
    /// Damage that the last run did and that its output does not show. Not timed;
    /// asked for when the output is checked.
    ///
    /// # Errors
    /// What is damaged.
    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
    /// What a reader should know of its figures, once the output was checked.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// Further figures, of runs that are made to find them. Asked for once the output was
    /// checked and the buffers were given back, and leaves it so.
    ///
    /// # Errors
    /// If the device refuses.
    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }
    /// What a run does, if that is a sample of the work, as all of it would take too long;
    /// its times are no times of the task then. `None` if it does all.
    fn sample(&self) -> Option<Work> {
        None
    }
    /// The output of the last run. Asked for after [`Prepared::inspect`], which may fetch it.
    fn output(&self) -> Cow<'_, A::Output>;
    /// Gives the buffers back.
    fn release(&mut self);
    /// Bytes of all buffers that the variant holds during a run, the input
    /// included. What it allocates while running is measured, not asked.
    fn buffer_bytes(&self) -> u64;
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// `kernel` for all kernels together, `h2d`, `d2h`, or the name of a kernel or of
    /// a part of the work on the host; `scope/name` for a part of the stage `scope`.
    pub name: Cow<'static, str>,
    /// How long it took in all its calls, in seconds.
    pub seconds: f64,
    /// How often it was called.
    pub calls: u32,
    /// Bytes that it moved in all its calls; 0 if nobody knows.
    pub bytes: u64,
}

/// The stages of a run.
pub type Stages = Vec<Stage>;

impl Stage {
    /// A stage that was not called yet.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Stage {
            name: name.into(),
            seconds: 0.0,
            calls: 0,
            bytes: 0,
        }
    }

    /// Adds a call.
    pub fn add(&mut self, seconds: f64, bytes: u64) {
        self.seconds += seconds;
        self.calls += 1;
        self.bytes += bytes;
    }
}

/// A point with all parameters, and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// All parameters, the defaults filled in.
    pub params: Params,
    /// Bytes of memory: the pristine input, the reference and the buffers.
    pub memory_bytes: u64,
}

/// How much there is to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The number of things to process.
    pub items: u64,
    /// What they are, in the singular.
    pub item_unit: &'static str,
    /// Bytes that any implementation must move: read and written.
    pub bytes_min: u64,
    /// The size of the input in bytes.
    pub input_bytes: u64,
    /// Bytes that must go from a GPU to the host, if that is all that must cross the link:
    /// the input is on the GPU before.
    pub to_host_bytes: Option<u64>,
    /// Whether there is a reference, or only order and checksums are checked.
    pub has_reference: bool,
    /// Further figures of the task.
    pub metrics: Vec<Metric>,
}

/// A figure that a task wants to see in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Its name, with the unit.
    pub name: &'static str,
    amount: f64,
    relation: Relation,
}

/// How a figure follows from an amount and the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is the amount.
    Itself,
    /// It is the amount that is done in a second.
    PerSecond,
    /// It is the seconds that one of the amount takes.
    SecondsEach,
}

impl Metric {
    /// A figure that follows from an amount.
    pub const fn new(name: &'static str, amount: f64, relation: Relation) -> Self {
        Metric {
            name,
            amount,
            relation,
        }
    }

    /// The figure for a run of so many seconds; not finite if there is none.
    pub fn value(&self, seconds: f64) -> f64 {
        match self.relation {
            Relation::Itself => self.amount,
            Relation::PerSecond => self.amount / seconds,
            Relation::SecondsEach => seconds / self.amount,
        }
    }
}

/// Why a variant can't run here, or not on such an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);
