//! `bench site`: a store as pages that need no server.

use std::path::Path;

use reports::charts::draw_machines;
use reports::history::{Filter, Store};
use reports::machines::{MachineComparison, MachineOptions, MeasuredRun};
use reports::record::retain_samples_of;
use reports::report::{self, ReportInput};
use reports::site::{Page, Site, SubmittedMachines, machine_pages, pages, run_page};
use reports::store::{Run, RunSummary, StoreError, read_samples};
use reports::submission::SubmissionCheck;
use reports::trend::{self, ShiftLimits};
use reports::units::counted;
use text::Untrusted;

use super::history::accepted;
use super::machines::score_suites;
use super::report::{MAX_STORED, check_overwrite};
use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::SiteRequest;

pub(super) fn run(request: &SiteRequest) -> Result<Exit, Failure> {
    let store = Store::open(&request.store)?;
    let shown = request.points.filter();
    let mut runs = store.summaries(&Filter::default())?;
    for run in &mut runs {
        run.rows.retain(|row| shown.takes(&row.point()));
    }
    runs.retain(|run| !run.rows.is_empty());
    if runs.is_empty() {
        let nothing = format!("{} has no run with such a point", store.root().escaped());
        return Err(Failure::NothingMeasured(nothing));
    }
    let point_histories = runs.iter().map(|run| (run.id.as_str(), &run.record, &run.rows[..]));
    let trends = trend::trends(
        trend::point_histories(point_histories),
        &ShiftLimits::default(),
        &accepted(&store, None)?,
    );
    let name = || store.root().escaped().to_string();
    let title = request.title.clone().unwrap_or_else(name);
    let pages = pages(&Site {
        title: &title,
        runs: &runs,
        trends: &trends,
        has_machines: !request.submissions.is_empty(),
    });
    check_overwrite(&request.out.join("index.html"), request.force)?;
    let machines = machines(request, &title)?;
    for page in pages.iter().chain(&machines) {
        write(&request.out, page, request.force)?;
    }
    for i in 0..runs.len() {
        write(&request.out, &page_of_run(&store, &runs, i)?, request.force)?;
    }
    super::say(&format!(
        "site: {}, with pages of {} and {}",
        request.out.join("index.html").escaped(),
        counted(trends.len(), "point"),
        counted(runs.len(), "run")
    ));
    Ok(Exit::Success)
}

/// Pages of machines; none without submissions.
fn machines(request: &SiteRequest, title: &str) -> Result<Vec<Page>, Failure> {
    if request.submissions.is_empty() {
        return Ok(Vec::new());
    }
    let mut checks = Vec::new();
    for name in &request.submissions {
        let folders = runs::folders(name, &request.store)?;
        checks.extend(folders.iter().map(|folder| SubmissionCheck::new(folder)));
    }
    let fit = checks.iter().filter(|check| check.is_fit()).map(|check| {
        // With the current names of variants.
        let RunSummary { record, rows, .. } = RunSummary::read(&check.folder)?;
        Ok(MeasuredRun { folder: check.folder.escaped().to_string(), record, rows })
    });
    let fit: Vec<MeasuredRun> = fit.collect::<Result<_, StoreError>>()?;
    if fit.is_empty() {
        let none = "no submission is fit: bench submission check names the reasons";
        return Err(Failure::NothingMeasured(none.to_owned()));
    }
    let options = MachineOptions {
        points: request.points.filter(),
        suites: score_suites()?,
        ..MachineOptions::default()
    };
    let comparison = MachineComparison::new(&fit, options)?;
    let charts = draw_machines(&comparison)?;
    let submitted =
        SubmittedMachines { title, checks: &checks, comparison: &comparison, charts: &charts };
    Ok(machine_pages(&submitted))
}

/// The report of the `i`-th run, with those before it as its history.
fn page_of_run(store: &Store, runs: &[RunSummary], i: usize) -> Result<Page, Failure> {
    let RunSummary { id, record, rows } = &runs[i];
    let folder = store.run_folder(id);
    let mut samples = match read_samples(&folder) {
        // It was deleted from the store since it was listed.
        Err(_) if !folder.exists() => Vec::new(),
        read => read?,
    };
    retain_samples_of(rows, &mut samples);
    let run = Run { folder, record: record.clone(), summary: rows.clone(), samples };
    let before = runs[..i].iter().rev();
    let before = before.filter(|other| other.record.machine_key == record.machine_key);
    let earlier: Vec<RunSummary> = before.take(MAX_STORED).cloned().collect();
    let input = ReportInput { earlier: &earlier, ..ReportInput::for_run(&run) };
    Ok(Page { path: run_page(id).into(), text: report::html(&input)? })
}

fn write(out: &Path, page: &Page, force: bool) -> Result<(), Failure> {
    let path = out.join(&page.path);
    check_overwrite(&path, force)?;
    if let Some(folder) = path.parent() {
        files::create_folder(folder).map_err(Failure::writing(folder))?;
    }
    files::write_own(&path, &page.text).map_err(Failure::writing(&path))
}
