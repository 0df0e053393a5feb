//! Kinds of records, and their order.

use crate::DataError;

/// Kinds of lines, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Record {
    Case,
    Sector,
    Frame,
    Fragment,
    Param,
    Noisy,
    /// Samples in consecutive time bins.
    Run,
    /// A sample with its labels.
    Labelled,
    Peak,
    Share,
    Cluster,
    End,
}

use Record::*;

/// All records in order.
const ALL: [(Record, &str); 12] = [
    (Case, "case"),
    (Sector, "sector"),
    (Frame, "frame"),
    (Fragment, "fragment"),
    (Param, "param"),
    (Noisy, "noisy"),
    (Run, "r"),
    (Labelled, "d"),
    (Peak, "p"),
    (Share, "s"),
    (Cluster, "c"),
    (End, "end"),
];

impl Record {
    /// Parses the first word of a record.
    pub(super) fn from_word(word: &str) -> Result<Self, String> {
        let known = ALL.iter().find(|(_, name)| *name == word);
        known.map(|(record, _)| *record).ok_or_else(|| {
            DataError::unknown("record", word, &ALL.map(|(_, name)| name)).to_string()
        })
    }

    pub(super) fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    fn repeats(self) -> bool {
        matches!(self, Param | Noisy | Run | Labelled | Peak | Share | Cluster)
    }

    /// Checks that this record may follow `last`.
    pub(super) fn check_after(self, last: Record) -> Result<(), String> {
        match (last, self) {
            (Case, Sector) | (Sector, Frame) => Ok(()),
            (Case, _) => Err(must_follow(Case, Sector, self)),
            (Sector, _) => Err(must_follow(Sector, Frame, self)),
            (_, Case) => Err("a case starts, but the previous one has no `end`".to_owned()),
            (Run, Labelled) | (Labelled, Run) => {
                Err("`r` and `d` lines are in one case; either all samples have `d` lines, with \
                     their labels, or none"
                    .to_owned())
            }
            (last, next) if next > last || next == last && next.repeats() => Ok(()),
            (last, next) if next == last => Err(format!("a second `{}`", next.name())),
            (last, next) => Err(out_of_order(last, next)),
        }
    }
}

fn must_follow(last: Record, wanted: Record, found: Record) -> String {
    let [last, wanted, found] = [last, wanted, found].map(Record::name);
    format!("`{wanted}` must follow `{last}`, not `{found}`")
}

fn out_of_order(last: Record, next: Record) -> String {
    let order = ALL.map(|(_, name)| name).join(", ");
    format!("`{}` must stand before `{}`; the order is {order}", next.name(), last.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        for (index, (record, name)) in ALL.iter().enumerate() {
            assert_eq!(*record as usize, index);
            assert_eq!(Record::from_word(name), Ok(*record));
        }
    }
}
