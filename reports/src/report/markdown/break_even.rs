//! Size from which on a GPU is faster, setting by setting.

use super::and_more;
use crate::break_even::{Sweep, fastest_variants, sentences, sweeps};
use crate::record::SummaryRow;
use crate::shape;
use crate::table::escaped;

/// Maximum number of settings; further ones are counted.
const MAX_SETTINGS: usize = 8;

/// A line for each setting; empty if no CPU and GPU were measured at enough sizes.
pub fn text(rows: &[&SummaryRow]) -> String {
    let sweeps = sweeps(rows);
    if sweeps.is_empty() {
        return String::new();
    }
    let lines: String = sweeps.iter().take(MAX_SETTINGS).map(line).collect();
    let more = and_more(sweeps.len().saturating_sub(MAX_SETTINGS), "settings");
    format!("Size from which a GPU is faster:\n\n{lines}{more}\n")
}

fn line(sweep: &Sweep) -> String {
    let setting = match shape::phrases(&sweep.setting) {
        words if words.is_empty() => words,
        words => format!("{words}: "),
    };
    let phrases = sentences(sweep).join("; ");
    let line = format!("{setting}{phrases} ({})", fastest_variants(sweep));
    format!("- {}\n", escaped(&line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::break_even_rows;

    #[test]
    fn each_setting_has_a_line() {
        let rows = break_even_rows(&["random", "time"]);
        let text = text(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("- order random: from 1"), "{text}");
        assert!(lines[0].contains("the GPU wins by its kernels alone"), "{text}");
    }

    #[test]
    fn without_a_gpu_there_are_no_sentences() {
        let mut rows = break_even_rows(&["random"]);
        rows.retain(|row| row.device == "cpu");
        assert_eq!(text(&rows.iter().collect::<Vec<_>>()), "");
    }
}
