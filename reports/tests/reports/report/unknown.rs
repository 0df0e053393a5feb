//! Numbers that are not finite are not displayed.

use reports::record::SummaryRow;
use reports::report::{html, markdown};
use reports::run_table::{self, View};
use reports::store::Run;
use reports::table::Format;

use super::fixture::{Fixture, row, run};

/// Points that took no time, and one that did.
fn instant() -> Run {
    let timeless = |variant: &str| SummaryRow {
        items_per_s: None,
        bytes_per_s: None,
        peak_fraction: None,
        ..row(variant, "digis=1000", 0.0)
    };
    run(vec![timeless("a"), timeless("b"), row("c", "digis=1000", 1e-3)])
}

/// Words of a text that parse as numbers but are not.
fn odd_words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| ["NaN", "inf"].contains(word)).collect()
}

#[test]
fn a_report_omits_unknown_values() {
    let run = instant();
    let mut fixture = Fixture::new();
    for point in &mut fixture.comparison.points {
        (point.ratio, point.interval) = (f64::NAN, None);
    }
    let mut input = fixture.input();
    input.run = &run;
    let page = html(&input).expect("a page");
    // Packed or embedded data contain such letters by chance.
    let parts = page.split("base64,").map(|part| match part.find('"') {
        Some(end) if !part.starts_with('<') => &part[end..],
        _ => part,
    });
    for part in parts {
        assert_eq!(odd_words(part), [""; 0]);
    }
    assert_eq!(odd_words(&markdown(&input)), [""; 0]);
}

#[test]
fn tables_omit_them_too() {
    let Run { record, summary: rows, .. } = instant();
    for format in [Format::Table, Format::Markdown, Format::Csv, Format::Json] {
        let text = run_table::render(format, &record, &rows, View::default()).expect("a table");
        assert_eq!(odd_words(&text), [""; 0], "{text}");
    }
}
