//! Methods: measurement, meaning and limits of the numbers.

use maud::{Markup, html};

use super::super::ReportInput;
use super::super::facts::counted;
use super::super::facts::tally::Tally;
use crate::record::RunRecord;
use crate::units;

/// Meanings of the columns of the tables.
const COLUMNS: [(&str, &str); 9] = [
    ("median, 95 % CI", "the median of the samples, with its bootstrap confidence interval"),
    ("ratio", "the median over that of the fastest variant of the table"),
    (
        "total, kernel",
        "where something runs on a GPU, instead of the median: end to end with all copies, and \
         the kernels alone, for data that stay on the device; the heading says which one ranks",
    ),
    ("items/s", "items that the task processed (digis, clusters), over the median"),
    ("bytes/s", "the bytes that any implementation must move, over the median"),
    (
        "of copy",
        "that, over the copy bandwidth measured in the same run with the same number of threads; \
         in brackets for a complete run on a GPU: over that of the link, both directions at the \
         same time",
    ),
    ("memory", "all buffers alive during the run, the input included, over the size of the input"),
    (
        "samples",
        "number of samples, and the reason for the end of sampling: a narrow interval, enough \
         samples, the time, or an interrupt",
    ),
    ("stable", "whether equal keys keep their order"),
];

/// Summary of the measurement of times.
const HOW: &str = "The output of every variant on the timed input is checked against a reference; \
    wrong variants are never timed. Each sample starts from fresh input, which is copied before \
    the clock starts; the first one is a warm-up and is dropped. The variants of an input are \
    interleaved in random order, so that drift of the machine affects all of them equally. Samples \
    are taken in blocks, each with newly created data and buffers; the scatter between blocks \
    widens the interval of the median to what is expected of another run. A probe of the cores \
    before and after each sample detects other load: such samples are repeated, and flagged if \
    that did not help. Sampling ends when the interval is narrow enough, or at a limit of samples \
    or time. All samples are kept, outliers included; anomalies are listed under the tables.";

/// Limits of validity of every run.
const HOLDS: &str = "Numbers are valid for this machine, this build and these data shapes; ratios \
    within a run are more reliable than times of different runs.";

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
        say(record.ceilings.is_empty(), "No bandwidth was measured, so ceilings are unknown."),
        say(record.machine.gpus.is_empty(), "No GPU was found on this machine."),
        say(
            input.comparison.is_none(),
            "The run was not compared with another one; bench report --base RUN does so.",
        ),
    ];
    caveats.into_iter().flatten().collect()
}

fn refused(input: &ReportInput) -> Option<String> {
    let refused = Tally::from_rows(&input.run.summary).refused;
    let points = counted(refused, "point");
    let words =
        format!("{points} {} without a valid time; each task says why.", units::are(refused));
    (refused > 0).then_some(words)
}

fn shard(record: &RunRecord) -> Option<String> {
    let suite = record.suite.as_ref()?;
    let shard = suite.shard?;
    let name = &suite.name;
    let words = format!("This is shard {shard} of the suite {name}: the others are not in here.");
    Some(words)
}

fn later(input: &ReportInput) -> Option<String> {
    let runs = counted(input.later(), "run");
    let words = format!("{runs} on this machine started later: no part of the history.");
    (input.later() > 0).then_some(words)
}
