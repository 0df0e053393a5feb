//! Blocks as GitHub shows them.

use super::Tables;
use super::block::Block;
use super::cells::Side;
use crate::markdown::{escaped, line};

/// The blocks, each under a heading, then what is to be said of many points.
pub fn render(tables: &Tables) -> String {
    let blocks = tables.blocks.iter().map(text);
    let remarks = tables.remarks.iter();
    let remarks: String = remarks.map(|remark| format!("- {}\n", escaped(remark))).collect();
    let remarks = (!remarks.is_empty()).then(|| format!("### Remarks\n\n{remarks}"));
    blocks.chain(remarks).collect::<Vec<_>>().join("\n")
}

fn text(block: &Block) -> String {
    let names = block.columns.iter().map(|(name, _)| escaped(name));
    let rules = block.columns.iter().map(|(_, side)| match side {
        Side::Left => ":--".to_owned(),
        Side::Right => "--:".to_owned(),
    });
    let mut text = format!("### {}\n\n", escaped(&block.heading));
    text += &line(names);
    text += &line(rules);
    for row in &block.rows {
        text += &line(row.iter().map(|text| cell(text)));
    }
    if !block.notes.is_empty() {
        text.push('\n');
    }
    for note in &block.notes {
        text += &format!("- {}\n", escaped(&note.to_string()));
    }
    text
}

/// A cell's text; its indent survives.
fn cell(text: &str) -> String {
    let indent = text.len() - text.trim_start().len();
    "&nbsp;".repeat(indent) + &escaped(text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{blocks, row, wrong};
    use super::*;
    use crate::record::SummaryRow;

    fn render(rows: &[SummaryRow]) -> String {
        super::render(&Tables { blocks: blocks(rows), remarks: vec!["2 points: noise".into()] })
    }

    #[test]
    fn a_block_is_a_heading_a_table_and_a_list() {
        let text = render(&[row("a|b", 0.01), wrong("c", "row 3 differs")]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("### 2 M digis"));
        assert!(lines[2].starts_with("| variant | median |"));
        assert!(lines[3].starts_with("| :-- | --: |"));
        assert!(lines[4].starts_with("| a\\|b | 10.0 ms |"));
        assert!(lines[5].starts_with("| c | - |"));
        assert_eq!(lines[7], "- c: not valid: row 3 differs");
        assert_eq!(lines[9..], ["### Remarks", "", "- 2 points: noise"]);
    }

    #[test]
    fn all_lines_of_a_table_have_the_same_columns() {
        let mut stage = row("a", 0.005);
        stage.stage = "kernel".into();
        let text = render(&[row("a", 0.01), stage]);
        let bars = |line: &&str| line.matches('|').count();
        let counts: Vec<usize> =
            text.lines().filter(|line| line.starts_with('|')).map(|line| bars(&line)).collect();
        assert_eq!(counts, [13; 4]);
        assert!(text.contains("| &nbsp;&nbsp;kernel |"));
    }
}
