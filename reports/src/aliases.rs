//! Variants that got other names: what was measured under an old name goes on under the new one.
//!
//! The table is `assets/aliases.csv`. It is applied where runs are read to be compared and
//! followed; what is kept stays as it was written.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::record::{Point, SummaryRow};

const TABLE: &str = include_str!("../assets/aliases.csv");

/// The table that comes with the program.
pub static ALIASES: LazyLock<Aliases> = LazyLock::new(|| Aliases::parse(TABLE));

/// Old names of variants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases(Vec<Alias>);

/// An old name of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Alias {
    /// The task.
    pub task: String,
    /// What the variant was called.
    pub old: String,
    /// What it is called.
    pub new: String,
    /// The day of the change, for people.
    pub since: String,
}

impl Aliases {
    /// From the text of a table. It is part of the program, and a test reads it: there is
    /// nobody to tell of a row that is none.
    pub fn parse(text: &str) -> Self {
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
        Aliases(reader.deserialize().filter_map(Result::ok).collect())
    }

    /// All rows.
    pub fn rows(&self) -> &[Alias] {
        &self.0
    }

    /// What a variant of a task is called now.
    pub fn current<'a>(&'a self, task: &str, variant: &'a str) -> &'a str {
        let alias = self.0.iter().find(|alias| alias.task == task && alias.old == variant);
        alias.map_or(variant, |alias| &alias.new)
    }

    /// What a variant of a task was called before, the last name first.
    pub fn former<'a>(&'a self, task: &'a str, variant: &'a str) -> impl Iterator<Item = &'a str> {
        let aliases = self.0.iter().rev();
        let former = aliases.filter(move |alias| alias.task == task && alias.new == variant);
        former.map(|alias| alias.old.as_str())
    }

    /// A point under the name of today.
    #[must_use]
    pub fn point(&self, mut point: Point) -> Point {
        point.variant = self.current(&point.algorithm, &point.variant).to_owned();
        point
    }

    /// Rows under the names of today.
    #[must_use]
    pub fn of_rows(&self, mut rows: Vec<SummaryRow>) -> Vec<SummaryRow> {
        for row in &mut rows {
            row.variant = self.current(&row.algorithm, &row.variant).to_owned();
        }
        rows
    }

    /// What is wrong with the table: an old name must have one meaning, at once.
    pub fn problems(&self) -> Vec<String> {
        let problem = |(number, Alias { task, old, new, .. }): (usize, &Alias)| {
            let mut before = self.0[..number].iter();
            if before.any(|other| other.task == *task && other.old == *old) {
                Some(format!("{task}: {old} stands there twice"))
            } else if self.current(task, new) != new || old == new {
                Some(format!("{task}: {old} becomes {new}, which is an old name itself"))
            } else {
                None
            }
        };
        self.0.iter().enumerate().filter_map(problem).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> Aliases {
        Aliases::parse(&format!("task,old,new,since\n{rows}"))
    }

    #[test]
    fn the_table_of_the_program_is_sound() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(ALIASES.rows().len() + 1, lines.count(), "no row is lost");
        assert_eq!(ALIASES.problems(), [""; 0]);
        for Alias { since, .. } in ALIASES.rows() {
            assert!(humantime::parse_rfc3339(&format!("{since}T00:00:00Z")).is_ok(), "{since}");
        }
    }

    #[test]
    fn names_are_those_of_a_task() {
        let aliases = table("sort,a,c,2026-01-01\nsort,b,c,2026-02-01\nsts,a,d,2026-01-01\n");
        assert_eq!(aliases.problems(), [""; 0]);
        let current = |task, variant| aliases.current(task, variant).to_owned();
        assert_eq!([current("sort", "a"), current("sort", "b")], ["c", "c"]);
        assert_eq!([current("sts", "a"), current("sts", "b")], ["d", "b"]);
        assert_eq!(aliases.former("sort", "c").collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(aliases.former("sts", "c").count(), 0);
    }

    #[test]
    fn chains_circles_and_double_meanings_are_refused() {
        for (rows, problem) in [
            ("sort,a,b,\nsort,b,c,\n", "sort: a becomes b, which is an old name itself"),
            ("sort,a,b,\nsort,b,a,\n", "sort: b becomes a, which is an old name itself"),
            ("sort,a,a,\n", "sort: a becomes a, which is an old name itself"),
            ("sort,a,b,\nsort,a,c,\n", "sort: a stands there twice"),
        ] {
            let problems = table(rows).problems();
            assert!(problems.iter().any(|found| found == problem), "{problem}: {problems:?}");
        }
    }
}
