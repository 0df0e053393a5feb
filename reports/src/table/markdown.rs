//! Blocks as GitHub shows them.

use super::block::Block;
use super::cells::Side;
use crate::markdown::{escaped, line};

/// The blocks, each under a heading.
pub fn render(blocks: &[Block]) -> String {
    let texts: Vec<String> = blocks.iter().map(text).collect();
    texts.join("\n")
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
        text += &format!("- {}\n", escaped(note));
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
    use super::super::block::blocks;
    use super::super::block::tests::{row, wrong};
    use super::*;

    #[test]
    fn a_block_is_a_heading_a_table_and_a_list() {
        let text = render(&blocks(&[row("a|b", 0.01), wrong("c", "row 3 differs")]));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("### 2 M digis"));
        assert!(lines[2].starts_with("| variant | median |"));
        assert!(lines[3].starts_with("| :-- | --: |"));
        assert!(lines[4].starts_with("| a\\|b | 10.0 ms |"));
        assert!(lines[5].starts_with("| c | - |"));
        assert_eq!(lines[7], "- c: not valid: row 3 differs");
    }

    #[test]
    fn all_lines_of_a_table_have_the_same_columns() {
        let mut stage = row("a", 0.005);
        stage.stage = "kernel".into();
        let text = render(&blocks(&[row("a", 0.01), stage]));
        let bars = |line: &&str| line.matches('|').count();
        let counts: Vec<usize> = text
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| bars(&line))
            .collect();
        assert_eq!(counts, [11; 4]);
        assert!(text.contains("| &nbsp;&nbsp;kernel |"));
    }
}
