//! Tasks that measure kinds of memory, on words of 32 bits.
//!
//! | module | holds |
//! |---|---|
//! | [`memory_kinds`] | a task: words that are changed in memory of all kinds |
//! | [`calibrate`] | a task: constants that are looked up in memory of all kinds |
//! | [`word_task`] | what both share: their input and output are words |
//!
//! [`TASKS`] has all tasks.

pub mod calibrate;
mod kernels;
pub mod memory_kinds;
pub mod word_task;

#[cfg(test)]
mod tests;

use tasks::registry::TaskSet;
use tasks::task::TypedTask;

use calibrate::GainLookups;
use memory_kinds::ChangedWords;
use word_task::WordTask;

/// All tasks.
pub const TASKS: TaskSet =
    TaskSet::new(&[&TypedTask(WordTask(ChangedWords)), &TypedTask(WordTask(GainLookups))]);
