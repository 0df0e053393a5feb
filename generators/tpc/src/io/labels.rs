//! Labels of the samples of raw pages, in a file next to them: `docs/tpc-labels.md` has the format.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::file::{Sink, create, finish, next_to, write_numbers};
use generators_common::io::source::Source;

use super::pages::stem_of;
use crate::charges::Labels;
use crate::geometry::SECTORS;

const MAGIC: [u8; 8] = *b"TPCLABL1";
const ENDING: &str = ".labels";

/// The labels of a sector's samples, which are in the order of time, row and pad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectorLabels {
    /// Number of the sector.
    pub sector: u8,
    /// Some for each sample.
    pub labels: Labels,
}

/// The file of labels that belongs to a file of pages: its name with another ending, compressed if
/// that is.
///
/// # Errors
/// If the file's name ends neither with `.pages` nor with `.pages.gz`.
pub fn labels_of(pages: &Path) -> Result<PathBuf, DataError> {
    let gzipped = pages.extension().is_some_and(|ending| ending == "gz");
    let gz = if gzipped { ".gz" } else { "" };
    Ok(next_to(pages, &[stem_of(pages)?, ENDING.as_bytes(), gz.as_bytes()]))
}

/// A file of labels being written, sector by sector.
pub struct LabelWriter<'a> {
    path: &'a Path,
    sink: Sink,
}

impl<'a> LabelWriter<'a> {
    /// Creates the file, for `sectors` sectors.
    ///
    /// # Errors
    /// If it can't be created or written.
    pub fn create(path: &'a Path, sectors: usize) -> Result<Self, DataError> {
        let mut writer = LabelWriter { path, sink: create(path)? };
        writer.write_by(|sink| {
            sink.write_all(&MAGIC)?;
            write_numbers(sink, [sectors as u32, 0].map(u32::to_le_bytes))
        })?;
        Ok(writer)
    }

    /// Appends the labels of a sector; sectors must be in ascending order.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&mut self, of_sector: &SectorLabels) -> Result<(), DataError> {
        let first = of_sector.labels.first();
        let all = of_sector.labels.all();
        let head = [of_sector.sector.into(), first.len() as u32];
        self.write_by(|sink| {
            write_numbers(sink, head.map(u32::to_le_bytes))?;
            write_numbers(sink, [(all.len() as u64).to_le_bytes()])?;
            write_numbers(sink, first.iter().map(|index| index.to_le_bytes()))?;
            write_numbers(sink, all.iter().map(|label| label.to_le_bytes()))
        })
    }

    /// Flushes the file and moves it into place.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(self) -> Result<(), DataError> {
        finish(self.sink).map_err(|source| DataError::io(self.path, source))
    }

    fn write_by(
        &mut self,
        write: impl FnOnce(&mut Sink) -> io::Result<()>,
    ) -> Result<(), DataError> {
        write(&mut self.sink).map_err(|source| DataError::io(self.path, source))
    }
}

/// Writes labels, sectors in ascending order.
///
/// # Errors
/// If the file can't be written.
pub fn write_labels(path: &Path, sectors: &[SectorLabels]) -> Result<(), DataError> {
    let mut writer = LabelWriter::create(path, sectors.len())?;
    sectors.iter().try_for_each(|of_sector| writer.write(of_sector))?;
    writer.finish()
}

/// Reads labels, sectors in ascending order.
///
/// # Errors
/// If the file can't be read, is cut off or something else; if a list points outside, labels are of
/// no sample, or sectors are in another order or don't exist.
pub fn read_labels(path: &Path) -> Result<Vec<SectorLabels>, DataError> {
    let mut source = Source::open(path)?;
    source.magic(&MAGIC)?;
    let [count, zero] = source.u32s("header")?;
    if zero != 0 {
        return Err(source.here(format!("the number after {count} sectors is not 0")));
    }
    let mut sectors: Vec<SectorLabels> = Vec::new();
    for _ in 0..count {
        let before = sectors.last().map(|last| last.sector);
        sectors.push(read_sector(&mut source, before)?);
    }
    source.end("sector")?;
    Ok(sectors)
}

fn read_sector(source: &mut Source<'_>, before: Option<u8>) -> Result<SectorLabels, DataError> {
    let [number, samples] = source.u32s("head of a sector")?;
    let known = u8::try_from(number).ok().filter(|&sector| usize::from(sector) < SECTORS);
    let Some(sector) = known else {
        let last = SECTORS - 1;
        return Err(source.here(format!("there is no sector {number}; use 0 to {last}")));
    };
    if let Some(before) = before.filter(|&before| before >= sector) {
        return Err(source.here(format!("sector {sector} is not after {before}")));
    }
    let [labels] = source.u64s("head of a sector")?;
    let what = format!("sector {sector}");
    let first = source.numbers(samples.into(), &what, u32::from_le_bytes)?;
    let all = source.numbers(labels, &what, u64::from_le_bytes)?;
    let labels = Labels::from_parts(first, all)
        .map_err(|problem| source.here(format!("{problem} in sector {sector}")))?;
    Ok(SectorLabels { sector, labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(of_samples: &[&[u64]]) -> Labels {
        let mut labels = Labels::default();
        of_samples.iter().for_each(|of_sample| labels.push(of_sample));
        labels
    }

    fn written(name: &str) -> (tempfile::TempDir, PathBuf, Vec<SectorLabels>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        let all = vec![
            SectorLabels { sector: 1, labels: labels(&[&[], &[3, u64::MAX], &[7]]) },
            SectorLabels { sector: 7, labels: Labels::default() },
            SectorLabels { sector: 35, labels: labels(&[&[1]]) },
        ];
        write_labels(&path, &all).expect("written");
        (folder, path, all)
    }

    #[test]
    fn labels_come_back() {
        for name in ["a.labels", "a.labels.gz"] {
            let (_folder, path, all) = written(name);
            assert_eq!(read_labels(&path).expect("readable"), all);
        }
    }

    #[test]
    fn files_next_to_pages_have_their_names() {
        let of = |pages: &str| {
            labels_of(Path::new(pages)).map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(of("a/b.pages").expect("pages"), "a/b.labels");
        assert_eq!(of("b.pages.gz").expect("pages"), "b.labels.gz");
        assert!(of("b.cases").is_err());
    }

    #[test]
    fn damage_is_refused_with_its_location() {
        let (_folder, path, _) = written("a.labels");
        let whole = std::fs::read(&path).expect("written");
        let problem = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            std::fs::write(&path, &bytes).expect("written");
            read_labels(&path).expect_err("damaged").to_string()
        };
        // Heads of sectors start at byte 16, with 16 bytes each; the first one is followed by three
        // numbers.
        let word = |bytes: &mut Vec<u8>, at: usize, value: u8| bytes[at] = value;
        for (change, expected) in [
            (&(|bytes: &mut Vec<u8>| word(bytes, 0, b'X')) as &dyn Fn(&mut Vec<u8>), "magic"),
            (&|bytes| word(bytes, 12, 1), "is not 0"),
            (&|bytes| word(bytes, 8, 4), "ends here"),
            (&|bytes| word(bytes, 8, 2), "more data after the last sector"),
            (&|bytes| word(bytes, 16, 36), "there is no sector 36"),
            (&|bytes| word(bytes, 16, 8), "sector 7 is not after 8"),
            (
                &|bytes| [32, 36].into_iter().for_each(|at| word(bytes, at, 1)),
                "the first 1 labels are of no sample in sector 1",
            ),
            (&|bytes| word(bytes, 40, 9), "start at 9, but there are 3"),
            (&|bytes| word(bytes, 36, 3), "sample 2 start at 2, before"),
            (&|bytes| word(bytes, 27, 255), "ends here, within its sector 1"),
            (&|bytes| bytes.truncate(bytes.len() - 1), "ends here, within its sector 35"),
        ] {
            let found = problem(change);
            assert!(found.contains(expected) && found.contains("byte "), "{expected}: {found}");
        }
    }
}
