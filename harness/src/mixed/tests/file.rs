//! Mixes as text, and their problems.

use tasks::device::Device;

use super::super::file::{Pace, parse};
use super::{MERGE, mix};

/// The problems as `line:column: text`.
fn problems(text: &str) -> Vec<String> {
    match parse("mix.toml", text) {
        Err(error) => error.problems.iter().map(ToString::to_string).collect(),
        Ok(_) => panic!("accepted: {text}"),
    }
}

#[test]
fn loads_have_defaults() {
    let mix = mix(&format!(
        "{MERGE}[[load]]\nname = \"other\"\nrate = \"200/s\"\nstreams = 2\n\
        task = \"merge\"\nvariant = \"sequential\"\n"
    ));
    let [first, second] = &mix.loads[..] else { panic!("two") };
    assert_eq!((first.name.as_str(), first.streams, first.batch), ("merge", 1, 4));
    assert_eq!((first.device(), first.all_threads()), (Device::Cpu, 1));
    assert_eq!(first.pace, Pace::Closed { weight: 1.0 });
    assert_eq!((second.name.as_str(), second.streams), ("other", 2));
    assert_eq!(second.pace, Pace::Open { rate: 200.0 });
}

#[test]
fn each_problem_has_its_line_and_column() {
    for (text, expected) in [
        ("", "1:1: this mix has no loads; add [[load]]"),
        ("lod = 1\n", "1:1: unknown key \"lod\" of a mix; did you mean \"load\"?"),
        ("load = 1\n", "1:1: load is a list of tables"),
        ("[[load]]\n", "1:1: this load has no task"),
        ("[[load]]\ntask = \"srt\"\n", "2:8: unknown task \"srt\"; did you mean \"sort\"?"),
        ("[[load]]\ntask = \"merge\"\n", "1:1: this load has no variant; add one such as"),
        (
            "[[load]]\ntask = \"merge\"\nvariant = \"sequental\"\n",
            "3:11: unknown variant \"sequental\"; did you mean \"sequential\"?",
        ),
        (
            "[[load]]\ntask = \"merge\"\ndevice = \"cuda:0\"\nvariant = \"components\"\n",
            "4:11: \"components\" is not a variant of merge on cuda:0",
        ),
        (&format!("{MERGE}weight = 0\n"), "5:10: weight \"0\": use a number above 0"),
        (&format!("{MERGE}weight = -1\n"), "5:10: weight \"-1\": use a number above 0"),
        (&format!("{MERGE}weight = nan\n"), "5:10: weight \""),
        (&format!("{MERGE}weight = inf\n"), "5:10: weight \""),
        (&format!("{MERGE}rate = 200\n"), "5:8: rate \"200\": use events per second such as"),
        (&format!("{MERGE}rate = \"0/s\"\n"), "5:8: rate \"0/s\": use events per second"),
        (&format!("{MERGE}rate = \"NaN/s\"\n"), "5:8: rate \"NaN/s\": use events per second"),
        (&format!("{MERGE}rate = \"9/s\"\nweight = 2\n"), "6:1: rate and weight are both there"),
        (&format!("{MERGE}streams = 0\n"), "5:11: streams \"0\": use a number from 1"),
        (&format!("{MERGE}batch = [1, 2]\n"), "5:1: batch takes one value, not a list"),
        (&format!("{MERGE}thread = 1\n"), "5:1: unknown key \"thread\" of a load"),
        (&format!("{MERGE}name = \"a+b\"\n"), "5:8: use letters, digits, dashes"),
        (&format!("{MERGE}name = \"together\"\n"), "5:8: \"together\" is a name of results"),
        (&format!("{MERGE}device = \"emulator\"\n"), "5:10: device \"emulator\":"),
        (&format!("{MERGE}{MERGE}"), "5:1: two loads are called \"merge\""),
        (
            "[[load]]\ntask = \"merge\"\nvariant = \"sequential\"\naxes = { track = 2 }\n",
            "4:10: unknown axis \"track\" of merge",
        ),
        (
            "[[load]]\ntask = \"merge\"\nvariant = \"sequential\"\naxes = { tracks = [1, 2] }\n",
            "4:10: tracks takes one value here",
        ),
        (&format!("bind = \"x\"\n{MERGE}"), "1:8: bind \"x\":"),
    ] {
        let found = problems(text);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{text}\n{found:#?}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let found = problems("[[load]]\ntask = \"srt\"\nstreams = 0\n[[load]]\nweight = -1\nx = 2\n");
    assert_eq!(found.len(), 5, "{found:#?}");
}
