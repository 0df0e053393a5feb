//! Methods: measurement, meaning and limits of the numbers; published figures; the records in the
//! page, and the commands that reproduce the run.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, html};
use text::Untrusted;

use super::super::facts::{Tally, asked, counted};
use super::super::{ReportError, ReportInput};
use super::{scrolling, task};
use crate::charts::draw_published;
use crate::compare::quoted;
use crate::frame::Frame;
use crate::program::renamed;
use crate::published::{Reproduction, heading, sentences, table};
use crate::record::{DIRTY, RunRecord};
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
            &renamed("The run was not compared with another one; bench report --base RUN does so."),
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

pub fn published_section(input: &ReportInput) -> Result<Markup, ReportError> {
    let figures = input.published.iter().map(figure);
    let figures: Vec<Markup> = figures.collect::<Result<_, _>>()?;
    Ok(html! {
        @if !figures.is_empty() {
            section #published {
                h2 { "Published figures" }
                p.quiet {
                    "Times of other machines are not comparable, and inputs here may be smaller. \
                     So speed-ups and times per item are compared. Times here are medians; a \
                     conclusion holds if their 95 % intervals do not overlap. For few samples the \
                     range replaces the interval."
                }
                @for figure in &figures { (figure) }
            }
        }
    })
}

fn figure(reproduction: &Reproduction) -> Result<Markup, ReportError> {
    let drawn = draw_published(reproduction)?;
    Ok(html! {
        h3 { (heading(reproduction)) }
        ul { @for sentence in sentences(reproduction) { li { (sentence) } } }
        @for chart in &drawn { (task::chart_figure(chart)) }
        details { summary { "Numbers" } (scrolling("Published and measured numbers", &table(reproduction).html())) }
    })
}

/// Packed samples of more bytes are linked instead of embedded.
const MAX_BYTES: usize = 2_000_000;

/// A file inside the page.
struct Embedded {
    name: &'static str,
    media_type: &'static str,
    content: Vec<u8>,
}

pub fn raw_section(input: &ReportInput) -> Result<Markup, ReportError> {
    let run = input.run;
    let files = [
        Embedded {
            name: "run.json",
            media_type: "application/json",
            content: serde_json::to_vec_pretty(&run.record)?,
        },
        Embedded {
            name: "summary.csv",
            media_type: "text/csv",
            content: Frame::from_summary(&run.summary).exact_csv()?.into_bytes(),
        },
    ];
    let samples = Embedded {
        name: "samples.csv.gz",
        media_type: "application/gzip",
        content: packed(Frame::from_samples(&run.samples).exact_csv()?.as_bytes())?,
    };
    Ok(html! {
        section #raw {
            h2 { "Raw data" }
            ul {
                @for file in &files { li { (file.link()) } }
                li { (samples_item(&samples, input)) }
            }
            h3 { "To run it again" }
            pre tabindex="0" { code { (commands(&run.record)) } }
        }
    })
}

fn packed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

fn samples_item(file: &Embedded, input: &ReportInput) -> Markup {
    let count = input.run.samples.len();
    let folder = input.run.folder.escaped();
    html! {
        @if file.content.len() <= MAX_BYTES {
            (file.link())
        } @else if let Some(link) = input.samples_link {
            a href=(link) { "samples.csv" } " next to this page: too large to embed"
        } @else {
            "samples.csv is too large to be in this page; it is in " code { (folder) }
        }
        ", " (count) " rows"
    }
}

impl Embedded {
    fn link(&self) -> Markup {
        let size = units::bytes(self.content.len() as f64);
        let data = STANDARD.encode(&self.content);
        html! {
            a download=(self.name) href={ "data:" (self.media_type) ";base64," (data) } { (self.name) }
            " (" (size) ")"
        }
    }
}

/// Commands to run in a checkout of the same commit.
fn commands(record: &RunRecord) -> String {
    let checkout = record.software.git_commit.as_deref().map(checkout);
    let variables = record.variables.iter();
    let variables = variables.map(|(name, value)| format!("{name}={} ", quoted(value).escaped()));
    format!(
        "{}{}cargo run --release -- {}\n",
        checkout.unwrap_or_default(),
        variables.collect::<String>(),
        asked(&record.command)
    )
}

fn checkout(commit: &str) -> String {
    match commit.strip_suffix(DIRTY) {
        Some(base) => {
            format!(
                "git checkout {}  # with changes that were not committed\n",
                quoted(base).escaped()
            )
        }
        None => format!("git checkout {}\n", quoted(commit).escaped()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::super::facts::fixture::run;
    use super::*;
    use crate::published::fixture::figures;
    use crate::published::fixture::rows;
    use crate::published::{Here, reproduce};

    #[test]
    fn a_figure_has_sentences_a_chart_and_numbers() {
        let run = run(rows());
        let here = Here { record: &run.record, rows: &run.summary, streams: &[] };
        let mut table = figures();
        table.retain(|figure| figure.id == "tab5.1");
        let published = reproduce(table, &here);
        let mut input = ReportInput::for_run(&run);
        assert_eq!(published_section(&input).expect("nothing").into_string(), "");
        input.published = &published;
        let text = published_section(&input).expect("a section").into_string();
        let page = roxmltree::Document::parse(&text).expect("well formed");
        let count = |name: &str| page.descendants().filter(|it| it.has_tag_name(name)).count();
        let values = published[0].figure.values.len();
        assert_eq!(count("tr"), 1 + values);
        assert_eq!(count("h3"), 1);
        assert!(text.contains("<svg") && text.contains("Holds here, 2.00 ×"), "{text}");
    }

    #[test]
    fn changes_that_were_not_committed_can_not_be_checked_out() {
        assert_eq!(checkout("c0ffee"), "git checkout c0ffee\n");
        let text = checkout("c0ffee-dirty");
        assert_eq!(text, "git checkout c0ffee  # with changes that were not committed\n");
    }

    #[test]
    fn packed_samples_can_be_unpacked() {
        let packed = packed(b"a,b\n1,2\n").expect("written to memory");
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
        decoder.read_to_string(&mut text).expect("gzip");
        assert_eq!(text, "a,b\n1,2\n");
    }
}
