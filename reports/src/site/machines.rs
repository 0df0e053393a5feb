//! Machines of checked submissions: a page for all, and one for each machine.

use maud::{Markup, html};
use text::Untrusted;

use super::Page;
use crate::charts::NamedSvg;
use crate::history::safe_name;
use crate::machines::MachineComparison;
use crate::report::html::machine_comparison::sections;
use crate::report::html::plan::section;
use crate::report::html::{document, facts, scrolling};
use crate::screen::Screen;
use crate::shape;
use crate::submission::{SubmissionCheck, SubmissionChecks};
use crate::table::{NUMBER, Row, Tabular, cards};
use crate::units::{self, counted};

/// Checked submissions, and the machines of those that are fit.
#[derive(Clone, Copy, Debug)]
pub struct SubmittedMachines<'a> {
    /// Title of the site.
    pub title: &'a str,
    /// All checks.
    pub checks: &'a [SubmissionCheck],
    /// Machines of the fit ones.
    pub comparison: &'a MachineComparison,
    /// Chart of the machines.
    pub charts: &'a [NamedSvg],
}

/// Path of the page of all machines relative to the site's folder.
pub const MACHINES_PAGE: &str = "machines.html";

/// The page of all machines, and one for each.
pub fn machine_pages(site: &SubmittedMachines<'_>) -> Vec<Page> {
    let first = Page { path: MACHINES_PAGE.into(), text: all(site) };
    let machines = (0..site.comparison.machines.len())
        .map(|index| Page { path: path(site, index).into(), text: page(site, index) });
    std::iter::once(first).chain(machines).collect()
}

/// Path of the page of a machine, which is unique.
fn path(site: &SubmittedMachines<'_>, index: usize) -> String {
    format!("machines/{}.html", safe_name(&site.comparison.machines[index].name))
}

fn all(site: &SubmittedMachines<'_>) -> String {
    let SubmittedMachines { title, checks, comparison, charts } = *site;
    let fit = checks.iter().filter(|check| check.is_fit()).count();
    let submissions = SubmissionChecks(checks).tables(Screen::default());
    let content = html! {
        header { h1 { "Machines, " (title.escaped()) } }
        main #content {
            p {
                (counted(checks.len(), "submission")) ", of which " (fit) " are free of contradictions \
                and shown. Against a forgery without any only measuring again helps."
            }
            ul {
                @for (index, machine) in comparison.machines.iter().enumerate() {
                    li { a href=(path(site, index)) { (machine.name.escaped()) } }
                }
            }
            (sections(comparison, charts))
            @for table in &submissions { (section("submissions", "Submissions", table)) }
        }
    };
    document(&format!("Machines, {title}"), &content, None)
}

fn page(site: &SubmittedMachines<'_>, index: usize) -> String {
    let comparison = site.comparison;
    let machine = &comparison.machines[index];
    let warnings = comparison.warnings(index);
    let content = html! {
        header {
            nav { ul { li { a href="../machines.html" { "Machines, " (site.title.escaped()) } } } }
            h1 { (machine.name.escaped()) }
        }
        main #content {
            (facts(&[
                ("in", Some(machine.hosts.join("; "))),
                ("measured by", Some(machine.builds.join(", "))),
                ("scores", Some(scores(site, index).join("; "))),
            ]))
            @if !warnings.is_empty() { ul.notes { @for warning in &warnings { li { (warning) } } } }
            h2 { "Rates" }
            (rates(site, index))
        }
    };
    document(&format!("{}, {}", machine.name, site.title), &content, None)
}

/// `CBM 1.23 × of score`.
fn scores(site: &SubmittedMachines<'_>, index: usize) -> Vec<String> {
    let own = site.comparison.scores.iter().filter(|score| score.machine == index);
    let words = own.filter_map(|score| {
        let value = score.value.as_ref().ok()?;
        let experiment = score.experiment.as_deref().unwrap_or("all");
        Some(format!("{experiment} {} by {}", units::times(value.ratio), score.suite))
    });
    words.collect()
}

/// All rates of a machine, also of data that no other one has.
fn rates(site: &SubmittedMachines<'_>, index: usize) -> Markup {
    let columns = [
        ("task", None),
        ("data", None),
        ("variant", None),
        ("per second", NUMBER),
        ("relative", NUMBER),
        ("submission", None),
    ];
    let comparison = site.comparison;
    let rows = comparison.settings.iter().filter_map(|setting| {
        let found = setting.row(index)?;
        let ratio = setting.ratio(index, comparison.reference);
        let axes = shape::param_axes(&setting.data.task, &setting.data.params);
        let rate = units::with_unit(&units::count(found.items_per_s()), &setting.item_unit);
        Some(Row {
            cells: vec![
                html! { (setting.data.task.escaped()) },
                html! { (shape::phrases(&axes)) },
                html! { (shape::name(&found.row)) },
                html! { (rate.escaped()) },
                html! { (ratio.map_or(String::new(), |it| units::times(it.ratio))) },
                html! { (found.folder) },
            ],
            ..Row::default()
        })
    });
    scrolling("All rates of this machine", &cards(&columns, rows))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::charts::draw_machines;
    use crate::machines::MachineOptions;
    use crate::machines::fixture::{runs, suite};

    #[test]
    fn each_machine_has_a_page_and_unfit_submissions_their_reasons() {
        let mut runs = runs();
        runs[1].record.machine.cpu_model = "<new>".into();
        let options = MachineOptions { suites: vec![suite(false)], ..MachineOptions::default() };
        let comparison = MachineComparison::new(&runs, options).expect("comparable");
        let checks = [SubmissionCheck::new(Path::new("/nowhere"))];
        let charts = draw_machines(&comparison).expect("drawn");
        let site = SubmittedMachines {
            title: "lab",
            checks: &checks,
            comparison: &comparison,
            charts: &charts,
        };
        let pages = machine_pages(&site);
        assert_eq!(pages.len(), 4);
        let first = &pages[0].text;
        for machine in &pages[1..] {
            let link = format!("href=\"{}\"", machine.path.escaped());
            assert!(first.contains(&link), "{link}");
            assert!(machine.text.contains("href=\"../machines.html\""), "{link}");
        }
        assert!(first.contains("/nowhere/run.json does not exist") && first.contains("<svg"));
        assert!(pages[2].text.contains("&lt;new&gt;") && !pages[2].text.contains("<new>"));
        assert!(pages[2].text.contains("all 4.00 × by score"), "{}", pages[2].text);
    }
}
