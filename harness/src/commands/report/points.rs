//! Some points of a run, where only these are to be reported.

use reports::compare::Comparison;
use reports::filter::PointFilter;
use reports::record::retain_samples_of;
use reports::store::{Run, RunSummary};
use text::Untrusted;

use crate::failure::Failure;

/// Keeps only the selected points of the run and of its comparison.
///
/// # Errors
/// If no point of the run is left.
pub(super) fn retain(
    filter: &PointFilter,
    run: &mut Run,
    earlier: &mut [RunSummary],
    comparison: Option<&mut Comparison>,
) -> Result<(), Failure> {
    run.summary.retain(|row| filter.takes(&row.point()));
    if run.summary.is_empty() {
        let folder = run.folder.escaped();
        let problem = format!("nothing to report: no such point in {folder}; see bench list");
        return Err(Failure::NothingMeasured(problem));
    }
    retain_samples_of(&run.summary, &mut run.samples);
    for run in earlier {
        run.rows.retain(|row| filter.takes(&row.point()));
    }
    if let Some(comparison) = comparison {
        comparison.points.retain(|point| filter.takes(&point.key.point));
        for side in [&mut comparison.only_base, &mut comparison.only_new] {
            side.retain(|point| filter.takes(&point.key.point));
        }
    }
    Ok(())
}
