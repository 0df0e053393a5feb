//! Reads and validates the tasks of a library.

use std::collections::HashSet;
use std::ffi::c_char;
use std::ops::RangeInclusive;

use text::Untrusted;

use super::loaded_task::{
    ArraySpec, LoadedTask, MetricSpec, TaskCalls, TaskFunctions, TaskPointer,
};
use super::loaded_variant::{Contract, PluginInfo, Stable, leak};
use super::table::{check_name, text, yes_or_no};
use super::task_abi::{self, TaskTable};
use super::task_problem::{TaskError, TaskProblem};
use crate::axis::{Axis, Flag};
use crate::plugin::abi;

/// Maximum number of tasks, axes, arrays or metrics; a larger number is probably uninitialised.
const MAX_COUNT: u64 = 64;
/// Maximum number of hard inputs and choices.
const MAX_NAMES: u64 = 1000;
/// Maximum size of an element.
const MAX_ELEMENT_BYTES: u64 = 4096;

/// Returns all tasks of a library.
pub(super) fn tasks(
    table: &TaskTable,
    plugin: &'static PluginInfo,
) -> Result<Vec<&'static LoadedTask>, TaskError> {
    let unnamed = |problem: TaskProblem| problem.of_task("");
    // SAFETY: the header requires the table and its pointers to stay as they are.
    let pointers = unsafe {
        sized(table, || "recobench_task_table".to_owned())
            .and_then(|table| list(table.tasks, table.task_count, 1..=MAX_COUNT, "tasks"))
            .map_err(unnamed)?
    };
    let tasks = pointers.iter().enumerate().map(|(index, &pointer)| {
        // SAFETY: the header requires a task there, for as long as the library is loaded.
        let task = unsafe { sized(pointer, || format!("recobench_task {index}")) };
        let task = task.map_err(unnamed)?;
        let name = text(task.name, &format!("the name of task {index}"))
            .and_then(|name| check_name(name, &format!("task {index}")).map(|()| name))
            .map_err(|problem| unnamed(problem.into()))?;
        let loaded = read(task, name, plugin);
        let loaded = loaded.map_err(|problem| problem.of_task(name))?;
        Ok(leak(loaded))
    });
    tasks.collect()
}

fn read(
    task: &'static task_abi::Task,
    name: &'static str,
    plugin: &'static PluginInfo,
) -> Result<LoadedTask, TaskProblem> {
    if task.hard_input_count == 0 {
        return Err(TaskProblem::NoHardInputs);
    }
    let item_unit = text(task.item_unit, "item_unit")?;
    check_name(item_unit, "item_unit")?;
    // SAFETY: the header requires lists of these lengths.
    let (axes, arrays, outputs, metrics) = unsafe {
        (
            structs(task.axes, task.axis_count, 0..=MAX_COUNT, ["axis", "axes"], axis)?,
            structs(task.arrays, task.array_count, 1..=MAX_COUNT, ["array", "arrays"], array)?,
            structs(task.outputs, task.output_count, 1..=MAX_COUNT, ["output", "outputs"], array)?,
            structs(task.metrics, task.metric_count, 0..=MAX_COUNT, ["metric", "metrics"], metric)?,
        )
    };
    unique(axes.iter().map(|axis: &Axis| axis.name), "axes")?;
    unique(metrics.iter().map(|metric: &MetricSpec| metric.name), "metrics")?;
    // SAFETY: the header requires lists of these lengths.
    let (file_endings, hard_inputs) = unsafe {
        (
            texts(task.file_endings, task.file_ending_count, 0..=MAX_COUNT, "file_endings")?,
            texts(task.hard_inputs, task.hard_input_count, 1..=MAX_NAMES, "hard_inputs")?,
        )
    };
    unique(hard_inputs.iter().copied(), "hard_inputs")?;
    let any_order = yes_or_no(task.any_order, "any_order", "the table")?;
    if any_order && task.check.is_none() {
        return Err(TaskProblem::MissingFunction {
            function: "check",
            instead: "outputs are compared in order without it; set any_order to 0",
        });
    }
    Ok(LoadedTask {
        table: TaskPointer(task),
        plugin,
        name,
        summary: text(task.summary, "summary")?,
        item_unit,
        axes: leak(axes),
        arrays,
        outputs,
        functions: functions(task, !file_endings.is_empty(), !metrics.is_empty())?,
        metrics,
        file_endings: leak(file_endings),
        hard_inputs,
        any_order,
        calls: TaskCalls::new(&plugin.file, name),
        contract: Contract {
            task: name,
            since: task_abi::TASKS_SINCE,
            cuda: &[abi::SEPARATE],
            stable: Stable::Never,
            ..Contract::NEW
        },
    })
}

fn functions(
    task: &task_abi::Task,
    has_files: bool,
    has_metrics: bool,
) -> Result<TaskFunctions, TaskProblem> {
    const NEEDED: &str = "every task has it";
    let missing = |function, instead| TaskProblem::MissingFunction { function, instead };
    if has_files != task.read.is_some() {
        return Err(if has_files {
            missing("read", "file_endings names files; give both or none")
        } else {
            TaskProblem::Invalid("read is given, but file_ending_count is 0; name endings".into())
        });
    }
    if has_metrics != task.measure.is_some() {
        return Err(if has_metrics {
            missing("measure", "metrics names figures; give both or none")
        } else {
            TaskProblem::Invalid("measure is given, but metric_count is 0; name metrics".into())
        });
    }
    if task.generate.is_none() && task.read.is_none() {
        return Err(missing("generate", "so is read, and inputs come from one of them"));
    }
    Ok(TaskFunctions {
        plan: task.plan.ok_or_else(|| missing("plan", NEEDED))?,
        generate: task.generate,
        read: task.read,
        write: task.write,
        hard_input: task.hard_input.ok_or_else(|| missing("hard_input", NEEDED))?,
        shrink: task.shrink,
        describe: task.describe.ok_or_else(|| missing("describe", NEEDED))?,
        reference: task.reference.ok_or_else(|| missing("reference", NEEDED))?,
        check: task.check,
        measure: task.measure,
        release: task.release.ok_or_else(|| missing("release", NEEDED))?,
    })
}

fn axis(axis: &'static task_abi::Axis, context: &str) -> Result<Axis, TaskProblem> {
    let name = text(axis.name, &format!("the name of {context}"))?;
    check_name(name, context)?;
    let context = format!("axis {}", name.quoted());
    let flag = flag(axis, name, &context)?
        .or(text(axis.default_value, &format!("the default_value of {context}"))?)
        .with_help(text(axis.help, &format!("the help of {context}"))?);
    let flag = match optional(axis.unit, &format!("the unit of {context}"))? {
        Some(unit) => flag.unit(unit),
        None => flag,
    };
    let flag = match optional(axis.label, &format!("the label of {context}"))? {
        Some(label) => flag.label(label),
        None => flag,
    };
    let read = match axis.small {
        0.0 => flag.axis(),
        small if small.is_finite() && small > 0.0 => flag.small(small).axis(),
        small => return Err(format!("{context}: small is {small}; use a number above 0").into()),
    };
    let default = read.default.map_or(Ok(String::new()), |default| read.parse(default));
    default.map_err(|error| format!("{context}: default_value: {error}"))?;
    Ok(read)
}

/// The flag of an axis, by its kind.
fn flag(
    axis: &'static task_abi::Axis,
    name: &'static str,
    context: &str,
) -> Result<Flag<String>, TaskProblem> {
    Ok(match axis.kind {
        task_abi::COUNT => Flag::count(name),
        task_abi::INTEGER => Flag::integer(name),
        task_abi::SHARE => Flag::share(name),
        task_abi::NUMBER => Flag::number(name),
        task_abi::TIME_STAMP => Flag::time_stamp(name),
        task_abi::DURATION => Flag::duration(name),
        task_abi::FREQUENCY => Flag::frequency(name),
        task_abi::SWITCH => Flag::switch(name),
        task_abi::CHOICE => {
            let what = format!("choices of {context}");
            // SAFETY: the header requires a list of this length.
            let choices =
                unsafe { texts(axis.choices, axis.choice_count.into(), 1..=MAX_NAMES, &what)? };
            unique(choices.iter().copied(), &what)?;
            Flag::choice(name, leak(choices))
        }
        other => {
            return Err(format!("{context}: kind is {other}; use RECOBENCH_AXIS_COUNT, …").into());
        }
    })
}

fn array(array: &'static task_abi::Array, context: &str) -> Result<ArraySpec, TaskProblem> {
    let name = text(array.name, &format!("the name of {context}"))?;
    let element_bytes = array.element_bytes;
    if !(1..=MAX_ELEMENT_BYTES).contains(&element_bytes) {
        return Err(format!(
            "{context}, its {name}: element_bytes is {element_bytes}; use 1 to {MAX_ELEMENT_BYTES}"
        )
        .into());
    }
    Ok(ArraySpec { name, element_bytes: element_bytes as usize })
}

fn metric(metric: &'static task_abi::Metric, context: &str) -> Result<MetricSpec, TaskProblem> {
    let name = text(metric.name, &format!("the name of {context}"))?;
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.chars().all(is_allowed) {
        return Err(format!(
            "{context} is called {}; use lower case letters, digits and underscores",
            name.quoted()
        )
        .into());
    }
    let better = metric.better;
    if !(-1..=1).contains(&better) {
        let name = name.quoted();
        return Err(format!("metric {name}: better is {better}; use 1, -1 or 0").into());
    }
    Ok(MetricSpec {
        name,
        unit: optional(metric.unit, &format!("the unit of {context}"))?.unwrap_or_default(),
        label: text(metric.label, &format!("the label of {context}"))?,
        meaning: text(metric.meaning, &format!("the meaning of {context}"))?,
        better,
    })
}

/// A text that may be NULL or empty.
fn optional(pointer: *const c_char, what: &str) -> Result<Option<&'static str>, TaskProblem> {
    // SAFETY: the header requires texts to end with a NUL.
    if pointer.is_null() || unsafe { pointer.read() } == 0 {
        return Ok(None);
    }
    Ok(Some(text(pointer, what)?))
}

fn unique(names: impl Iterator<Item = &'static str>, what: &str) -> Result<(), TaskProblem> {
    let mut known = HashSet::new();
    for name in names {
        if !known.insert(name) {
            let name = name.quoted();
            return Err(format!("two of its {what} are called {name}; rename one").into());
        }
    }
    Ok(())
}

/// Reads structs through a list of pointers.
///
/// # Safety
/// `pointers` is NULL, or has `count` pointers to structs that stay as they are.
unsafe fn structs<T: 'static, R>(
    pointers: *const *const T,
    count: u64,
    allowed: RangeInclusive<u64>,
    [singular, plural]: [&str; 2],
    read: impl Fn(&'static T, &str) -> Result<R, TaskProblem>,
) -> Result<Vec<R>, TaskProblem> {
    // SAFETY: as the caller promises.
    let pointers = unsafe { list(pointers, count, allowed, plural)? };
    let read = |(index, &pointer): (usize, &*const T)| {
        let context = format!("{singular} {index}");
        // SAFETY: as the caller promises.
        read(unsafe { sized(pointer, || context.clone())? }, &context)
    };
    pointers.iter().enumerate().map(read).collect()
}

/// Reads texts through a list of pointers.
///
/// # Safety
/// `pointers` is NULL, or has `count` pointers to texts that stay as they are.
unsafe fn texts(
    pointers: *const *const c_char,
    count: u64,
    allowed: RangeInclusive<u64>,
    what: &str,
) -> Result<Vec<&'static str>, TaskProblem> {
    // SAFETY: as the caller promises.
    let pointers = unsafe { list(pointers, count, allowed, what)? };
    let read = |(index, &pointer): (usize, &*const c_char)| {
        Ok(text(pointer, &format!("text {index} of {what}"))?)
    };
    pointers.iter().enumerate().map(read).collect()
}

/// A list of pointers.
///
/// # Safety
/// `pointers` is NULL, or has `count` pointers that stay as they are.
unsafe fn list<T>(
    pointers: *const *const T,
    count: u64,
    allowed: RangeInclusive<u64>,
    what: &str,
) -> Result<&'static [*const T], TaskProblem> {
    if !allowed.contains(&count) {
        let (min, max) = allowed.into_inner();
        return Err(format!("it has {count} {what}; {min} to {max} are allowed").into());
    }
    if count == 0 {
        return Ok(&[]);
    }
    if pointers.is_null() {
        return Err(format!("the list of its {count} {what} is NULL").into());
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(pointers, count as usize) })
}

/// A struct of the size that the header has.
///
/// # Safety
/// `pointer` is NULL, or points to a struct that starts with its size and stays as it is; if that
/// is the size of `T`, it is one.
unsafe fn sized<T>(
    pointer: *const T,
    structure: impl Fn() -> String,
) -> Result<&'static T, TaskProblem> {
    if pointer.is_null() {
        return Err(format!("{} is NULL", structure()).into());
    }
    // SAFETY: as the caller promises.
    let found = unsafe { pointer.cast::<usize>().read() };
    let expected = size_of::<T>();
    if found != expected {
        return Err(TaskProblem::OtherSize { structure: structure(), found, expected });
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { &*pointer })
}
