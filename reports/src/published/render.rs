//! Figures beside what was measured, as text.

use serde_json::json;

use super::outcome::Reproduction;
use super::words;
use crate::frame::{Frame, Record};
use crate::paint::Paint;
use crate::table::{Format, TableError, for_people};

/// The figures as a text that ends with a line break.
///
/// # Errors
/// If they can't be serialised.
pub fn render(format: Format, figures: &[Reproduction]) -> Result<String, TableError> {
    match format {
        Format::Table | Format::Markdown => {
            let tables = figures.iter().map(|figure| {
                let table = words::table(figure).under(words::heading(figure));
                table.with_notes(words::sentences(figure))
            });
            Ok(for_people(format, &tables.collect::<Vec<_>>(), Paint::Plain))
        }
        Format::Csv => Ok(frame(figures).csv()?),
        Format::Json => json(figures),
    }
}

fn frame(figures: &[Reproduction]) -> Frame {
    let rows = figures.iter().flat_map(|figure| {
        figure.figure.values.iter().map(move |value| words::record(figure, value))
    });
    let rows: Vec<Record<'_>> = rows.collect();
    Frame::new(&rows.first().cloned().unwrap_or_default(), rows)
}

fn json(figures: &[Reproduction]) -> Result<String, TableError> {
    let figure = |it: &Reproduction| {
        json!({
            "figure": it.figure.id,
            "title": it.figure.title,
            "source": it.figure.source,
            "values": frame(std::slice::from_ref(it)),
            "conclusions": words::sentences(it),
        })
    };
    let figures: Vec<_> = figures.iter().map(figure).collect();
    Ok(serde_json::to_string_pretty(&figures)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::rows;
    use super::super::{Here, figures, reproduce};
    use super::*;
    use crate::charts::fixture::run;

    fn reproduced() -> Vec<Reproduction> {
        let figures = figures().into_iter();
        let wanted = figures.filter(|figure| ["tab5.1", "fig3.9"].contains(&figure.id.as_str()));
        let (record, rows) = (run(), rows());
        let here = Here { record: &record, rows: &rows };
        reproduce(wanted.collect(), &here)
    }

    #[test]
    fn people_see_both_numbers_and_what_follows() {
        let text = render(Format::Table, &reproduced()).expect("a text");
        let row = text.lines().find(|line| line.starts_with("sort, online, 1 thread"));
        let row = row.expect("a row");
        for cell in
            ["Xeon Gold 6130", "1.22 s", "70.9 ns", "1.97 ×", "5.00 ms", "5.00 ns", "2.00 ×"]
        {
            assert!(row.contains(cell), "{cell}: {row}");
        }
        assert!(
            text.contains("  Holds here, 2.00 × (published: 1.97 ×): The stage sort is"),
            "{text}"
        );
        assert!(text.contains("not measured"), "{text}");
        let markdown = render(Format::Markdown, &reproduced()).expect("a text");
        assert!(markdown.starts_with("### fig3.9: Merging slice tracks"), "{markdown}");
    }

    #[test]
    fn programs_get_each_value() {
        let text = render(Format::Csv, &reproduced()).expect("a text");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let values: usize = reproduced().iter().map(|it| it.figure.values.len()).sum();
        assert_eq!(rows.expect("well formed").len(), values);
        let json = render(Format::Json, &reproduced()).expect("a text");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[1]["figure"], "tab5.1");
        assert!(json[1]["values"][0]["published_s"].is_number());
    }
}
