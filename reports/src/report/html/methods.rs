//! How the numbers were measured, what they mean, and their limits.

use maud::{Markup, html};

use super::super::ReportInput;
use super::super::facts::counted;
use super::super::facts::tally::Tally;
use crate::record::RunRecord;
use crate::units;

/// Meanings of the columns of the tables.
const COLUMNS: [(&str, &str); 9] = [
    (
        "median, 95 % CI",
        "half of the samples were faster; where the true median lies, by the bootstrap",
    ),
    ("ratio", "the median over that of the fastest variant of the table"),
    (
        "total, kernel",
        "where something runs on a GPU, instead of the median: end to end with all copies, and \
         the kernels alone, for data that stay on the device; the heading says which one ranks",
    ),
    ("items/s", "how many things the task processed (digis, clusters), over the median"),
    ("bytes/s", "the bytes that any implementation must move, over the median"),
    (
        "of copy",
        "that, over the copy bandwidth measured in the same run with as many threads; in \
         brackets for a whole run on a GPU: over that of the link, both ways at once",
    ),
    ("memory", "all buffers alive during the run, the input included, over the size of the input"),
    (
        "samples",
        "how many, and what ended the sampling: a narrow interval, enough samples, the time, or \
         an interrupt",
    ),
    ("stable", "whether equal keys keep their order"),
];

/// Summary of the measurement of times.
const HOW: &str = "Every variant first has to be right: its output on the very input that is \
    timed is checked against a reference. What is wrong is never timed. Each sample starts from \
    fresh input, which is copied before the clock starts; the first one, which warms everything \
    up, is dropped. The variants of an input take turns in random order, so that a drift of the \
    machine hits all of them alike. Samples come in visits of a few, each with data and buffers \
    made anew; the scatter of the visits widens the interval of the median to what another run \
    can be expected to keep. A probe of the cores before and after each sample notices other \
    load: such samples are repeated, and flagged where that did not help. Sampling goes on until \
    the interval is narrow enough, or until a limit of samples or time is reached. All samples \
    are kept, outliers included; what looks odd about them is said under the tables.";

/// Limits of validity of every run.
const HOLDS: &str = "Numbers hold for this machine, this build and these data shapes; a ratio \
    within a run is steadier than times of different runs.";

pub fn section(input: &ReportInput) -> Markup {
    html! {
        section #methods {
            h2 { "Methods" }
            p { (HOW) }
            h3 { "What the columns mean" }
            dl.columns-meaning {
                @for (name, meaning) in COLUMNS { dt { (name) } dd { (meaning) } }
            }
            h3 { "What to keep in mind" }
            ul { @for caveat in caveats(input) { li { (caveat) } } }
        }
    }
}

fn caveats(input: &ReportInput) -> Vec<String> {
    let record = &input.run.record;
    let say = |applies: bool, words: &str| applies.then(|| words.to_owned());
    let seed = record.seed;
    let caveats = [
        Some(format!("Data and the order of sampling come from seed {seed}.")),
        Some(HOLDS.to_owned()),
        refused(input),
        say(record.finished.is_none(), "The run was stopped before its end: points are missing."),
        shard(record),
        later(input),
        say(
            record.ceilings.is_empty(),
            "No bandwidth was measured, so nothing is said about ceilings.",
        ),
        say(record.machine.gpus.is_empty(), "No GPU was found on this machine."),
        say(
            input.comparison.is_none(),
            "The run was not compared with another one; bench report --base RUN does so.",
        ),
    ];
    caveats.into_iter().flatten().collect()
}

fn refused(input: &ReportInput) -> Option<String> {
    let refused = Tally::of(&input.run.summary).refused;
    let points = counted(refused, "point");
    let words =
        format!("{points} {} without a valid time; each task says why.", units::are(refused));
    (refused > 0).then_some(words)
}

fn shard(record: &RunRecord) -> Option<String> {
    let suite = record.suite.as_ref()?;
    let (shard, name) = (suite.shard?, &suite.name);
    let words = format!("This is shard {shard} of the suite {name}: the others are not in here.");
    Some(words)
}

fn later(input: &ReportInput) -> Option<String> {
    let runs = counted(input.later(), "run");
    let words = format!("{runs} on this machine started later: no part of the history.");
    (input.later() > 0).then_some(words)
}
