//! A task of a library, as an algorithm.

use std::iter::from_fn;
use std::path::Path;

use generators_common::DataError;
use portable_gpu::{DeviceError, POISON};
use text::Untrusted;

use super::super::variants;
use super::handle::InputHandle;
use super::input::LibraryInput;
use super::output::LibraryOutput;
use super::params::CParams;
use super::{calls, judged};
use crate::algorithm::{
    About, Algorithm, Better, CheckError, Choose, InputFiles, Metric, MetricInfo, Mutants, Plan,
    Promise, Quality, Relation, Semantics, TaskInfo, Variant, Work,
};
use crate::axis::Params;
use crate::plugin::Contract;
use crate::plugin::loaded_task::{LoadedTask, MetricSpec};

/// A task of a library.
#[derive(Clone, Copy)]
pub(crate) struct LibraryTask(&'static Described);

/// A loaded task with the metrics of its variants: time per item, then those of the library.
struct Described {
    task: &'static LoadedTask,
    metrics: Vec<MetricInfo>,
}

/// Copies of an input during a measurement: the library's, those in buffers, and one to compare.
const INPUT_COPIES: u64 = 3;
/// Copies of an output: of the reference, in buffers, and two for the check.
const OUTPUT_COPIES: u64 = 4;

impl LibraryTask {
    /// Wraps a task for as long as the process lives.
    pub(super) fn new(task: &'static LoadedTask) -> Self {
        let item = task.item_unit;
        let time = MetricInfo::time_each(
            format!("ns_per_{}", item.replace('-', "_")).leak(),
            "ns",
            format!("time per {item}").leak(),
            format!("time over the number of {item}s").leak(),
        );
        let metrics = std::iter::once(time).chain(task.metrics.iter().map(metric_info)).collect();
        LibraryTask(Box::leak(Box::new(Described { task, metrics })))
    }

    /// The loaded task.
    pub(super) fn loaded(self) -> &'static LoadedTask {
        self.0.task
    }

    /// An input that the library made.
    fn input(self, handle: Result<InputHandle, DeviceError>) -> Result<LibraryInput, DataError> {
        handle.and_then(LibraryInput::new).map_err(shape)
    }

    /// Makes a hard input.
    pub(super) fn hard_input(self, index: usize, seed: u64) -> Result<LibraryInput, DeviceError> {
        calls::hard_input(self.loaded(), index, seed).and_then(LibraryInput::new)
    }
}

fn metric_info(metric: &MetricSpec) -> MetricInfo {
    let MetricSpec { name, unit, label, meaning, better } = *metric;
    let better = match better {
        1 => Better::Higher,
        -1 => Better::Lower,
        _ => Better::Neutral,
    };
    MetricInfo { name, unit, label, meaning, better, about: About::Quality }
}

fn shape(error: DeviceError) -> DataError {
    DataError::Shape(error.to_string())
}

impl Algorithm for LibraryTask {
    type Input = LibraryInput;
    type Output = LibraryOutput;

    fn info(&self) -> TaskInfo {
        let task = self.loaded();
        TaskInfo {
            name: task.name,
            summary: task.summary,
            input: task.name,
            file_endings: task.file_endings,
            axes: task.axes,
            file_axes: &[],
            metrics: &self.0.metrics,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        let any_order = self.loaded().any_order;
        let variants = variants(self, &[]).into_iter();
        variants.map(|variant| if any_order { variant } else { variant.in_order() }).collect()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&self.loaded().contract)
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        let task = self.loaded();
        params.complete(task.axes);
        let planned = calls::plan(task, &CParams::new(task.axes, &params)?).map_err(shape)?;
        let input = planned.input_bytes.saturating_mul(INPUT_COPIES);
        let output = planned.output_bytes.saturating_mul(OUTPUT_COPIES);
        Ok(Plan { params, memory_bytes: input.saturating_add(output) })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<LibraryInput, DataError> {
        let task = self.loaded();
        let Some(generate) = task.functions.generate else {
            let name = task.name;
            return Err(DataError::shape(format!("{name} generates no inputs; give --input FILE")));
        };
        let params = CParams::new(task.axes, params)?;
        self.input(calls::generate(task, generate, &params, seed))
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(LibraryInput, Params), DataError> {
        let task = self.loaded();
        let path = files.only()?;
        let Some(read) = task.functions.read else {
            let name = task.name;
            return Err(DataError::shape(format!("{name} reads no files; leave --input out")));
        };
        let input = self.input(calls::read(task, read, path));
        let input = input.map_err(|error| DataError::shape(format!("{}: {error}", path.escaped())));
        Ok((input?, options.clone()))
    }

    fn write(&self, input: &LibraryInput, path: &Path) -> Result<(), DataError> {
        let shown = |problem: String| DataError::Shape(format!("{}: {problem}", path.escaped()));
        let Some(write) = self.loaded().functions.write else {
            let task = self.loaded();
            let name = task.name;
            return Err(shown(format!("{} has no write for inputs of {name}", task.plugin.file)));
        };
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = Path::new(&part);
        let handle = input.handle().map_err(shape)?;
        let written = calls::write(handle, write, part).map_err(|error| shown(error.to_string()));
        let renamed = written
            .and_then(|()| std::fs::rename(part, path).map_err(|error| DataError::io(path, error)));
        renamed.inspect_err(|_| drop(std::fs::remove_file(part)))
    }

    fn shrink<'i>(&self, input: &'i LibraryInput) -> Box<dyn Iterator<Item = LibraryInput> + 'i> {
        let shrink = self.loaded().functions.shrink;
        let Some((shrink, handle)) = shrink.zip(input.handle().ok()) else {
            return Box::new(std::iter::empty());
        };
        let mut indices = 0..;
        Box::new(from_fn(move || {
            let smaller = calls::shrink(handle, shrink, indices.next()?);
            LibraryInput::new(smaller.ok()??).ok()
        }))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, LibraryInput)> {
        let task = self.loaded();
        let inputs = task.hard_inputs.iter().enumerate().map(|(index, name)| {
            let input = self.hard_input(index, seed);
            let input = input.unwrap_or_else(|problem| LibraryInput::failed(task, problem));
            ((*name).to_owned(), input)
        });
        inputs.collect()
    }

    fn work(&self, input: &LibraryInput) -> Work {
        let items = input.items;
        let time = Metric::new(&self.0.metrics[0], items as f64 * 1e-9, Relation::SecondsEach);
        Work {
            items,
            item_unit: self.loaded().item_unit,
            bytes_min: input.bytes_min,
            input_bytes: input.array_bytes().map(|bytes| bytes.len() as u64).sum(),
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![time],
        }
    }

    fn reference(&self, input: &LibraryInput, _: Semantics) -> Option<LibraryOutput> {
        let right = judged::reference(self.loaded(), input);
        let note = |error: &DeviceError| drop(input.reference_problem.set(error.to_string()));
        right.inspect_err(note).ok()
    }

    fn check(
        &self,
        input: &LibraryInput,
        reference: Option<&LibraryOutput>,
        output: &LibraryOutput,
        _: Promise,
    ) -> Result<(), CheckError> {
        let task = self.loaded();
        let computed = match reference {
            Some(_) => None,
            None => self.reference(input, Semantics::Exact),
        };
        let Some(right) = reference.or(computed.as_ref()) else {
            let problem = input.reference_problem.get().cloned().unwrap_or_default();
            return Err(format!("there is no right output to compare with: {problem}").into());
        };
        Ok(judged::check(task, input, right, output)?)
    }

    /// A failure is shown as a missing value.
    fn quality(&self, input: &LibraryInput, output: &LibraryOutput) -> Vec<Quality> {
        let task = self.loaded();
        let Some(measure) = task.functions.measure else { return Vec::new() };
        let values = judged::measure(task, measure, input, output).unwrap_or_default();
        let metrics = self.0.metrics[1..].iter().zip(values);
        let known = metrics.filter(|(_, value)| value.is_finite());
        known.map(|(info, value)| Metric::new(info, value, Relation::Itself).into()).collect()
    }

    fn mutants(
        &self,
        input: &LibraryInput,
        right: &LibraryOutput,
        choose: Choose<'_>,
    ) -> Mutants<LibraryOutput> {
        let mutants = right.array_mutants(&input.capacities, choose).into_iter();
        mutants.map(|(_, mutation, output)| (mutation, output)).collect()
    }

    /// The buffers as they are before a run.
    fn no_op_output(&self, input: &LibraryInput) -> LibraryOutput {
        LibraryOutput::filled(&self.loaded().outputs, &input.capacities, POISON)
    }
}
