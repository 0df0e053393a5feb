//! Blocks as aligned columns.

use comfy_table::{CellAlignment, Table, presets::NOTHING};

use super::Tables;
use super::block::{Block, Look};
use super::cells::Side;
use crate::paint::Paint;

/// The blocks with an empty line between them, then what is to be said of many points.
pub fn render(tables: &Tables, paint: Paint) -> String {
    let blocks = tables.blocks.iter().map(|block| text(block, paint));
    let lines = tables.remarks.iter().map(|remark| format!("{remark}\n"));
    let remarks = Some(lines.collect::<String>()).filter(|lines| !lines.is_empty());
    blocks.chain(remarks).collect::<Vec<_>>().join("\n")
}

/// Heading, table and footnotes.
fn text(block: &Block, paint: Paint) -> String {
    let mut lines = vec![paint.heading(&block.heading)];
    let table = table(block);
    let rows = table.lines().map(|line| line.trim_end().to_owned());
    let looks = std::iter::once(Look::Plain).chain(block.looks.iter().copied());
    let looks = looks.chain(std::iter::repeat(Look::Plain));
    lines.extend(rows.zip(looks).map(|(line, look)| match look {
        Look::Winner => paint.good(&line),
        Look::NotValid => paint.bad(&line),
        Look::Plain => line,
    }));
    lines.extend(block.notes.iter().map(|note| format!("  {note}")));
    lines.join("\n") + "\n"
}

fn table(block: &Block) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(block.columns.iter().map(|(name, _)| name));
    table.add_rows(&block.rows);
    let columns = table.column_iter_mut().zip(&block.columns);
    for (i, (column, (_, side))) in columns.enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
        column.set_cell_alignment(match side {
            Side::Left => CellAlignment::Left,
            Side::Right => CellAlignment::Right,
        });
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{blocks, row, wrong};
    use super::*;
    use crate::record::SummaryRow;

    fn rendered(rows: &[SummaryRow], paint: Paint) -> String {
        let tables = Tables { blocks: blocks(rows), remarks: Vec::new() };
        super::render(&tables, paint)
    }

    fn render(rows: &[SummaryRow]) -> String {
        rendered(rows, Paint::Plain)
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn numbers_line_up_on_the_right() {
        let rows = [row("a", 0.001), row("cub-segmented-radix", 0.1)];
        let text = render(&rows);
        let lines = lines(&text);
        let end = |line: &str, word: &str| {
            let start = line.find(word).expect("the word is in the line");
            line[..start].chars().count() + word.chars().count()
        };
        assert_eq!(end(lines[1], "median"), end(lines[2], "1.00 ms"));
        assert_eq!(end(lines[1], "median"), end(lines[3], "100 ms"));
        assert_eq!(end(lines[2], "1.00 ×"), end(lines[3], "100.00 ×"));
    }

    #[test]
    fn a_usual_block_fits_a_terminal() {
        let mut gpu = row("thrust-stable-sort", 123e-6);
        gpu.device = "cuda:0".into();
        let rows = [row("cub-segmented-radix", 0.0123), gpu, wrong("b", "note")];
        let text = render(&rows);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(120), "{widest:?}\n{text}");
        assert!(text.lines().all(|line| line == line.trim_end()));
    }

    #[test]
    fn heading_table_and_notes_follow_each_other() {
        let text = render(&[row("a", 0.01), wrong("b", "row 3 differs")]);
        let lines = lines(&text);
        assert!(lines[0].starts_with("2 M digis"));
        assert!(lines[1].starts_with("variant"));
        assert!(lines[2].contains("10.0 ms"));
        assert!(lines[2].contains("[9.80, 10.1]"));
        assert_eq!(lines[4], "  b: not valid: row 3 differs");
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn no_rows_are_no_text() {
        assert_eq!(render(&[]), "");
    }

    #[test]
    fn only_colours_tell_a_painted_table_from_a_plain_one() {
        let rows = [row("a", 0.01), row("b", 0.02), wrong("c", "row 3 differs")];
        let painted = rendered(&rows, Paint::Colored);
        let lines = lines(&painted);
        assert!(lines[2].starts_with("\u{1b}[") && lines[4].starts_with("\u{1b}["));
        assert!(lines[3].starts_with("b "), "{painted}");
        assert_eq!(crate::paint::without_colors(&painted), render(&rows));
    }
}
