//! A plan of farms as a page: the farms, a chart, what changes would bring, and all assumptions.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::task::chart_figure;
use super::{document, scrolling};
use crate::charts::NamedSvg;
use crate::plan::{Plan, assumptions_table, changes_table, farms_table, heading};
use crate::table::Table;

/// The whole page.
pub fn page(plan: &Plan, charts: &[NamedSvg]) -> String {
    let title = heading(plan);
    let farms = farms_table(plan);
    let changes = changes_table(plan);
    let content = html! {
        header { h1 { (title.escaped().at_most(SENTENCE)) } }
        main #content {
            (section("farms", "Farms", &farms))
            @for chart in charts { (chart_figure(chart)) }
            @if plan.farms.iter().any(|farm| !farm.changes.is_empty()) {
                (section("changes", "What a change would bring", &changes))
            }
            (section("assumptions", "Assumptions", &assumptions_table(plan)))
        }
    };
    document(&title, &content, None)
}

/// A table with its heading and notes.
pub fn section(id: &str, heading: &str, table: &Table) -> Markup {
    html! {
        section id=(id) {
            h2 { (heading) }
            (scrolling(heading, &table.html()))
            @if !table.notes().is_empty() {
                ul.notes { @for note in table.notes() { li { (note) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::draw_plan;
    use crate::plan::fixture::{kept, machine, need};
    use crate::plan::{Machine, Need};

    #[test]
    fn the_page_has_the_chart_and_all_assumptions() {
        let empty = Machine { runs: vec![kept(Vec::new())], ..machine("empty") };
        let named = Need { name: "<b>farm</b>".into(), ..need() };
        let plan = Plan::new(named, vec![machine("node"), empty]);
        let page = page(&plan, &draw_plan(&plan).expect("drawn"));
        for words in [
            "<svg",
            "&lt;b&gt;farm",
            "17 to 25",
            "NOT PLANNED: empty",
            "need.toml: pue",
            "-30 % kernel time",
            "cost per year",
        ] {
            assert!(page.contains(words), "{words}");
        }
        assert!(!page.contains("<b>farm"));
    }
}
