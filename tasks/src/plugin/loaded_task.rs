//! A task of a shared library: its table, read and validated.

use super::hooks::Call;
use super::loaded_variant::{Contract, PluginInfo};
use super::task_abi;
use crate::axis::Axis;

/// A task of a plugin.
pub(crate) struct LoadedTask {
    /// The library's table, for calls.
    pub(crate) table: TaskPointer,
    pub(crate) plugin: &'static PluginInfo,
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// An item of the input, in the singular.
    pub(crate) item_unit: &'static str,
    pub(crate) axes: &'static [Axis],
    /// Arrays of an input: at least one.
    pub(crate) arrays: Vec<ArraySpec>,
    /// Arrays of an output: at least one.
    pub(crate) outputs: Vec<ArraySpec>,
    pub(crate) metrics: Vec<MetricSpec>,
    pub(crate) file_endings: &'static [&'static str],
    /// Names of the hard inputs: at least one.
    pub(crate) hard_inputs: Vec<&'static str>,
    /// True if the elements of an output may be in any order.
    pub(crate) any_order: bool,
    pub(crate) functions: TaskFunctions,
    pub(crate) calls: TaskCalls,
    /// Declarations that variants for this task may make.
    pub(crate) contract: Contract,
}

/// Table of a task in the memory of its plugin.
#[derive(Clone, Copy)]
pub(crate) struct TaskPointer(pub(super) *const task_abi::Task);

// SAFETY: the header requires tables to stay where and as they are.
unsafe impl Send for TaskPointer {}
// SAFETY: the header requires tables to stay where and as they are.
unsafe impl Sync for TaskPointer {}

impl TaskPointer {
    /// Pointer for calls.
    pub(crate) fn as_ptr(self) -> *const task_abi::Task {
        self.0
    }
}

/// An array of an input or of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArraySpec {
    /// Name in messages, in the plural.
    pub(crate) name: &'static str,
    pub(crate) element_bytes: usize,
}

/// A metric of outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricSpec {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) label: &'static str,
    pub(crate) meaning: &'static str,
    /// 1 if larger is better, -1 if smaller is, 0 if neither is.
    pub(crate) better: i32,
}

/// Functions of a task; those that it may lack are optional.
#[derive(Clone, Copy)]
pub(crate) struct TaskFunctions {
    pub(crate) plan: task_abi::MakePlan,
    pub(crate) generate: Option<task_abi::Generate>,
    pub(crate) read: Option<task_abi::ReadFile>,
    pub(crate) write: Option<task_abi::WriteFile>,
    pub(crate) hard_input: task_abi::HardInput,
    pub(crate) shrink: Option<task_abi::Shrink>,
    pub(crate) describe: task_abi::Describe,
    pub(crate) reference: task_abi::Reference,
    pub(crate) check: Option<task_abi::Check>,
    pub(crate) measure: Option<task_abi::Measure>,
    pub(crate) release: task_abi::Release,
}

/// The calls of a task.
#[derive(Debug)]
pub(crate) struct TaskCalls {
    pub(crate) plan: Call,
    pub(crate) generate: Call,
    pub(crate) read: Call,
    pub(crate) write: Call,
    pub(crate) hard_input: Call,
    pub(crate) shrink: Call,
    pub(crate) describe: Call,
    pub(crate) reference: Call,
    pub(crate) check: Call,
    pub(crate) measure: Call,
    pub(crate) release: Call,
}

impl TaskCalls {
    pub(super) fn new(library: &str, task: &str) -> Self {
        let task = format!("the task {task}");
        let call = |function| Call::new(library, Some(&task), function);
        TaskCalls {
            plan: call("plan"),
            generate: call("generate"),
            read: call("read"),
            write: call("write"),
            hard_input: call("hard_input"),
            shrink: call("shrink"),
            describe: call("describe"),
            reference: call("reference"),
            check: call("check"),
            measure: call("measure"),
            release: call("release"),
        }
    }
}
