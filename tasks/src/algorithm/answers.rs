//! Right answers for an input, and the check of outputs against them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use generators_common::DataError;

use super::{Algorithm, CheckError, Promise, Quality, Semantics};

/// A right answer, if there is one.
type Answer<T> = Arc<Option<T>>;

/// Right answers for an input: one for each of [`Semantics::ALL`], computed when it is first
/// needed.
pub struct Answers<A: Algorithm>([Mutex<Option<Answer<A::Output>>>; Semantics::ALL.len()]);

impl<A: Algorithm> Default for Answers<A> {
    fn default() -> Self {
        Answers(Default::default())
    }
}

impl<A: Algorithm> Answers<A> {
    /// Returns the answer for these semantics; finds it first if it was not asked for before.
    pub fn get(&self, task: &A, input: &A::Input, semantics: Semantics) -> Answer<A::Output> {
        let answer = &self.0[semantics as usize];
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(answer.get_or_insert_with(|| Arc::new(task.reference(input, semantics))))
    }
}

/// Checks outputs of a variant for an input.
pub struct Judge<'a, A: Algorithm> {
    /// The task.
    pub task: &'a A,
    /// The input.
    pub input: &'a A::Input,
    /// Answers that all variants share; without them, each check finds the answer itself.
    pub answers: Option<&'a Answers<A>>,
    /// The promise of the variant.
    pub promise: Promise,
}

impl<A: Algorithm> Judge<'_, A> {
    fn answer(&self) -> Option<Answer<A::Output>> {
        let answers = self.answers?;
        Some(answers.get(self.task, self.input, self.promise.semantics))
    }

    pub(super) fn find_reference(&self) {
        self.answer();
    }

    pub(super) fn check(&self, output: &A::Output) -> Result<(), CheckError> {
        let answer = self.answer();
        let reference = answer.as_ref().and_then(|answer| answer.as_ref().as_ref());
        self.task.check(self.input, reference, output, self.promise)
    }

    pub(super) fn quality(&self, output: &A::Output) -> Vec<Quality> {
        self.task.quality(self.input, output)
    }

    pub(super) fn remarks(&self) -> Vec<String> {
        let semantics = self.promise.semantics;
        let is_other = semantics != Semantics::default();
        let remark = || format!("right by the reference \"{}\"", semantics.name());
        is_other.then(remark).into_iter().collect()
    }

    pub(super) fn write_output(
        &self,
        output: &A::Output,
        file: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        self.task.write_output(self.input, output, file, path)
    }
}
