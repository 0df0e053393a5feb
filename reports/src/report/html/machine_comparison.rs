//! Machines side by side as a page: tables first, then charts, scores, and what is left out.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::document;
use super::plan::section;
use super::task::chart_figure;
use crate::charts::NamedSvg;
use crate::machines::{MachineComparison, detail_tables, left_out_table, overview, scores_table};

/// The whole page.
pub fn page(comparison: &MachineComparison, charts: &[NamedSvg]) -> String {
    let reference = &comparison.machines[comparison.reference].name;
    let title = format!("Machines relative to {reference}");
    let content = html! {
        header { h1 { (title.escaped().at_most(SENTENCE)) } }
        main #content {
            (sections(comparison, charts))
            (section("left-out", "Left out", &left_out_table(comparison)))
        }
    };
    document(&title, &content, None)
}

/// Tables and charts of the tasks, then the scores.
pub(crate) fn sections(comparison: &MachineComparison, charts: &[NamedSvg]) -> Markup {
    html! {
        (section("tasks", "Tasks", &overview(comparison)))
        @for chart in charts { (chart_figure(chart)) }
        @for (index, table) in detail_tables(comparison).iter().enumerate() {
            (section(&format!("data-{index}"), table.heading(), table))
        }
        @if !comparison.scores.is_empty() {
            (section("scores", "Scores", &scores_table(comparison)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::draw_machines;
    use crate::machines::MachineOptions;
    use crate::machines::fixture::{runs, suite};

    #[test]
    fn the_page_has_tables_charts_and_scores() {
        let mut runs = runs();
        runs[1].record.machine.cpu_model = "<b>new</b>".into();
        let options = MachineOptions { suites: vec![suite(false)], ..MachineOptions::default() };
        let comparison = MachineComparison::new(&runs, options).expect("comparable");
        let page = page(&comparison, &draw_machines(&comparison).expect("drawn"));
        for words in ["<svg", "&lt;b&gt;new", "digis per second", "Scores", "Left out"] {
            assert!(page.contains(words), "{words}");
        }
        assert!(!page.contains("<b>new"));
    }
}
