//! The records in the page, and the commands that reproduce the run.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, html};
use text::Untrusted;

use super::super::facts::command::asked;
use super::super::{ReportError, ReportInput};
use crate::compare::quoted;
use crate::frame::Frame;
use crate::record::{DIRTY, RunRecord};
use crate::units;

/// Packed samples of more bytes are linked instead of embedded.
const MAX_BYTES: usize = 2_000_000;

/// A file inside the page.
struct Embedded {
    name: &'static str,
    media_type: &'static str,
    content: Vec<u8>,
}

pub fn section(input: &ReportInput) -> Result<Markup, ReportError> {
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

    use super::*;

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
