//! A store as static pages: trends, change points and links to the runs.
//!
//! | page | shows |
//! |---|---|
//! | `index.html` | changes, all points with their last median, all runs; searchable |
//! | `points/<machine>-<point_id>.html` | a point over the runs, with commits and changes |
//! | `machines.html`, `machines/<name>.html` | machines of checked [submissions](crate::submission) |
//! | `runs/<id>.html` | the [report](crate::report) of a run, which the caller writes |

mod machines;

use std::path::PathBuf;

use maud::{Markup, html};
use text::Untrusted;

pub use machines::{MACHINES_PAGE, SubmittedMachines, machine_pages};

use crate::history::{safe_name, short_hash};
use crate::rank::TOTAL;
use crate::report::html::history::{Frame, interval, range, trace};
use crate::report::html::{and_more, document, scrolling};
use crate::report::{day, minute};
use crate::store::RunSummary;
use crate::table::{NUMBER, Row, cards};
use crate::trend::{HistoryPoint, PointHistory, Shift, Trend, moved_words, names, words};
use crate::units::{self, counted};

/// Content of a site.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Title.
    pub title: &'a str,
    /// The runs of the store, the oldest first.
    pub runs: &'a [RunSummary],
    /// Their points.
    pub trends: &'a [Trend],
    /// True if the site has pages of machines.
    pub has_machines: bool,
}

/// A file of a site.
#[derive(Clone, Debug)]
pub struct Page {
    /// Path relative to the site's folder.
    pub path: PathBuf,
    /// Content.
    pub text: String,
}

/// The first page, and one for each point.
pub fn pages(site: &Site<'_>) -> Vec<Page> {
    let first = Page { path: "index.html".into(), text: index_page(site) };
    let points = site
        .trends
        .iter()
        .map(|trend| Page { path: point_page(trend).into(), text: page(site, trend) });
    std::iter::once(first).chain(points).collect()
}

/// Path of the page of a run relative to the site's folder.
pub fn run_page(id: &str) -> String {
    format!("runs/{id}.html")
}

/// Path of the page of a point on a machine, which is unique.
fn point_page(trend: &Trend) -> String {
    let history = &trend.history;
    let machine = safe_name(&history.machine_key);
    let gpu = history.gpu.as_ref().map(|model| format!("{}-", short_hash(model)));
    format!("points/{machine}-{}{}.html", gpu.as_deref().unwrap_or(""), history.point.id())
}

const PICTURE: Frame = Frame { width: 960.0, height: 280.0, dots: true };

fn page(site: &Site<'_>, trend: &Trend) -> String {
    let [point, on] = names(trend);
    let entries = &trend.history.entries;
    let content = html! {
        header {
            nav { ul { li { a href="../index.html" { (site.title.escaped()) } } } }
            h1 { (point) }
            p { (on) ", on " (machine(site, &trend.history)) }
        }
        main #content {
            (picture(trend))
            @if let Some(moved) = &trend.history.moved { p { "Before the first run " (moved_words(trend, moved)) "." } }
            @if trend.shifts.is_empty() {
                p { "Its level did not change in " (counted(entries.len(), "run")) "." }
            } @else {
                ul { @for shift in &trend.shifts { (changed(trend, shift)) } }
            }
            (table(trend))
        }
    };
    document(&format!("{point}, {}", site.title), &content, None)
}

/// The medians; a dot is a link to its run.
fn picture(trend: &Trend) -> Markup {
    let entries = &trend.history.entries;
    let (low, high) = range(entries);
    let ends = entries.first().zip(entries.last());
    html! {
        figure {
            p.quiet { (units::seconds(high, 3)) }
            (trace(entries, &trend.shifts, PICTURE, |entry| Some(link(entry))))
            p.quiet { (units::seconds(low, 3)) }
            @if let Some((first, last)) = ends {
                p.ends.wide.quiet { span { (day(&first.started)) } span { (day(&last.started)) } }
            }
            figcaption.quiet {
                "Medians with their 95 % intervals, a dot a run in the order of the store; dashed \
                 lines are where the level changed."
            }
        }
    }
}

fn link(entry: &HistoryPoint) -> String {
    format!("../{}", run_page(&entry.run))
}

/// `SLOWER: +30.0 % since 2026-01-21, commit c0ffee20`.
fn changed(trend: &Trend, shift: &Shift) -> Markup {
    let first = trend.first_entry(shift);
    html! {
        li {
            span.(shift.direction.name()) { (words(shift)) ": " (units::change(shift.ratio())) }
            " since " a href=(link(first)) { (minute(&first.started)) }
            @if let Some(commit) = &first.git_commit { ", commit " code { (commit.escaped()) } }
        }
    }
}

fn table(trend: &Trend) -> Markup {
    let columns = [
        ("run", None),
        ("commit", None),
        ("median", NUMBER),
        ("95 % interval", None),
        ("level", None),
    ];
    let starts = |i: usize| trend.shifts.iter().find(|shift| shift.first == i);
    let row = |(i, entry): (usize, &HistoryPoint)| Row {
        cells: vec![
            html! { a href=(link(entry)) { (minute(&entry.started)) } },
            html! { code { (entry.git_commit.as_deref().unwrap_or_default().escaped()) } },
            html! { (units::seconds(entry.median_s, 4)) },
            html! { (interval(entry).unwrap_or_default()) },
            html! { @if let Some(shift) = starts(i) {
                span.(shift.direction.name()) { (units::change(shift.ratio())) }
            } },
        ],
        ..Row::default()
    };
    let table = cards(&columns, trend.history.entries.iter().enumerate().rev().map(row));
    html! { h2 { "Runs" } (scrolling("All runs of this point, the newest first", &table)) }
}

const SEARCH: &str = include_str!("search.js");
/// Maximum number of changes; further ones are older.
const MAX_CHANGES: usize = 100;
const INDEX_PICTURE: Frame = Frame { width: 160.0, height: 32.0, dots: false };

fn index_page(site: &Site<'_>) -> String {
    let content = html! {
        header { h1 { (site.title.escaped()) } }
        main #content {
            p { (measured(site)) }
            @if site.has_machines { p { a href=(MACHINES_PAGE) { "Machines of submissions" } } }
            p hidden {
                label for="search" { "Search " }
                input #search type="search" placeholder="sort radix 24 segments";
                " " span #left.quiet role="status" {}
            }
            (changes(site))
            (points(site))
            (runs(site))
        }
    };
    document(site.title, &content, Some(SEARCH))
}

/// `50 runs on 2 machines, the last one of 2026-11-23 12:18 UTC; 300 points`.
fn measured(site: &Site<'_>) -> String {
    let mut machines: Vec<&str> =
        site.runs.iter().map(|run| run.record.machine_key.as_str()).collect();
    machines.sort_unstable();
    machines.dedup();
    let last = site.runs.iter().map(|run| &run.record.started).max();
    let last = last.map_or_else(String::new, |last| format!(", the last one of {}", minute(last)));
    format!(
        "{} on {}{last}; {}.",
        counted(site.runs.len(), "run"),
        counted(machines.len(), "machine"),
        counted(site.trends.len(), "point")
    )
}

/// A row with the texts by which the search finds it.
fn row<const N: usize>(texts: &[&str], cells: [Markup; N]) -> Row {
    // The search uses lower case.
    Row { words: Some(texts.join(" ").to_lowercase()), cells: cells.into(), ..Row::default() }
}

fn changes(site: &Site<'_>) -> Markup {
    let of_trend = |trend| move |shift| (trend, shift);
    let mut changes: Vec<(&Trend, &Shift)> =
        site.trends.iter().flat_map(|trend| trend.shifts.iter().map(of_trend(trend))).collect();
    let when = |(trend, shift): &(&Trend, &Shift)| trend.first_entry(shift).started.clone();
    changes.sort_by_key(|it| std::cmp::Reverse((it.1.is_alarm(), when(it))));
    let columns = [
        ("point", None),
        ("since", None),
        ("commit", None),
        ("before", NUMBER),
        ("after", NUMBER),
        ("change", NUMBER),
        ("state", None),
    ];
    let shown = changes.iter().take(MAX_CHANGES);
    let table = cards(&columns, shown.map(|(trend, shift)| index_changed(trend, shift)));
    html! {
        section #changes {
            h2 { "What changed" }
            @if changes.is_empty() {
                p { "No level changed." }
            } @else {
                (scrolling("Changes of levels", &table))
                (and_more(changes.len().saturating_sub(MAX_CHANGES), "changes"))
            }
        }
    }
}

fn index_changed(trend: &Trend, shift: &Shift) -> Row {
    let [point, on] = names(trend);
    let first = trend.first_entry(shift);
    let commit = commit(first.git_commit.as_deref());
    let state = words(shift);
    row(
        &[&point, &on, &commit, &state, &first.run],
        [
            html! { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } },
            html! { a href=(run_page(&first.run)) { (minute(&first.started)) } },
            html! { code { (commit) } },
            html! { (units::seconds(shift.before_s, 3)) },
            html! { (units::seconds(shift.after_s, 3)) },
            html! { span.(shift.direction.name()) { (units::change(shift.ratio())) } },
            html! { span.(shift.direction.name()) { (state) } },
        ],
    )
}

fn points(site: &Site<'_>) -> Markup {
    let columns = [
        ("point", None),
        ("medians", Some("trace")),
        ("last", NUMBER),
        ("runs", NUMBER),
        ("machine", None),
    ];
    let table = cards(&columns, site.trends.iter().map(|trend| point(site, trend)));
    html! { section #points { h2 { "Points" } (scrolling("All points", &table)) } }
}

fn point(site: &Site<'_>, trend: &Trend) -> Row {
    let [point, on] = names(trend);
    let entries = &trend.history.entries;
    let machine = machine(site, &trend.history);
    let last = entries.last().map_or(f64::NAN, |entry| entry.median_s);
    row(
        &[&point, &on, &machine],
        [
            html! { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } },
            trace(entries, &trend.shifts, INDEX_PICTURE, |_| None),
            html! { (units::seconds(last, 3)) },
            html! { (entries.len()) },
            html! { (machine) },
        ],
    )
}

/// Name of the machine of a history: its CPU, and the GPU that the point ran on.
fn machine(site: &Site<'_>, history: &PointHistory) -> String {
    let run = site.runs.iter().rev().find(|run| run.record.machine_key == history.machine_key);
    let cpu = run.map(|run| run.record.machine.cpu_model.escaped().to_string());
    let gpu = history.gpu.as_ref().map(|model| model.escaped().to_string());
    cpu.into_iter().chain(gpu).collect::<Vec<_>>().join(", ")
}

fn commit(known: Option<&str>) -> String {
    known.unwrap_or_default().escaped().to_string()
}

fn runs(site: &Site<'_>) -> Markup {
    let columns = [
        ("run", None),
        ("measured", None),
        ("commit", None),
        ("points", NUMBER),
        ("machine", None),
    ];
    let table = cards(&columns, site.runs.iter().rev().map(run_row));
    html! { section #runs { h2 { "Runs" } (scrolling("All runs, the newest first", &table)) } }
}

fn run_row(run: &RunSummary) -> Row {
    let record = &run.record;
    let mut tasks: Vec<&str> = run.rows.iter().map(|row| row.algorithm.as_str()).collect();
    tasks.dedup();
    let tasks = tasks.join(", ");
    let measured = match &record.suite {
        Some(suite) => format!("{}: {}", suite.name.escaped(), tasks.escaped()),
        None => tasks.escaped().to_string(),
    };
    let commit = commit(record.software.git_commit.as_deref());
    let points = run.rows.iter().filter(|row| row.stage == TOTAL).count();
    let cpu = record.machine.cpu_model.escaped().to_string();
    row(
        &[&run.id, &measured, &commit, &cpu, &record.started],
        [
            html! { a href=(run_page(&run.id)) { (minute(&record.started)) } },
            html! { (measured) },
            html! { code { (commit) } },
            html! { (points) },
            html! { (cpu) },
        ],
    )
}

#[cfg(test)]
mod tests {
    use text::Untrusted;

    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::record::RunRecord;
    use crate::trend::{ShiftLimits, point_histories, trends};

    /// Thirty runs, the last ten of them slower.
    fn runs() -> Vec<RunSummary> {
        let runs = (0..30).map(|i| {
            let median = if i < 20 { 1e-3 } else { 1.3e-3 } * (1.0 + 1e-3 * f64::from(i % 3));
            let mut row = row("radix", "digis=1000;order=<time>", median);
            row.ci95_low_s = Some(median * 0.99);
            row.ci95_high_s = Some(median * 1.01);
            let mut record =
                RunRecord { started: format!("2026-01-{:02}T00:00:00Z", i % 28 + 1), ..run() };
            record.software.git_commit = Some(format!("c0ffee{i:02}"));
            RunSummary { id: format!("run-{i:02}"), record, rows: vec![row] }
        });
        runs.collect()
    }

    fn site() -> Vec<Page> {
        let runs = runs();
        let of_runs = runs.iter().map(|run| (run.id.as_str(), &run.record, &run.rows[..]));
        let trends = trends(point_histories(of_runs), &ShiftLimits::default(), &[]);
        pages(&Site { title: "a store", runs: &runs, trends: &trends, has_machines: true })
    }

    #[test]
    fn a_change_leads_to_its_point_and_that_to_its_runs() {
        let pages = site();
        assert_eq!(pages.len(), 2);
        let index = &pages[0].text;
        let point = &pages[1].text;
        let link = format!("href=\"{}\"", pages[1].path.escaped());
        assert!(index.matches(&link).count() >= 2, "in the changes and in the list");
        assert!(index.contains("href=\"runs/run-20.html\"") && index.contains("SLOWER"));
        assert!(point.contains("href=\"../runs/run-20.html\"") && point.contains("c0ffee20"));
        assert_eq!(point.matches("<circle").count(), 30);
        assert!(point.contains("href=\"../index.html\""));
        assert!(index.contains("href=\"machines.html\""));
    }

    #[test]
    fn pages_are_whole_and_load_nothing() {
        for page in site() {
            let path = page.path.escaped();
            for outside in ["http:", "https:", "url(", "<link", "src="] {
                assert!(!page.text.contains(outside), "{path}: {outside}");
            }
            assert!(page.text.contains("order &lt;time&gt;"), "{path}");
            assert!(page.text.ends_with("</html>"), "{path}");
        }
    }
}
