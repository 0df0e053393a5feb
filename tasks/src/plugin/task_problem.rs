//! Reasons why a task of a shared library can't be used.

use text::Untrusted;

/// A task of a plugin that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", named(task))]
pub struct TaskError {
    /// The task; empty if its name is unknown.
    pub task: String,
    /// Reason.
    pub problem: TaskProblem,
}

fn named(task: &str) -> String {
    if task.is_empty() { String::new() } else { format!("its task {}: ", task.quoted()) }
}

/// Reason why a task of a plugin can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskProblem {
    /// A struct that differs from the one in the header of this bench.
    #[error(
        "{structure} declares a size of {found} bytes, and that of this bench has {expected}; set \
         size to its sizeof, and compile with the header of this bench"
    )]
    OtherSize {
        /// The struct, and which one.
        structure: String,
        /// Size that the library declares.
        found: usize,
        /// Size in the header of this bench.
        expected: usize,
    },
    /// A function that is needed.
    #[error("{function} is NULL; {instead}")]
    MissingFunction {
        /// The function.
        function: &'static str,
        /// Reason why it is needed, or how to do without it.
        instead: &'static str,
    },
    /// A name that is taken.
    #[error("there is a task of this name {other}; rename it")]
    NameTaken {
        /// Owner of the other task: `of libother.so`, `that bench has itself`.
        other: String,
    },
    /// No hard inputs.
    #[error(
        "hard_input_count is 0, but checks and variants are tried on hard inputs; give one for each \
         way to be wrong, and an empty one"
    )]
    NoHardInputs,
    /// No variants.
    #[error("the library has no variant for it; add one with this task to recobench_plugin()")]
    NoVariants,
    /// No programs as variants.
    #[error("the file has no variant for it; add a [[variant]] with this task")]
    NoPrograms,
    /// A field that makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// A call that failed.
    #[error("{input}{problem}")]
    CallFailed {
        /// The hard input, followed by a colon; empty if there is none.
        input: String,
        /// The function and its reason.
        problem: String,
    },
    /// A reference that its own check refuses.
    #[error(
        "hard input {}: the check refuses the output of the reference ({problem}); one of them is \
         wrong", input.quoted()
    )]
    ReferenceRefused {
        /// The hard input.
        input: String,
        /// Reason of the check.
        problem: String,
    },
    /// A reference with different outputs for the same input.
    #[error(
        "hard input {}: the reference has another output the second time ({problem}); it must \
         depend on the input only, and write every element", input.quoted()
    )]
    ReferenceVaries {
        /// The hard input.
        input: String,
        /// The difference.
        problem: String,
    },
    /// Inputs that differ although their seeds are equal.
    #[error(
        "hard input {}: its {array} differ the second time, with the same seed; take random numbers \
         from the seed only", input.quoted()
    )]
    InputVaries {
        /// The hard input.
        input: String,
        /// The array.
        array: &'static str,
    },
    /// A check that accepts an output that no variant wrote.
    #[error(
        "hard input {}: the check accepts the output of a variant that does nothing ({output}); \
         compare every element with the reference", input.quoted()
    )]
    AcceptsNoOp {
        /// The hard input.
        input: String,
        /// The output: empty, zeros, or other bytes.
        output: &'static str,
    },
    /// A check that accepts a wrong output.
    #[error(
        "hard input {}: the check accepts an output with one of its {array} {mutation}; compare \
         every element with the reference, and the number of elements", input.quoted()
    )]
    AcceptsMutant {
        /// The hard input.
        input: String,
        /// The array.
        array: &'static str,
        /// Mutation of the element.
        mutation: &'static str,
    },
    /// A check that could not be tried.
    #[error(
        "the right outputs of all hard inputs are empty, so that its check could not be tried; give \
         hard inputs with outputs"
    )]
    NothingToRefuse,
}

impl TaskProblem {
    /// Adds the name of the task, if it is known.
    pub(crate) fn of_task(self, task: &str) -> TaskError {
        TaskError { task: task.to_owned(), problem: self }
    }
}

impl From<String> for TaskProblem {
    fn from(problem: String) -> Self {
        TaskProblem::Invalid(problem)
    }
}
