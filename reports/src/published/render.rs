//! Figures beside what was measured, as text.

use comfy_table::{Table, presets::NOTHING};
use serde_json::json;

use super::outcome::Reproduction;
use super::words::{self, HEADINGS};
use crate::markdown::{escaped, line};
use crate::table::{Format, TableError};

/// The figures as a text that ends with a line break.
///
/// # Errors
/// If they can't be serialised.
pub fn render(format: Format, figures: &[Reproduction]) -> Result<String, TableError> {
    match format {
        Format::Table => Ok(blocks(figures, terminal)),
        Format::Markdown => Ok(blocks(figures, markdown)),
        Format::Csv => csv(figures),
        Format::Json => json(figures),
    }
}

fn blocks(figures: &[Reproduction], block: fn(&Reproduction) -> String) -> String {
    figures.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn terminal(figure: &Reproduction) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(HEADINGS);
    table.add_rows(words::cells(figure));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    let sentences = words::sentences(figure).into_iter();
    let sentences = sentences.map(|sentence| format!("  {sentence}\n"));
    let text: String = lines.chain(sentences).collect();
    format!("{}\n{text}", words::heading(figure))
}

fn markdown(figure: &Reproduction) -> String {
    let cells = words::cells(figure).into_iter();
    let rows: String = cells.map(|cells| line(cells.map(|cell| escaped(&cell)))).collect();
    let sentences = words::sentences(figure).into_iter();
    let sentences: String = sentences.map(|text| format!("- {}\n", escaped(&text))).collect();
    let head = line(HEADINGS.map(str::to_owned)) + "|:--|:--|--:|--:|--:|--:|--:|--:|\n";
    format!("## {}\n\n{sentences}\n{head}{rows}", escaped(&words::heading(figure)))
}

fn csv(figures: &[Reproduction]) -> Result<String, TableError> {
    let failed = |error: &dyn std::fmt::Display| TableError::Csv(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in figures.iter().flat_map(words::beside) {
        writer.serialize(row).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn json(figures: &[Reproduction]) -> Result<String, TableError> {
    let figure = |it: &Reproduction| {
        json!({
            "figure": it.figure.id,
            "title": it.figure.title,
            "source": it.figure.source,
            "values": words::beside(it),
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
        assert!(markdown.starts_with("## fig3.9: Merging slice tracks"), "{markdown}");
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
