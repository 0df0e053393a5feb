//! Runs of two machines and a GPU for tests, with numbers that are easy to calculate with.

use super::{MeasuredRun, ScoreSuite, SuiteData};
use crate::charts::fixture;
use crate::record::{Point, RunRecord, SummaryRow};

/// A row of a task with a million items and an interval of ± 1 % of the median.
pub fn measured(task: &str, params: &str, median: f64) -> SummaryRow {
    SummaryRow {
        algorithm: task.into(),
        ci95_low_s: Some(median / 1.01),
        ci95_high_s: Some(median * 1.01),
        ..fixture::row("quick", params, median)
    }
}

/// A row on the GPU.
pub fn on_gpu(task: &str, params: &str, median: f64) -> SummaryRow {
    let mut row = measured(task, params, median);
    row.backend = "cuda".into();
    row.device = "cuda:0".into();
    row.metrics.set("j_per_item", "2e-8");
    row
}

/// A run on a machine with a key that is also its CPU's model.
pub fn measured_run(folder: &str, key: &str, rows: Vec<SummaryRow>) -> MeasuredRun {
    let mut record = RunRecord { machine_key: key.into(), ..fixture::run() };
    record.machine.cpu_model = key.into();
    MeasuredRun { folder: folder.into(), record, rows }
}

/// Machines `old` and `new`, which is twice as fast at `sort` and eight times at `decode`, and a
/// GPU in `old`.
pub fn runs() -> Vec<MeasuredRun> {
    vec![
        measured_run(
            "runs/old",
            "old",
            vec![measured("sort", "n=1", 4.0), measured("decode", "n=1", 8.0)],
        ),
        measured_run(
            "runs/new",
            "new",
            vec![measured("sort", "n=1", 2.0), measured("decode", "n=1", 1.0)],
        ),
        measured_run("runs/gpu", "old", vec![on_gpu("sort", "n=1", 0.5)]),
    ]
}

/// A suite of `sort` for one experiment and `decode` for another.
pub fn suite(is_for_gpus: bool) -> ScoreSuite {
    let data = [("sort", "CBM"), ("decode", "ALICE")].map(|(task, experiment)| {
        let row = measured(task, "n=1", 1.0);
        let point = Point { algorithm: task.into(), ..row.point() };
        SuiteData::new(&point, experiment, fixture::run().seed)
    });
    let name = if is_for_gpus { "gpu-score" } else { "score" };
    ScoreSuite { name: name.into(), is_for_gpus, data: data.into() }
}
