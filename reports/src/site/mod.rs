//! A store as static pages: trends, change points and links to the runs.
//!
//! | page | shows |
//! |---|---|
//! | `index.html` | changes, all points with their last median, all runs; searchable |
//! | `points/<machine>-<point_id>.html` | a point over the runs, with commits and changes |
//! | `runs/<id>.html` | the [report](crate::report) of a run, which the caller writes |

mod index;
mod point;

use std::path::PathBuf;

use crate::history::{safe_name, short_hash};
use crate::store::RunSummary;
use crate::trend::Trend;

/// Content of a site.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Title.
    pub title: &'a str,
    /// The runs of the store, the oldest first.
    pub runs: &'a [RunSummary],
    /// Their points.
    pub trends: &'a [Trend],
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
    let first = Page { path: "index.html".into(), text: index::page(site) };
    let points = site
        .trends
        .iter()
        .map(|trend| Page { path: point_page(trend).into(), text: point::page(site, trend) });
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
        pages(&Site { title: "a store", runs: &runs, trends: &trends })
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
