//! Digis as tables of other programs: columns by name, floats that are whole, absolute times.
//!
//! | module | content |
//! |---|---|
//! | `times` | times relative to an origin |

mod times;

use generators_common::partition::Partition;
use text::Untrusted;

use super::rows::Limits;
use crate::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};
use times::Times;

/// Rows of a table.
pub(super) struct DigiTable {
    limits: Limits,
    rows: Vec<Row>,
    times: Times,
}

/// A digi before the origin of its time is known.
struct Row {
    time: i64,
    module: u32,
    channel: u16,
    adc: u8,
    back: bool,
}

/// Digis that were read, with notes on how.
#[derive(Debug)]
pub struct ReadDigis {
    /// The digis.
    pub digis: SegmentedDigis,
    /// Notes for users.
    pub notes: Vec<String>,
}

pub(super) struct RowProblem {
    /// Line or index of the row.
    pub(super) row: u64,
    pub(super) problem: String,
}

impl DigiTable {
    /// A table without rows. Times are relative to the origin, in ns; without one, to the earliest
    /// time if they are too large or negative.
    pub(super) fn new(limits: Limits, time_origin: Option<i64>) -> Self {
        DigiTable { limits, rows: Vec::new(), times: Times::new(time_origin) }
    }

    /// Appends a row, given its cells in the order of [`COLUMNS`] and the line or index for
    /// messages.
    pub(super) fn push(&mut self, row: u64, cells: [Cell<'_>; 5]) -> Result<(), String> {
        let [module, side, channel, time, adc] = cells;
        self.rows.push(Row {
            module: module.whole_up_to(COLUMNS[0], self.limits.modules as u32 - 1)?,
            back: side.is_back()?,
            channel: channel.whole_up_to(COLUMNS[2], u32::from(CHANNELS_PER_SIDE) - 1)? as u16,
            time: self.times.add(row, time)?,
            adc: adc.whole_up_to(COLUMNS[4], self.limits.adc.into())? as u8,
        });
        Ok(())
    }

    /// The digis, given the unit of row numbers. There are two segments for each module up to the
    /// highest one; within a segment the digis keep the order of the rows.
    pub(super) fn finish(self, ignored: &[String], unit: &str) -> Result<ReadDigis, RowProblem> {
        let origin = self.times.origin(unit)?;
        let notes = note(ignored).into_iter().chain(self.times.notes(origin)).collect();
        Ok(ReadDigis { digis: by_segment(&self.rows, origin), notes })
    }
}

impl Row {
    fn segment(&self, modules: usize) -> usize {
        ModuleSide { module: self.module as usize, back: self.back }.segment(modules)
    }

    fn digi(&self, origin: i64) -> Digi {
        let time_ns = i128::from(self.time) - i128::from(origin);
        Digi::new(Address::of_module(self.module as usize), self.channel, time_ns as u32, self.adc)
    }
}

/// A stable counting sort by segment.
fn by_segment(rows: &[Row], origin: i64) -> SegmentedDigis {
    let modules = rows.iter().map(|row| row.module as usize + 1).max().unwrap_or(0);
    let mut counts = vec![0; 2 * modules];
    for row in rows {
        counts[row.segment(modules)] += 1;
    }
    let partition = Partition::from_lengths(counts);
    let mut next: Vec<_> = partition.ranges().map(|range| range.start).collect();
    let mut digis = vec![Digi::default(); rows.len()];
    for row in rows {
        let index = &mut next[row.segment(modules)];
        digis[*index] = row.digi(origin);
        *index += 1;
    }
    SegmentedDigis::new(digis, partition)
}

/// Value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::io) enum Cell<'a> {
    Whole(i128),
    Float(f64),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// The number that a text stands for, or else the text. Integers stay exact.
    pub(in crate::io) fn parse(text: &'a str) -> Self {
        // Nearly all numbers are small; parsing 128 bits takes longer.
        if let Ok(small) = text.parse::<i32>() {
            return Cell::Whole(small.into());
        }
        let whole = text.parse().map(Cell::Whole);
        whole.or_else(|_| text.parse().map(Cell::Float)).unwrap_or(Cell::Text(text))
    }

    /// An integer, which may come as a whole float.
    fn whole(self, name: &str) -> Result<i128, String> {
        match self {
            Cell::Whole(value) => Ok(value),
            Cell::Float(value) if value.fract() == 0.0 => Ok(value as i128),
            Cell::Float(value) => Err(format!("{name} {value} is not a whole number")),
            Cell::Text("") => Err(format!("{name} is empty")),
            Cell::Text(text) => Err(format!("{name} {} is not a whole number", text.quoted())),
        }
    }

    /// An integer of 0 to a maximum.
    fn whole_up_to(self, name: &str, largest: u32) -> Result<u32, String> {
        let value = self.whole(name)?;
        if value < 0 {
            return Err(format!("{name} {value} is below 0"));
        }
        let fits = u32::try_from(value).ok().filter(|&value| value <= largest);
        fits.ok_or_else(|| format!("{name} {value} is above {largest}"))
    }

    /// The side of a module: false for the front, which is the n side.
    fn is_back(self) -> Result<bool, String> {
        match self {
            Cell::Whole(0) | Cell::Text("front" | "n") => return Ok(false),
            Cell::Whole(1) | Cell::Text("back" | "p") => return Ok(true),
            Cell::Float(0.0) => return Ok(false),
            Cell::Float(1.0) => return Ok(true),
            _ => {}
        }
        let shown = match self {
            Cell::Whole(value) => value.to_string(),
            Cell::Float(value) => value.to_string(),
            Cell::Text(text) => text.to_owned(),
        };
        let shown = shown.quoted();
        Err(format!("side {shown} is neither 0 (front, n) nor 1 (back, p)"))
    }
}

/// Names of the columns of digis.
pub(in crate::io) const COLUMNS: [&str; 5] = ["module", "side", "channel", "time_ns", "adc"];

/// Maximum number of ignored columns whose names are listed.
const LISTED: usize = 10;

/// Indices of the columns of a table.
#[derive(Debug)]
pub(in crate::io) struct Columns {
    /// In the order of [`COLUMNS`].
    pub(in crate::io) indices: [usize; 5],
    /// Names of all other columns.
    pub(in crate::io) ignored: Vec<String>,
}

impl Columns {
    /// Finds the columns, given the names of all.
    pub(in crate::io) fn find(names: &[&str]) -> Result<Self, String> {
        let index = |column: &&str| names.iter().position(|name| name == column);
        let missing: Vec<_> = COLUMNS.into_iter().filter(|name| index(name).is_none()).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let header = names.join(",");
            let advice = advice(&header);
            let header = header.quoted();
            return Err(format!("the header is {header}, without the columns {missing}{advice}"));
        }
        let is_repeated = |column: &&str| names.iter().filter(|name| *name == column).count() > 1;
        if let Some(column) = COLUMNS.iter().find(|column| is_repeated(column)) {
            return Err(format!("the column {column} occurs more than once"));
        }
        let ignored = names.iter().filter(|name| !COLUMNS.contains(name));
        Ok(Columns {
            indices: COLUMNS.map(|column| index(&column).expect("found")),
            ignored: ignored.map(|&name| name.to_owned()).collect(),
        })
    }

    /// True if one of these names is that of a column of digis.
    pub(in crate::io) fn are_named(names: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
        names.into_iter().any(|name| COLUMNS.contains(&name.as_ref()))
    }
}

/// Advice for a header of another dialect.
fn advice(header: &str) -> &'static str {
    match header {
        _ if header.starts_with('#') => "; comments (#) are not read, remove the # and such lines",
        _ if header.contains(';') => "; separate columns by commas instead of semicolons",
        _ if header.contains('\t') => "; separate columns by commas instead of tabs",
        _ => "",
    }
}

/// Note on the columns that were ignored.
fn note(ignored: &[String]) -> Option<String> {
    let name = |name: &String| match name.as_str() {
        "" => "one without a name".to_owned(),
        name => name.quoted().to_string(),
    };
    let listed = ignored.iter().take(LISTED).map(name).collect::<Vec<_>>().join(", ");
    let more = match ignored.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!ignored.is_empty()).then(|| format!("columns that were ignored: {listed}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_and_whole_floats_are_taken() {
        let whole = |text| Cell::parse(text).whole("adc");
        assert_eq!(whole("9223372036854775807"), Ok(i64::MAX.into()));
        assert_eq!(whole("1.23e3"), Ok(1230));
        assert_eq!(whole("-0.0"), Ok(0));
        for (text, problem) in [
            ("1.5", "adc 1.5 is not a whole number"),
            ("NaN", "adc NaN is not a whole number"),
            ("inf", "adc inf is not a whole number"),
            ("", "adc is empty"),
            ("x", "adc \"x\" is not a whole number"),
        ] {
            assert_eq!(whole(text), Err(problem.to_owned()));
        }
    }

    #[test]
    fn sides_have_several_names() {
        let side = |text| Cell::parse(text).is_back();
        for front in ["0", "0.0", "front", "n"] {
            assert_eq!(side(front), Ok(false), "{front}");
        }
        for back in ["1", "1.0", "back", "p"] {
            assert_eq!(side(back), Ok(true), "{back}");
        }
        for neither in ["2", "0.5", "", "N side"] {
            assert!(side(neither).expect_err(neither).contains("neither 0 (front, n)"));
        }
    }

    #[test]
    fn columns_are_found_in_any_order() {
        let names = ["", "adc", "time_ns", "event", "channel", "side", "module"];
        let columns = Columns::find(&names).expect("all are there");
        assert_eq!(columns.indices, [6, 5, 4, 2, 1]);
        let note = note(&columns.ignored).expect("two");
        assert_eq!(note, "columns that were ignored: one without a name, \"event\"");
    }

    #[test]
    fn missing_and_repeated_columns_are_named() {
        let error = |header: &str| {
            let names: Vec<_> = header.split(',').collect();
            Columns::find(&names).expect_err("incomplete")
        };
        let two = error("module,side,channel,t");
        assert_eq!(
            two,
            "the header is \"module,side,channel,t\", without the columns time_ns, adc"
        );
        assert!(error("module;side;channel;time_ns;adc").ends_with("instead of semicolons"));
        assert!(error("module\tside\tchannel\ttime_ns\tadc").ends_with("instead of tabs"));
        assert!(error("# module,side,channel,time_ns,adc").contains("comments (#)"));
        assert!(error("adc,module,side,channel,time_ns,adc").contains("adc occurs more than once"));
    }
}
