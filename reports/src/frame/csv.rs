//! A frame as CSV: unknown values are empty, flags are `yes` and `no`.
//!
//! Spreadsheets interpret some texts as formulas, and terminals show tables unfiltered, so texts
//! are made safe: see [`Frame::csv`].

use std::borrow::Cow;

use super::column::Values;
use super::{Frame, FrameError};

impl Frame {
    /// The rows under a header, for people and spreadsheets: control characters in texts, except
    /// line breaks, are escaped, and an apostrophe is written before texts that a spreadsheet would
    /// interpret as formulas.
    ///
    /// # Errors
    /// If they can't be serialised.
    pub fn csv(&self) -> Result<String, FrameError> {
        self.written(as_text)
    }

    /// The rows under a header, with unmodified texts: for the files of runs, which this program
    /// reads again.
    ///
    /// # Errors
    /// If they can't be serialised.
    pub fn exact_csv(&self) -> Result<String, FrameError> {
        self.written(as_it_is)
    }

    fn written(&self, text: impl Fn(&str) -> Cow<'_, str>) -> Result<String, FrameError> {
        let failed = |error: &dyn std::fmt::Display| FrameError::new("CSV", error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names: Vec<_> = self.names().map(&text).collect();
        writer
            .write_record(names.iter().map(|name| name.as_bytes()))
            .map_err(|error| failed(&error))?;
        for row in 0..self.rows {
            let cells = self.columns.iter().map(|column| cell(&column.values, row, &text));
            writer.write_record(cells).map_err(|error| failed(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        String::from_utf8(bytes).map_err(|error| failed(&error))
    }
}

fn cell<'a>(
    values: &'a Values,
    row: usize,
    text: impl Fn(&'a str) -> Cow<'a, str>,
) -> Cow<'a, [u8]> {
    let text: Option<Cow<'_, str>> = match values {
        Values::Text(texts) | Values::Time(texts) => texts[row].as_deref().map(text),
        Values::Flag(flags) => flags[row].map(|flag| if flag { "yes" } else { "no" }.into()),
        Values::Whole(numbers) => numbers[row].map(|number| number.to_string().into()),
        Values::Number(numbers) => numbers[row].map(|number| number.to_string().into()),
    };
    match text.unwrap_or_default() {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}

fn as_it_is(text: &str) -> Cow<'_, str> {
    text.into()
}

/// First characters of formulas in spreadsheets, including wide forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Escapes a text that could be interpreted as a formula; numbers stay as they are.
fn as_text(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(FORMULA) && text.parse::<f64>().is_err();
    let mark = if is_formula { "'" } else { "" };
    if is_formula || text.chars().any(text::is_hidden) {
        return format!("{mark}{}", text::page(text.to_owned())).into();
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::frame;
    use super::super::{Cell, Frame, Record};
    use super::*;

    #[test]
    fn texts_are_no_formulas() {
        for formula in ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "＝1", "-"] {
            assert_eq!(as_text(formula), format!("'{formula}"));
        }
        for text in ["-1.5", "+2", "-1e9", "a=b", "b-c", "", "50 µs"] {
            assert_eq!(as_text(text), text);
        }
        // CSV can represent line breaks.
        assert_eq!(as_text("\t=1\r\n2"), "\\t=1\\r\n2");
        let long = "ä".repeat(2_000) + "\u{202e}";
        assert!(as_text(&long).ends_with("ä\\u{202e}"));
    }

    #[test]
    fn numbers_are_and_exact_tables_are_left_alone() {
        let record = |name, value| {
            Record::default().with("name", Cell::Text(name)).with("value", Some(value))
        };
        let rows = [record("=1\u{7}".into(), -1.5)];
        let frame = Frame::new(&record("".into(), 0.0), rows);
        assert_eq!(frame.csv().expect("a text"), "name,value\n'=1\\u{7},-1.5\n");
        assert_eq!(frame.exact_csv().expect("a text"), "name,value\n=1\u{7},-1.5\n");
    }

    #[test]
    fn unknown_values_are_empty() {
        let expected = "name,median_s,axis_digis,axis_max_size,axis_order\n\
            \"a, b\",0.5,1000,,random\n\
            c,0.5,2000,0.5,1\n";
        assert_eq!(frame().csv().expect("a text"), expected);
    }
}
