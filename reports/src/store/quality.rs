//! `quality.csv`: counts behind metrics of quality, of runs whose truth is known.

use std::collections::HashSet;
use std::path::Path;

use super::read::read_rows;
use super::table_file::TableFile;
use super::{QUALITY, RunFolder, StoreError};
use crate::record::QualityRow;

impl RunFolder {
    /// Appends the metrics of a point; the file is created with the first ones.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_quality(&mut self, rows: &[QualityRow]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let path = self.path().join(QUALITY);
        let mut file = if path.exists() {
            TableFile::reopen(&path)?.mend()?
        } else {
            TableFile::create(&path)?
        };
        file.append_durably(rows)
    }
}

/// Reads the metrics of quality of a run. Of a point that was measured again after an interruption,
/// the last ones count. Empty for a run without any, or by an earlier version.
///
/// # Errors
/// If the file is damaged: the error names the line.
pub fn read_quality(folder: &Path) -> Result<Vec<QualityRow>, StoreError> {
    let path = folder.join(QUALITY);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut rows: Vec<QualityRow> = read_rows(&path)?;
    let mut seen = HashSet::new();
    rows.reverse();
    rows.retain(|row| seen.insert((row.point_id.clone(), row.metric.clone())));
    rows.reverse();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::testing::{record, row};
    use crate::record::FigureKind;

    fn figure(variant: &str, parts: &str) -> QualityRow {
        let parts = parts.parse().expect("parts");
        QualityRow::new(&row(variant).point(), "efficiency", FigureKind::Share, 0.5, parts)
    }

    #[test]
    fn rows_are_kept_and_the_last_of_a_point_counts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut run = RunFolder::create(folder.path(), &record(1)).expect("created");
        run.append_quality(&[]).expect("nothing to write");
        assert!(!folder.path().join(QUALITY).exists());
        assert_eq!(read_quality(folder.path()).expect("none"), []);
        for figure in [figure("a", "1/2"), figure("b", "3/4"), figure("a", "2/2")] {
            run.append_quality(&[figure]).expect("written");
        }
        let expected = [figure("b", "3/4"), figure("a", "2/2")];
        assert_eq!(read_quality(folder.path()).expect("readable"), expected);
    }

    #[test]
    fn damaged_rows_are_refused_with_their_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut run = RunFolder::create(folder.path(), &record(1)).expect("created");
        run.append_quality(&[figure("a", "1/2")]).expect("written");
        let path = folder.path().join(QUALITY);
        let text = std::fs::read_to_string(&path).expect("a text");
        std::fs::write(&path, text.replace("1/2", "1:2")).expect("written");
        let error = read_quality(folder.path()).expect_err("damaged").to_string();
        assert!(error.contains("quality.csv: line 2") && error.contains("1:2"), "{error}");
    }
}
