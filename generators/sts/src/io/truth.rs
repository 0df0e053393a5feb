//! The truth of simulated digis as text.
//!
//! `NAME.crossings.csv` has a line for each crossing of a particle through a sensor,
//! `NAME.sources.csv` one for each digi, in their order: the index of its crossing, or -1 for
//! noise.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::file::{Sink, sibling_path, write_file};

use crate::physics::Truth;

const CROSSINGS: &str = "module,collision,time_ns,x,y,slope_x,slope_y";
const SOURCES: &str = "crossing";

/// Writes the truth of digis to files next to theirs; returns the two files.
///
/// # Errors
/// If one of them can't be written.
pub fn write_truth(digis: &Path, truth: &Truth) -> Result<[PathBuf; 2], DataError> {
    let crossings = sibling_path(digis, "crossings.csv");
    let sources = sibling_path(digis, "sources.csv");
    write_file(&crossings, |sink| write_crossings(sink, truth))?;
    write_file(&sources, |sink| write_sources(sink, truth))?;
    Ok([crossings, sources])
}

fn write_crossings(sink: &mut Sink, truth: &Truth) -> io::Result<()> {
    writeln!(sink, "{CROSSINGS}")?;
    for crossing in truth.crossings() {
        writeln!(
            sink,
            "{},{},{:.3},{},{},{},{}",
            crossing.module,
            crossing.collision,
            crossing.time_ns,
            crossing.x,
            crossing.y,
            crossing.slope_x,
            crossing.slope_y
        )?;
    }
    Ok(())
}

fn write_sources(sink: &mut Sink, truth: &Truth) -> io::Result<()> {
    writeln!(sink, "{SOURCES}")?;
    for source in truth.sources() {
        match *source {
            Truth::NOISE => writeln!(sink, "-1")?,
            crossing => writeln!(sink, "{crossing}")?,
        }
    }
    Ok(())
}
