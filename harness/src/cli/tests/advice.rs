//! Advised commands and printed values mean the points that they are of.

use std::collections::BTreeMap;
use std::process::Command;

use crate::registry::tasks;
use reports::compare::{Key, measure_again};
use reports::record::{Point, RunRecord};
use reports::shape;
use tasks::axis::{Axis, Kind, Params};
use tasks::task::Task;

use super::*;
use crate::plan::record_params;

/// Plans take their time: values of an axis that are planned.
const PLANNED: usize = 4;

/// Plain values of a kind: short ones, long ones, and those that prefixes and units don't fit.
fn values(kind: Kind) -> Vec<String> {
    let texts: &[&str] = match kind {
        Kind::Count => &["1", "24", "1500", "3162278", "20000000"],
        Kind::Integer => &["0", "1", "9", "700", "4000", "12345"],
        Kind::TimeStamp => &["-500", "0", "10500000000"],
        Kind::Share => &["0.005", "0.0000001", "0", "0.25", "1", "2000"],
        Kind::Number => &["-1.25", "0", "2.3"],
        Kind::Frequency => &["12345", "50000", "0.5", "24", "10000000"],
        Kind::Duration => &["20", "1000", "10000001", "102400", "0", "10500000", "2147483648"],
        Kind::Path => &["a", "my file"],
        Kind::Range => &["0..1", "3..700"],
        Kind::Switch => &["no", "yes"],
        Kind::Choice(names) => names,
        Kind::Own(_) => match kind.name() {
            "order" => &["random", "time", "jitter:64"],
            "skew" => &["1", "4", "hot:0.5"],
            other => panic!("there are no values of {other}"),
        },
    };
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Splits each line into words, as a shell does.
fn words(lines: &[String]) -> Vec<Vec<String>> {
    let script: String = lines.iter().map(|line| format!("printf '%s\n' {line}; echo\n")).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lines.sh");
    std::fs::write(&path, script).expect("written");
    let output = Command::new("sh").arg(&path).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("text");
    let of_lines = text.trim_end().split("\n\n");
    of_lines.map(|words| words.lines().map(str::to_owned).collect()).collect()
}

/// The parameters of the only point of a command, planned unless they are all `expected`.
fn point_of(task: &dyn Task, words: Vec<String>, expected: &Params) -> Result<Params, String> {
    let request = parse(words.into_iter().map(OsString::from)).map_err(|it| it.text())?;
    let request = match request {
        Request::Task(TaskRequest::Measure(request)) => *request,
        _ => return Err("it measures nothing".to_owned()),
    };
    let Source::Generated(values) = &request.source else {
        return Err("it reads a file".to_owned());
    };
    match values.combinations().as_slice() {
        [given] if given == expected => Ok(given.clone()),
        [given] => Ok(task.plan(given.clone()).map_err(|error| error.to_string())?.params),
        several => Err(format!("{} points", several.len())),
    }
}

/// The axis with each value that the task accepts. All else is by default, but for a choice where
/// the axis has no meaning otherwise.
fn points(task: &dyn Task, axis: &Axis) -> Vec<Params> {
    let planned = |base: &Params, value: String| {
        let mut given = base.clone();
        given.set(axis.name, value);
        Some(task.plan(given).ok()?.params)
    };
    let choices = task.axes().iter().filter_map(|choice| match choice.kind {
        Kind::Choice(names) => {
            Some(names.iter().map(|name| Params::from_iter([(choice.name, *name)])))
        }
        _ => None,
    });
    let bases = std::iter::once(Params::default()).chain(choices.flatten());
    let mut points = bases.map(|base| {
        let values = values(axis.kind).into_iter().take(PLANNED);
        values.filter_map(|value| planned(&base, value)).collect::<Vec<_>>()
    });
    points.find(|points| !points.is_empty()).unwrap_or_default()
}

#[test]
fn advised_commands_measure_the_same_point() {
    let mut expected = Vec::new();
    let mut lines = Vec::new();
    let mut seen = Vec::new();
    for task in tasks() {
        let is_first = !seen.contains(&task.axes().as_ptr());
        seen.push(task.axes().as_ptr());
        // Stages of a chain have the axes of the chain: one of them is enough.
        let axes = task.axes().iter().take(if is_first { usize::MAX } else { 1 });
        for axis in axes {
            let points = points(*task, axis);
            assert!(!points.is_empty(), "{} --{}: no value is fine", task.name(), axis.name);
            for params in points {
                let point = Point {
                    algorithm: task.name().to_owned(),
                    variant: task.variants()[0].name.to_owned(),
                    device: "cpu".to_owned(),
                    threads: 1,
                    cache: "hot".to_owned(),
                    params: record_params(&params),
                    ..Point::default()
                };
                lines.push(measure_again(&Key::new(point, "total"), &RunRecord::default()));
                expected.push((task, params));
            }
        }
    }
    let advised = words(&lines);
    assert_eq!(advised.len(), expected.len());
    for ((words, line), (task, params)) in advised.into_iter().zip(&lines).zip(&expected) {
        assert_eq!(point_of(**task, words, params).as_ref(), Ok(params), "{line}");
    }
}

#[test]
fn what_tables_print_is_a_value_of_the_flag() {
    for task in tasks() {
        let axes = task.axes().iter().chain(task.file_axes());
        let axes: BTreeMap<&str, &Axis> = axes.map(|axis| (axis.name, axis)).collect();
        for (name, axis) in axes {
            for plain in values(axis.kind) {
                let mut params = Params::default();
                params.set(axis.name, plain.as_str());
                let named = shape::AxisName::for_task(task.name(), name, &record_params(&params));
                let printed = shape::value(&named, &plain);
                assert_eq!(axis.parse(&printed), Ok(plain), "{} --{name} {printed}", task.name());
            }
        }
    }
}

#[test]
fn units_are_those_of_the_task_and_not_of_the_name() {
    let printed = |task: &str, name: &'static str, plain: &str| {
        let params = record_params(&Params::from_iter([(name, plain)]));
        shape::phrase(&shape::AxisName::for_task(task, name, &params), plain)
    };
    assert_eq!(printed("events", "window", "20"), "window 20 ns");
    assert_eq!(printed("events", "dead-time", "1000"), "dead-time 1 µs");
    assert_eq!(printed("events", "min-digis", "10"), "min-digis 10");
    assert_eq!(printed("decode", "noise", "0.005"), "noise 0.005");
    assert_eq!(printed("sts", "noise", "500"), "noise 500 Hz");
    assert_eq!(printed("decode", "noisy-pads", "0"), "noisy-pads 0");
    assert_eq!(printed("gather", "scale", "1"), "scale 1");
    assert_eq!(printed("cluster-finder", "qmax-cutoff", "3"), "qmax-cutoff 3 ADC");
}
