//! The framework for tasks of any kind: tasks, variants, axes, checks, plugins, and how variants
//! are run.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`algorithm`] | interfaces of tasks and variants: the traits to implement |
//! | [`axis`] | parameters of tasks, and their values |
//! | [`device`] | devices, teams of threads, buffers |
//! | [`task`] | tasks without type parameters, for the harness |
//! | [`open_loop`] | tasks whose inputs can be streamed |
//! | [`data_set`] | data that can be generated and written to files |
//! | [`registry`] | the tasks of a program |
//! | [`native`] | native variants that ports of them are compared with |
//! | [`file_selection`] | which parts of files are read |
//! | [`plugin`], [`plugin_session`] | shared libraries with variants, and how these are run |
//! | [`external`], [`program_task`] | programs as variants, and tasks that are made of programs |
//!
//! Nothing here reads a command line, and only the stages of a variant are timed.

pub mod algorithm;
pub mod axis;
pub mod data_set;
pub mod device;
pub mod external;
pub mod file_selection;
pub mod native;
pub mod open_loop;
pub mod plugin;
pub mod plugin_session;
pub mod program_task;
pub mod registry;
pub mod shared_inputs;
pub mod task;

// For macros.
#[doc(hidden)]
pub use portable_gpu as gpu;
