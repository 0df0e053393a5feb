//! Hits and tracks as cases: for each event the records `case`, `h`, `t`, `f`, `end`.

use std::io::{self, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::FileName;
use generators_common::io::file::{name_without_gz, write_file};
use generators_lhcb::geometry::MODULE_PAIRS;
use tasks::algorithm::{OutputFiles, OutputFormat};

use super::{Stage, VeloInput, VeloOutput};

/// Cases, as the experiment's results are kept as text.
const CASES: OutputFormat = OutputFormat {
    endings: ".cases, .cases.gz is compressed",
    check: check_name,
    is_file: |path| check_name(path).is_ok(),
};

/// Files of the output of a stage.
pub fn of_stage(stage: Stage) -> OutputFiles {
    let items: &[&str] = if stage.has_tracks() { &["track"] } else { &["hit"] };
    OutputFiles::new(items, "tables", "resident").with_format(CASES)
}

/// Writes the hits and tracks of all events; returns the number of tracks, or of hits if there are no
/// tracks.
///
/// # Errors
/// If the name does not end with `.cases` or `.cases.gz`, or the file can't be written.
pub fn write(
    stage: Stage,
    input: &VeloInput,
    output: &VeloOutput,
    path: &Path,
) -> Result<usize, DataError> {
    check_name(path)?;
    write_file(path, |sink| {
        let mut tracks = output.tracks.of_events();
        for (event, name) in input.events.names().iter().enumerate() {
            writeln!(sink, "case {name}")?;
            write_hits(sink, output, event)?;
            if let Some(of_event) = tracks.next() {
                write_tracks(sink, output, event, of_event)?;
            }
            writeln!(sink, "end")?;
        }
        Ok(())
    })?;
    Ok(if stage.has_tracks() {
        output.tracks.offsets.len().saturating_sub(1)
    } else {
        output.hits.pairs.iter().map(|pair| pair.count as usize).sum()
    })
}

/// Checks that a file's name ends as cases do.
///
/// # Errors
/// If it does not.
pub fn check_name(path: &Path) -> Result<(), DataError> {
    if name_without_gz(path).ends_with(b".cases") {
        return Ok(());
    }
    let problem = "hits and tracks are written to files named .cases or .cases.gz";
    Err(DataError::shape(format!("{}: {problem}", FileName(path))))
}

fn write_hits(sink: &mut impl Write, output: &VeloOutput, event: usize) -> io::Result<()> {
    if output.hits.events() == 0 {
        return Ok(());
    }
    let hits = output.hits.event(event);
    for hit in (0..MODULE_PAIRS).flat_map(|pair| hits.of_pair(pair)) {
        let [x, y, z] = hit.position.map(f32::to_bits);
        writeln!(sink, "h {:08x} {x:08x} {y:08x} {z:08x} {}", hit.id, hit.phi)?;
    }
    Ok(())
}

fn write_tracks(
    sink: &mut impl Write,
    output: &VeloOutput,
    event: usize,
    of_event: std::ops::Range<usize>,
) -> io::Result<()> {
    let long = of_event.start + output.tracks.counts[event].long as usize;
    for track in of_event {
        sink.write_all(if track < long { b"t" } else { b"f" })?;
        for slot in output.tracks.track(track) {
            write!(sink, " {slot}")?;
        }
        writeln!(sink)?;
    }
    Ok(())
}
