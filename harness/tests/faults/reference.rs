//! A command that nothing went wrong in, and whether one that something went wrong in comes to the
//! same end.

use std::fs;
use std::path::Path;

use reports::record::SummaryRow;

use super::library::{Operation, record};
use super::scenario::{Product, Scenario, assert_complete, done, planted, points};
use super::tree::{Tree, names, of_interest, tree, without_times};
use crate::common::{Folder, Run, folder};

/// A command that nothing went wrong in.
pub struct Reference {
    /// Files before the command.
    pub beginning: Tree,
    /// Files after the command.
    pub end: Tree,
    pub operations: Vec<Operation>,
}

impl Reference {
    pub fn record(scenario: &Scenario) -> Self {
        let beginning = scenario.beginning();
        let folder = planted(&beginning);
        let (run, operations) = record(&folder, scenario.line);
        assert!(matches!(run.code, Some(0 | 4)), "{}", run.story());
        Reference { beginning, end: tree(&folder), operations }
    }

    /// Asserts that the files of a folder are complete after a fault, and that the same command gives
    /// the same result there and leaves no other files.
    #[track_caller]
    pub fn goes_on(&self, scenario: &Scenario, folder: &Folder, story: &str) {
        let kept = match scenario.product {
            Product::Files => {
                self.nothing_is_torn(&tree(folder), story);
                Vec::new()
            }
            Product::Run => rows_kept(&folder.join("r")),
        };
        let again = folder.bench(scenario.line);
        let story = format!("{story}\nand again: {}", again.story());
        assert!(went_on(scenario, &again), "it does not go on; {story}");
        let end = tree(folder);
        let [now, expected] = [&end, &self.end].map(|tree| names(&of_interest(tree.clone())));
        assert_eq!(now, expected, "not the same is left behind; {story}");
        match scenario.product {
            Product::Files => self.is_the_same(&end, &story),
            Product::Run => {
                assert_complete(&folder.join("r"), self.points(), &story);
                let rows = done(&folder.join("r"));
                assert_eq!(rows[..kept.len()], kept[..], "rows are lost; {story}");
            }
        }
    }

    /// Files that were there before are so still, or are the new ones.
    fn nothing_is_torn(&self, after: &Tree, story: &str) {
        for (path, old) in &self.beginning {
            let now = after.get(path);
            let new = self.end.get(path);
            let is_whole = now == Some(old) || same(now, new);
            assert!(is_whole, "{} is torn; {story}", path.display());
        }
    }

    fn is_the_same(&self, end: &Tree, story: &str) {
        for (path, content) in &self.end {
            // Names may have times in them.
            let now = end.get(path);
            let is_there = now.is_none() || same(now, Some(content));
            assert!(is_there, "{} is another file; {story}", path.display());
        }
    }

    fn points(&self) -> usize {
        points(&planted(&self.end).join("r"))
    }
}

/// Returns true if a command resumed. A measuring command refuses to start again in the folder of
/// a finished run, which is the case if the fault happened after the end of the run.
fn went_on(scenario: &Scenario, again: &Run) -> bool {
    let refuses = || again.code == Some(2) && again.stderr.contains("holds a run already");
    let is_suite = scenario.line.starts_with("run ");
    let may_refuse = scenario.product == Product::Run && !is_suite;
    matches!(again.code, Some(0 | 4)) || (may_refuse && refuses())
}

/// The rows that are whole, of a run that may have been stopped in the middle of one.
pub fn rows_kept(run: &Path) -> Vec<SummaryRow> {
    let text = fs::read(run.join("summary.csv")).unwrap_or_default();
    // Data that were being written at the power cut.
    let written = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let end = written.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let copy = folder();
    copy.write("summary.csv", &written[..end]);
    done(&copy)
}

/// Returns true if two files are equal except for times.
fn same(one: Option<&Option<Vec<u8>>>, other: Option<&Option<Vec<u8>>>) -> bool {
    let text = |bytes| std::str::from_utf8(bytes).map(without_times);
    match (one, other) {
        (Some(Some(one)), Some(Some(other))) if one != other => {
            matches!((text(one), text(other)), (Ok(one), Ok(other)) if one == other)
        }
        (one, other) => one == other,
    }
}
