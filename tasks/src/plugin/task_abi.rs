//! The C interface of tasks from shared libraries: the part of `docs/plugin/recobench.h` that
//! version 3 added.

use std::ffi::{c_char, c_void};

use bytemuck::Zeroable;

use super::abi::{Host, structs};

/// First version of the header with tasks.
pub(crate) const TASKS_SINCE: u32 = 3;

pub(crate) const COUNT: u32 = 1;
pub(crate) const INTEGER: u32 = 2;
pub(crate) const SHARE: u32 = 3;
pub(crate) const NUMBER: u32 = 4;
pub(crate) const TIME_STAMP: u32 = 5;
pub(crate) const DURATION: u32 = 6;
pub(crate) const FREQUENCY: u32 = 7;
pub(crate) const CHOICE: u32 = 8;
pub(crate) const SWITCH: u32 = 9;

/// The task, the services of the host, and an input, at the start of the arguments of a call.
type InputCall<T> =
    unsafe extern "C" fn(*const Task, *const Host, input: *const c_void, argument: T) -> i32;

pub(crate) type MakePlan =
    unsafe extern "C" fn(*const Task, *const Host, *const Params, *mut PlannedBytes) -> i32;
pub(crate) type Generate =
    unsafe extern "C" fn(*const Task, *const Host, *const Params, u64, *mut *mut c_void) -> i32;
pub(crate) type ReadFile =
    unsafe extern "C" fn(*const Task, *const Host, *const c_char, *mut *mut c_void) -> i32;
pub(crate) type WriteFile = InputCall<*const c_char>;
pub(crate) type HardInput =
    unsafe extern "C" fn(*const Task, *const Host, index: u64, seed: u64, *mut *mut c_void) -> i32;
pub(crate) type Shrink =
    unsafe extern "C" fn(*const Task, *const Host, *const c_void, u64, *mut *mut c_void) -> i32;
pub(crate) type Describe = InputCall<*mut InputDescription>;
pub(crate) type Reference = InputCall<*const Outputs>;
pub(crate) type Check = unsafe extern "C" fn(
    *const Task,
    *const Host,
    *const c_void,
    right: *const Outputs,
    output: *const Outputs,
) -> i32;
pub(crate) type Measure = unsafe extern "C" fn(
    *const Task,
    *const Host,
    *const c_void,
    *const Outputs,
    values: *mut f64,
) -> i32;
pub(crate) type Release = unsafe extern "C" fn(*const Task, *mut c_void);

structs! {
    "recobench_axis" Axis {
        size: usize,
        name: *const c_char,
        help: *const c_char,
        default_value: *const c_char,
        kind: u32,
        choice_count: u32,
        choices: *const *const c_char,
        unit: *const c_char,
        label: *const c_char,
        small: f64,
    }

    "recobench_params" Params {
        size: usize,
        count: u64,
        texts: *const *const c_char,
        integers: *const i64,
        numbers: *const f64,
    }

    "recobench_array" Array {
        size: usize,
        name: *const c_char,
        element_bytes: u64,
    }

    "recobench_metric" Metric {
        size: usize,
        name: *const c_char,
        unit: *const c_char,
        label: *const c_char,
        meaning: *const c_char,
        better: i32,
    }

    "recobench_plan" PlannedBytes {
        size: usize,
        input_bytes: u64,
        output_bytes: u64,
    }

    "recobench_description" #[derive(Zeroable)] InputDescription {
        size: usize,
        items: u64,
        bytes_min: u64,
        shape: *const c_void,
        shape_bytes: u64,
        arrays: *mut *const c_void,
        elements: *mut u64,
        capacities: *mut u64,
    }

    "recobench_outputs" #[derive(Zeroable)] Outputs {
        size: usize,
        count: u64,
        arrays: *const *mut c_void,
        capacities: *const u64,
        lengths: *mut u64,
    }

    "recobench_task_input" TaskInput {
        size: usize,
        shape: *const c_void,
        shape_bytes: u64,
        count: u64,
        elements: *const u64,
        arrays: *const *const c_void,
        outputs: Outputs,
    }

    "recobench_task" Task {
        size: usize,
        name: *const c_char,
        summary: *const c_char,
        item_unit: *const c_char,
        axis_count: u64,
        axes: *const *const Axis,
        array_count: u64,
        arrays: *const *const Array,
        output_count: u64,
        outputs: *const *const Array,
        metric_count: u64,
        metrics: *const *const Metric,
        file_ending_count: u64,
        file_endings: *const *const c_char,
        hard_input_count: u64,
        hard_inputs: *const *const c_char,
        any_order: u32,
        plan: Option<MakePlan>,
        generate: Option<Generate>,
        read: Option<ReadFile>,
        write: Option<WriteFile>,
        hard_input: Option<HardInput>,
        shrink: Option<Shrink>,
        describe: Option<Describe>,
        reference: Option<Reference>,
        check: Option<Check>,
        measure: Option<Measure>,
        release: Option<Release>,
    }

    "recobench_task_table" TaskTable {
        size: usize,
        task_count: u64,
        tasks: *const *const Task,
    }
}

#[test]
fn kinds_of_axes_are_those_of_the_header() {
    let kinds = [
        ("AXIS_COUNT", COUNT),
        ("AXIS_INTEGER", INTEGER),
        ("AXIS_SHARE", SHARE),
        ("AXIS_NUMBER", NUMBER),
        ("AXIS_TIME_STAMP", TIME_STAMP),
        ("AXIS_DURATION", DURATION),
        ("AXIS_FREQUENCY", FREQUENCY),
        ("AXIS_CHOICE", CHOICE),
        ("AXIS_SWITCH", SWITCH),
    ];
    super::abi::testing::assert_in_header(&kinds.map(|(name, kind)| (name, kind.into())), &[]);
}
