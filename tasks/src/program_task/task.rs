//! A task whose inputs and right outputs are made by programs.

use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use generators_common::DataError;
use text::Untrusted;

use crate::algorithm::shrink::without_parts;
use crate::algorithm::{
    Algorithm, CheckError, Choose, InputFiles, Mutants, Output, OutputFiles, Plan, Promise,
    Semantics, TaskInfo, Variant, Work,
};
use crate::axis::{Axis, Params};
use crate::external::{CommandTemplate, Comparison, Launch, new_folder, run};
use crate::plugin::PluginInfo;

/// A task whose inputs and right outputs are made by programs. Its variants are external, too.
#[derive(Clone, Debug)]
pub struct ProgramTask {
    /// The subcommand's name.
    pub name: &'static str,
    /// The task in one line.
    pub summary: &'static str,
    /// An item of the input, in the singular.
    pub item: &'static str,
    /// An item of a file.
    pub items: Items,
    /// Parameters of generated inputs.
    pub axes: &'static [Axis],
    /// Endings of input files: one.
    pub input_endings: &'static [&'static str],
    /// Ending of output files.
    pub output_ending: &'static str,
    /// Makes an input: `{input}`, `{seed}`, and a placeholder for each axis.
    pub generate: Option<CommandTemplate>,
    /// Makes the right output: `{input}`, `{output}`.
    pub reference: CommandTemplate,
    /// Comparison of outputs.
    pub comparison: Comparison,
    /// Small inputs that are hard in some respect: at least one.
    pub hard_inputs: Vec<HardInput>,
    /// Time after which a command is killed.
    pub timeout: Duration,
    /// The variant that runs if none is named.
    pub default_variant: &'static str,
    /// The file that describes it.
    pub plugin: &'static PluginInfo,
}

/// An item of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// A line, after some that are the head.
    Lines {
        /// Lines of the head.
        head: usize,
    },
    /// A record of fixed size, after a head.
    Records {
        /// Bytes of the head.
        head: usize,
        /// Bytes of a record.
        bytes: usize,
    },
}

/// A small input that is hard in some respect.
#[derive(Clone, Debug)]
pub struct HardInput {
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: HardInputSource,
}

/// The source of a hard input.
#[derive(Clone, Debug)]
pub enum HardInputSource {
    /// Generated with these parameters.
    Generated(Params),
    /// A file.
    File(PathBuf),
}

/// Largest file that a generator or a reference may write.
const MAX_FILE_BYTES: u64 = 16 << 30;

/// A task of programs as an algorithm.
#[derive(Clone, Copy)]
pub(crate) struct ProgramAlgorithm(pub(super) &'static ProgramTask);

/// The content of an input file, or the reason why there is none: no variant is right on it then.
pub(crate) struct ProgramInput(pub(super) Result<Vec<u8>, String>);

/// The content of an output file, or the reason why there is no right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramOutput(pub(super) Result<Vec<u8>, String>);

impl Items {
    /// Ranges of the bytes of all items of a file.
    fn ranges(self, content: &[u8]) -> Vec<Range<usize>> {
        match self {
            Items::Lines { head } => {
                let mut at = 0;
                let line = |line: &[u8]| {
                    let start = at;
                    at += line.len();
                    start..at
                };
                content.split_inclusive(|byte| *byte == b'\n').map(line).skip(head).collect()
            }
            Items::Records { head, bytes } => {
                let count = content.len().saturating_sub(head) / bytes.max(1);
                (0..count).map(|i| head + i * bytes..head + (i + 1) * bytes).collect()
            }
        }
    }
}

impl ProgramInput {
    fn content(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl ProgramAlgorithm {
    fn run(
        self,
        what: &str,
        command: &CommandTemplate,
        folder: &Path,
        value: impl Fn(&str) -> OsString,
    ) -> Result<(), String> {
        let launch = Launch {
            words: &command.words(value),
            folder,
            cpus: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            timeout: self.0.timeout,
            max_file_bytes: MAX_FILE_BYTES,
        };
        let finished = run(&launch);
        finished.map(drop).map_err(|problem| self.problem(what, command, &problem))
    }

    fn problem(self, what: &str, command: &CommandTemplate, problem: &dyn ToString) -> String {
        let ProgramTask { name, plugin, .. } = self.0;
        let problem = problem.to_string();
        format!("{}: the {what} of {name} {problem} ({})", plugin.file, command.shown())
    }

    /// Content of a file that a program was to write.
    fn written(
        self,
        what: &str,
        command: &CommandTemplate,
        path: &Path,
    ) -> Result<Vec<u8>, String> {
        fs::read(path).map_err(|error| {
            self.problem(what, command, &format!("has not written its file: {error}"))
        })
    }

    pub(super) fn generated(self, params: &Params, seed: u64) -> Result<Vec<u8>, String> {
        const WHAT: &str = "generator";
        let Some(command) = &self.0.generate else {
            return Err(format!("{} generates no inputs; give --input FILE", self.0.name));
        };
        let folder = new_folder()?;
        let path = folder.path().join(format!("input.{}", self.0.input_endings[0]));
        self.run(WHAT, command, folder.path(), |name| match name {
            "input" => path.clone().into(),
            "seed" => seed.to_string().into(),
            axis => params.get(axis).unwrap_or_default().into(),
        })?;
        self.written(WHAT, command, &path)
    }

    pub(super) fn hard_input(self, input: &HardInput, seed: u64) -> Result<Vec<u8>, String> {
        match &input.source {
            HardInputSource::Generated(params) => self.generated(params, seed),
            HardInputSource::File(path) => {
                fs::read(path).map_err(|error| format!("{}: {error}", path.escaped()))
            }
        }
    }

    pub(super) fn right_output(self, input: &ProgramInput) -> Result<Vec<u8>, String> {
        const WHAT: &str = "reference";
        let content = input.0.as_ref().map_err(Clone::clone)?;
        let command = &self.0.reference;
        let folder = new_folder()?;
        let input = folder.path().join(format!("input.{}", self.0.input_endings[0]));
        let output = folder.path().join(format!("output.{}", self.0.output_ending));
        fs::write(&input, content).map_err(|error| format!("{}: {error}", input.escaped()))?;
        self.run(WHAT, command, folder.path(), |name| match name {
            "input" => input.clone().into(),
            _ => output.clone().into(),
        })?;
        self.written(WHAT, command, &output)
    }

    /// The input without some of its items; `None` if none would be left to remove.
    fn without(
        self,
        content: &[u8],
        items: &[Range<usize>],
        gone: Range<usize>,
    ) -> Option<Vec<u8>> {
        let first = items.get(gone.start)?.start;
        let end = items.get(gone.end.checked_sub(1)?)?.end;
        Some([&content[..first], &content[end..]].concat())
    }
}

impl Algorithm for ProgramAlgorithm {
    type Input = ProgramInput;
    type Output = ProgramOutput;

    fn info(&self) -> TaskInfo {
        let task = self.0;
        TaskInfo {
            name: task.name,
            summary: task.summary,
            input: task.name,
            file_endings: task.input_endings,
            axes: task.axes,
            file_axes: &[],
            metrics: &[],
        }
    }

    /// None but external ones.
    fn variants(&self) -> Vec<Variant<Self>> {
        Vec::new()
    }

    /// The size of inputs is known once they are made.
    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(self.0.axes);
        Ok(Plan { params, memory_bytes: 0 })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<ProgramInput, DataError> {
        let content = self.generated(params, seed).map_err(DataError::Shape)?;
        Ok(ProgramInput(Ok(content)))
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(ProgramInput, Params), DataError> {
        let path = files.only()?;
        let content = fs::read(path).map_err(|error| DataError::io(path, error))?;
        Ok((ProgramInput(Ok(content)), options.clone()))
    }

    fn write(&self, input: &ProgramInput, path: &Path) -> Result<(), DataError> {
        let content = input.0.as_ref().map_err(|problem| DataError::shape(problem.as_str()))?;
        fs::write(path, content).map_err(|error| DataError::io(path, error))
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["row"], self.0.default_variant, self.0.default_variant))
    }

    fn write_output(
        &self,
        _: &ProgramInput,
        output: &ProgramOutput,
        _file: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        let content = output.0.as_ref().map_err(|problem| DataError::shape(problem.as_str()))?;
        fs::write(path, content).map_err(|error| DataError::io(path, error))?;
        Ok(content.len())
    }

    fn shrink<'i>(&self, input: &'i ProgramInput) -> Box<dyn Iterator<Item = ProgramInput> + 'i> {
        let content = input.content();
        let items = self.0.items.ranges(content);
        let task = *self;
        let count = items.len();
        let without = move |gone| Some(ProgramInput(Ok(task.without(content, &items, gone)?)));
        Box::new(without_parts(count, without))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, ProgramInput)> {
        let input =
            |input: &HardInput| (input.name.clone(), ProgramInput(self.hard_input(input, seed)));
        self.0.hard_inputs.iter().map(input).collect()
    }

    fn work(&self, input: &ProgramInput) -> Work {
        let content = input.content();
        Work {
            items: self.0.items.ranges(content).len() as u64,
            item_unit: self.0.item,
            bytes_min: content.len() as u64,
            input_bytes: content.len() as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &ProgramInput, _: Semantics) -> Option<ProgramOutput> {
        Some(ProgramOutput(self.right_output(input)))
    }

    fn compare(
        &self,
        _: &ProgramInput,
        right: &ProgramOutput,
        output: &ProgramOutput,
        _: Promise,
    ) -> Result<(), CheckError> {
        let right = right.0.as_ref().map_err(|problem| problem.as_str())?;
        let found = output.0.as_ref().map_err(|problem| problem.as_str())?;
        Ok(self.0.comparison.compare(found, right)?)
    }

    fn mutants(
        &self,
        _: &ProgramInput,
        right: &ProgramOutput,
        choose: Choose<'_>,
    ) -> Mutants<ProgramOutput> {
        let Ok(right) = &right.0 else { return Vec::new() };
        let mutants = self.0.comparison.mutants(right, choose).into_iter();
        mutants.map(|(mutation, content)| (mutation, ProgramOutput(Ok(content)))).collect()
    }
}

impl<A: ?Sized> Output<A> for ProgramOutput {
    fn nothing() -> Self {
        ProgramOutput(Ok(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_lines_or_records_after_a_head() {
        let lines = Items::Lines { head: 1 };
        assert_eq!(lines.ranges(b"a,b\n1,2\n3,4"), [4..8, 8..11]);
        assert!(lines.ranges(b"a,b\n").is_empty() && lines.ranges(b"").is_empty());
        let records = Items::Records { head: 2, bytes: 3 };
        assert_eq!(records.ranges(b"hhabcdefg"), [2..5, 5..8]);
        assert!(records.ranges(b"h").is_empty());
    }
}
