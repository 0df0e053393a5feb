//! Programs with tasks of their own: the example of one file, and tasks with names that are taken.
//!
//! A process has one set of tasks, so each program is a process: this test program, which runs
//! [`program`] alone.

#[path = "../../examples/own-task/examples/maxima.rs"]
#[allow(dead_code, reason = "`main` is that of the example as a program")]
mod maxima;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, Output};

use generators_common::DataError;
use tasks::algorithm::{
    Algorithm, CheckError, Plan, PrepareResult, Promise, Semantics, TaskInfo, Variant,
    VariantContext, Work,
};
use tasks::axis::{Axis, Flag, Params};
use tasks::registry::TaskSet;
use tasks::task::TypedTask;

use crate::common::{Folder, LITTLE_MEMORY, folder, in_repository};

/// Name of the program's tasks, and its command line.
const SET: &str = "RECOBENCH_TEST_SET";
const LINE: &str = "RECOBENCH_TEST_LINE";

#[test]
#[ignore = "for the tests below, in a process of its own"]
fn program() {
    let set = env::var(SET).expect("set by the tests below");
    let line = env::var(LINE).expect("set by the tests below");
    let before = "own-program maxima --help".split(' ').map(OsString::from);
    assert!(harness::cli::parse(before).err().expect("help").text().contains("unrecognized"));
    let words = line.split(' ').map(OsString::from);
    println!("\n{:?}", harness::run(&[set_of(&set)], words));
}

fn set_of(name: &str) -> TaskSet {
    match name {
        "maxima" => maxima::TASKS,
        "command" => TaskSet::new(&[&TypedTask(Doubling { name: "list", ..RIGHT })]),
        "flag" => TaskSet::new(&[&TypedTask(Doubling { axes: &[THREADS], ..RIGHT })]),
        "id" => TaskSet::new(&[&TypedTask(Doubling { axes: &[VARIANTS], ..RIGHT })]),
        "of streams" => TaskSet::new(&[&TypedTask(Doubling { axes: &[STREAMS], ..RIGHT })]),
        "no word" => TaskSet::new(&[&TypedTask(Doubling { name: "Doubling task", ..RIGHT })]),
        "right" => TaskSet::new(&[&TypedTask(RIGHT)]),
        "no inputs" => TaskSet::new(&[&TypedTask(Doubling { fault: Fault::NoInputs, ..RIGHT })]),
        "empty inputs" => {
            TaskSet::new(&[&TypedTask(Doubling { fault: Fault::EmptyInputs, ..RIGHT })])
        }
        "no-op" => TaskSet::new(&[&TypedTask(Doubling { fault: Fault::AcceptsNoOp, ..RIGHT })]),
        "lengths" => {
            TaskSet::new(&[&TypedTask(Doubling { fault: Fault::ComparesLengths, ..RIGHT })])
        }
        "refusal" => TaskSet::new(&[&TypedTask(Doubling { fault: Fault::RefusesAll, ..RIGHT })]),
        "reference" => {
            TaskSet::new(&[&TypedTask(Doubling { fault: Fault::WrongReference, ..RIGHT })])
        }
        other => panic!("there is no set {other}"),
    }
}

const THREADS: Axis = Flag::<usize>::count("threads").or("1").axis();
const VARIANTS: Axis = Flag::<usize>::count("variants").or("1").axis();
const STREAMS: Axis = Flag::<usize>::count("streams").or("1").axis();

/// A task that doubles numbers, with a fault.
#[derive(Clone, Copy)]
struct Doubling {
    name: &'static str,
    axes: &'static [Axis],
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    NoInputs,
    EmptyInputs,
    AcceptsNoOp,
    ComparesLengths,
    RefusesAll,
    WrongReference,
}

const RIGHT: Doubling = Doubling { name: "double", axes: &[], fault: Fault::None };

impl Algorithm for Doubling {
    type Input = Vec<u32>;
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        TaskInfo::new(self.name, "double numbers", self.axes)
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        let variant = |name| Variant::cpu(name, "number by number", double);
        vec![variant("one"), variant("other")]
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(self.axes);
        Ok(Plan { params, memory_bytes: 0 })
    }

    fn generate(&self, _: &Params, _: u64) -> Result<Vec<u32>, DataError> {
        Ok((0..1000).collect())
    }

    fn hard_inputs(&self, _: u64) -> Vec<(String, Vec<u32>)> {
        match self.fault {
            Fault::NoInputs => Vec::new(),
            Fault::EmptyInputs => vec![("empty".to_owned(), Vec::new())],
            _ => vec![("few".to_owned(), (1..9).collect()), ("empty".to_owned(), Vec::new())],
        }
    }

    fn work(&self, input: &Vec<u32>) -> Work {
        Work { items: input.len() as u64, item_unit: "number", ..Work::default() }
    }

    fn reference(&self, input: &Vec<u32>, _: Semantics) -> Option<Vec<u32>> {
        let factor = if self.fault == Fault::WrongReference { 3 } else { 2 };
        Some(input.iter().map(|number| factor * number).collect())
    }

    fn compare(
        &self,
        _: &Vec<u32>,
        right: &Vec<u32>,
        output: &Vec<u32>,
        _: Promise,
    ) -> Result<(), CheckError> {
        let is_right = match self.fault {
            Fault::AcceptsNoOp => output.is_empty() || right == output,
            Fault::ComparesLengths => output.len() == right.len(),
            Fault::RefusesAll => false,
            _ => output == right,
        };
        if is_right { Ok(()) } else { Err("not the doubles".into()) }
    }
}

fn double<'a>(at: &VariantContext<'a, '_, Doubling>) -> PrepareResult<'a, Doubling> {
    let input = at.input;
    at.fill_output(input.len(), size_of_val(input.as_slice()), move |doubles| {
        let pairs = doubles.iter_mut().zip(input);
        pairs.for_each(|(double, number)| *double = 2 * number);
    })
}

/// Output of a command line in a program with a set of tasks, and whether it succeeded.
fn run(folder: &Folder, set: &str, line: &str) -> (String, bool) {
    let own = env::current_exe().expect("a program");
    let mut command = Command::new(own);
    command
        .args(["--ignored", "--exact", "own_tasks::program", "--nocapture"])
        .current_dir(folder.path());
    command.env(SET, set).env(LINE, line).envs(LITTLE_MEMORY);
    let Output { stdout, stderr, .. } = command.output().expect("started");
    let text = String::from_utf8([stdout, stderr].concat()).expect("text");
    let succeeded = text.contains("ExitCode(unix_exit_status(0))");
    assert!(succeeded || text.contains("ExitCode("), "{line}: {text}");
    (text, succeeded)
}

#[test]
fn the_example_of_one_file_is_checked_and_measured() {
    let folder = folder();
    let (text, right) = run(&folder, "maxima", "maxima verify --quiet");
    assert!(right, "{text}");
    let line = "maxima maxima --waveforms 1k --max-time 10ms --threads 1 --out r";
    let (text, right) = run(&folder, "maxima", line);
    assert!(right && text.contains("waveforms"), "{text}");
    for file in ["run.json", "samples.csv", "summary.csv", "bars.svg", "bars.png"] {
        assert!(folder.join("r").join(file).is_file(), "{file}: {text}");
    }
    assert!(text.contains("next: maxima report r --out r/report.html"), "{text}");
    let (text, right) = run(&folder, "maxima", "maxima maxima --input a.waves");
    assert!(!right && text.contains("a.waves: maxima reads no files"), "{text}");
}

#[test]
fn the_page_quotes_the_example_of_one_file() {
    let read = |path: &str| fs::read_to_string(in_repository(path)).expect("readable");
    let page = read("docs/own-task.md");
    let blocks = crate::documentation::blocks(&page, "rust");
    let example = read("examples/own-task/examples/maxima.rs");
    let (_, code) = example.split_once("\n\n").expect("code after its description");
    assert_eq!(blocks, [code]);
}

/// The words of examples in a help, without quoted values.
fn words_of_examples(help: &str) -> Vec<&str> {
    let examples = help.lines().filter(|line| line.starts_with("  own-program "));
    let plain = examples.flat_map(|line| line.split('\'').step_by(2));
    plain.flat_map(|part| part.split_whitespace().skip(1)).collect()
}

#[test]
fn help_speaks_of_the_program_and_its_tasks() {
    let folder = folder();
    let is_of_bench = |word: &str| {
        let tasks = recobench::TASKS.iter().flat_map(|set| set.tasks).map(|task| task.name());
        let suites = recobench::TASKS.iter().flat_map(|set| set.suites).map(|suite| suite.name);
        tasks.chain(suites).any(|name| name == word)
    };
    let mut examples = 0;
    for command in [
        "maxima",
        "list",
        "run",
        "verify",
        "throughput",
        "compare",
        "report",
        "winners",
        "plan",
        "history",
        "export",
        "site",
        "completions",
        "man",
        "devices",
        "selftest",
    ] {
        let line = format!("own-program {command} --help");
        let (text, right) = run(&folder, "maxima", &line);
        assert!(right, "{line}: {text}");
        let is_in_word = |c: char| c.is_alphanumeric() || "-_./".contains(c);
        let names_bench = text.split(|c: char| !is_in_word(c)).any(|word| word == "bench");
        assert!(!names_bench, "{line}: {text}");
        let words = words_of_examples(&text);
        let other = words.iter().find(|word| is_of_bench(word) && **word != "selftest");
        assert_eq!(other, None, "{line}: {text}");
        examples += words.iter().filter(|word| **word == "maxima").count();
    }
    assert!(examples > 8, "{examples} examples name the task");
    let (text, _) = run(&folder, "maxima", "own-program --help");
    assert!(text.contains("\n  maxima\n") && text.contains("own-program COMMAND --help"), "{text}");
    for hidden in ["reproduce", "generate", "process", "stream"] {
        assert!(!text.contains(&format!("\n  {hidden} ")), "{text}");
    }
    let (text, _) = run(&folder, "maxima", "own-program verify --help");
    assert!(text.contains("  own-program verify maxima --device emulator --races"), "{text}");
}

#[test]
fn names_that_are_taken_are_refused_at_the_start() {
    let folder = folder();
    for (set, expected) in [
        ("command", "the task \"list\" has the name of a command of own-program; rename it"),
        (
            "flag",
            "the axis \"threads\" of the task \"double\" has the name of a flag of own-program",
        ),
        ("id", "the axis \"variants\" of the task \"double\" has the name of a flag"),
        ("of streams", "the axis \"streams\" of the task \"double\" has the name of a flag"),
        (
            "no word",
            "has a name called \"Doubling task\": use lower case letters, digits and dashes",
        ),
    ] {
        let (text, right) = run(&folder, set, "own-program devices");
        assert!(!right && text.contains(expected), "{set}: {text}");
    }
}

#[test]
fn verify_names_the_fault_of_a_task() {
    let folder = folder();
    let (text, right) = run(&folder, "right", "own-program verify double --quiet");
    assert!(right, "{text}");
    for (set, expected) in [
        ("no inputs", "double: it has no hard inputs; return some from Algorithm::hard_inputs"),
        ("empty inputs", "double: its hard inputs have no output that could be wrong"),
        (
            "no-op",
            "double: seed 1, few: its check accepts the output of a variant that does nothing; \
             make Algorithm::compare refuse it",
        ),
        (
            "lengths",
            "double: seed 1, few: its check accepts a wrong output of one: an element changed; \
             make Algorithm::compare refuse it",
        ),
        (
            "refusal",
            "double: seed 1, few: its check refuses the output of its reference: not the doubles; \
             correct Algorithm::reference or the check",
        ),
        (
            "reference",
            "double: all 2 variants are wrong: look for the error in the reference first",
        ),
    ] {
        let (text, right) = run(&folder, set, "own-program verify --seeds 1 --device cpu");
        assert!(!right && text.contains(expected), "{set}: {text}");
    }
}
