//! The truth of simulated digis as text.
//!
//! `NAME.crossings.csv` has a line for each crossing of a particle through a sensor,
//! `NAME.sources.csv` one for each digi, in their order: the index of its crossing, or -1 for
//! noise.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file::{Sink, create, finish};
use crate::DataError;
use crate::sts::physics::Truth;

const CROSSINGS: &str = "module,collision,time_ns,x,y,slope_x,slope_y";
const SOURCES: &str = "crossing";

/// Writes the truth of digis to files next to theirs; returns the two files.
///
/// # Errors
/// If one of them can't be written.
pub fn write_truth(digis: &Path, truth: &Truth) -> Result<[PathBuf; 2], DataError> {
    let crossings = sibling_path(digis, "crossings.csv");
    let sources = sibling_path(digis, "sources.csv");
    write(&crossings, |sink| write_crossings(sink, truth))?;
    write(&sources, |sink| write_sources(sink, truth))?;
    Ok([crossings, sources])
}

/// Path of a file next to the digis: their name with another ending.
pub fn sibling_path(digis: &Path, ending: &str) -> PathBuf {
    digis.with_file_name(format!("{}.{ending}", stem(digis)))
}

/// The name of a file without folder and endings: `digis` of `a/digis.bin.gz`.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    stem.to_owned()
}

fn write(path: &Path, content: impl Fn(&mut Sink) -> io::Result<()>) -> Result<(), DataError> {
    let mut sink = create(path)?;
    content(&mut sink).and_then(|()| finish(sink)).map_err(|source| DataError::io(path, source))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_endings() {
        let name = |digis: &str| sibling_path(Path::new(digis), "setup.json");
        assert_eq!(name("a/digis.csv"), Path::new("a/digis.setup.json"));
        assert_eq!(name("digis.bin.gz"), Path::new("digis.setup.json"));
        assert_eq!(name("run.7.csv.gz"), Path::new("run.7.setup.json"));
    }
}
