//! Files that people write, values of flags, and messages between processes in lines of JSON.

use harness::fuzzing;
use harness::suite::Suite;
use reports::filter::PointFilter;
use reports::record::{Params, Point};
use tasks::axis::parse_count;
use tasks::device::Device;
use tasks::registry::TaskSet;

use crate::scratch::{Scratch, refused};

/// All tasks.
const TASKS: [TaskSet; 3] =
    [algorithms_sts::TASKS, algorithms_tpc::TASKS, algorithms_memory::TASKS];

/// Longer texts are neither globs nor values of a flag.
const LONGEST_VALUE: usize = 200;

pub(crate) fn suite(_: &Scratch, input: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(input) else {
        return false;
    };
    set_tasks();
    match Suite::parse("suite.toml", text) {
        Ok(suite) => {
            assert!(suite.points().next().is_some(), "a suite without a point");
            true
        }
        Err(error) => refused(&error, "suite.toml"),
    }
}

pub(crate) fn defaults(_: &Scratch, input: &[u8]) -> bool {
    document(input, "recobench.toml", fuzzing::defaults)
}

pub(crate) fn accepted_shifts(_: &Scratch, input: &[u8]) -> bool {
    document(input, "accepted-shifts.toml", |text| fuzzing::accepted_shifts(text).map(drop))
}

pub(crate) fn plan_need(_: &Scratch, input: &[u8]) -> bool {
    document(input, "need.toml", fuzzing::plan_need)
}

pub(crate) fn plan_machines(_: &Scratch, input: &[u8]) -> bool {
    document(input, "machines.toml", fuzzing::plan_machines)
}

pub(crate) fn mix(_: &Scratch, input: &[u8]) -> bool {
    document(input, "mix.toml", fuzzing::mix)
}

/// Reads a document; problems name its file.
fn document(input: &[u8], file: &str, read: impl Fn(&str) -> Result<(), String>) -> bool {
    let text = str::from_utf8(input).unwrap_or_default();
    set_tasks();
    read(text).err().is_none_or(|problem| refused(&problem, file))
}

/// A value on a line, and after it a name that it is a glob for.
pub(crate) fn values(_: &Scratch, input: &[u8]) -> bool {
    let text = str::from_utf8(input).unwrap_or_default();
    if text.len() > LONGEST_VALUE {
        return false;
    }
    let (value, name) = text.split_once('\n').unwrap_or((text, ""));
    let flags = fuzzing::values(value);
    if let Ok(count) = parse_count(value) {
        assert_eq!(parse_count(&count.to_string()), Ok(count));
    }
    if let Ok(device) = value.parse::<Device>() {
        assert_eq!(device.to_string().parse(), Ok(device));
    }
    // The plain form of a time has no unit, so it can't be parsed as a value.
    for axis in TASKS.iter().flat_map(|set| set.tasks).flat_map(|task| task.axes()) {
        let _ = axis.parse(value);
    }
    if let Ok(params) = value.parse::<Params>() {
        assert_eq!(params.to_string().parse().ok(), Some(params));
    }
    if let Ok(filter) = PointFilter::new(&[value], &[value], &[]) {
        filter.takes(&Point { algorithm: name.into(), variant: name.into(), ..Point::default() });
    }
    flags > 0
}

/// Requests of the coordinator of two executables, and their responses.
pub(crate) fn protocol(_: &Scratch, input: &[u8]) -> bool {
    lines(input)
        .all(|line| is_parsed_alike(line, fuzzing::ask) | is_parsed_alike(line, fuzzing::answer))
}

/// Messages of a process that tries a plugin.
pub(crate) fn trial(_: &Scratch, input: &[u8]) -> bool {
    lines(input).all(|line| is_parsed_alike(line, fuzzing::event))
}

fn lines(input: &[u8]) -> impl Iterator<Item = &str> {
    str::from_utf8(input).unwrap_or_default().lines()
}

/// Returns true if the line can be parsed; checks the round trip.
fn is_parsed_alike(line: &str, again: impl Fn(&str) -> Option<String>) -> bool {
    let Some(parsed) = again(line) else {
        return false;
    };
    assert_eq!(again(&parsed), Some(parsed));
    true
}

/// Makes the tasks known to the harness.
fn set_tasks() {
    harness::set_tasks(&TASKS).expect("names are unique");
}
