//! Kernels with their hardware counters: DRAM bytes next to those that launches declare, and causes
//! of waiting.

use super::axes_but_threads;
use crate::grouped::grouped;
use crate::rank::KERNEL;
use crate::record::{RunRecord, SummaryRow};
use crate::shape::{self, Axes};
use crate::table::{Side, Table, known};
use crate::units;

/// The metric of the bytes that a profiler has counted.
pub(crate) const DRAM: &str = "dram_bytes";
/// Prefix of the metrics of causes of waiting.
const STALL: &str = "stall_";
/// Maximum number of causes that are named.
const MAX_CAUSES: usize = 2;
const READING: &str = "DRAM bytes are counted while a profiler repeats each kernel by itself (with an \
    empty L2 cache by ncu, which a note names); time is that of the samples";

/// A table for each algorithm and setting with counters of kernels.
pub fn tables(run: &RunRecord, rows: &[SummaryRow]) -> Vec<Table> {
    let counted = rows.iter().filter(|row| is_kernel(row) && row.metrics.number(DRAM).is_some());
    let settings = grouped(counted, |row| (row.algorithm.clone(), axes_but_threads(row)));
    let table = |((algorithm, axes), rows): ((String, Axes), Vec<&SummaryRow>)| {
        let heading = format!("{algorithm}, kernels: {}", shape::phrases(&axes));
        let columns = [
            ("variant", Side::Left),
            ("kernel", Side::Left),
            ("time", Side::Right),
            ("declared", Side::Right),
            ("DRAM", Side::Right),
            ("over declared", Side::Right),
            ("of copy", Side::Right),
            ("issue slots", Side::Right),
            ("stalls", Side::Left),
        ];
        Table::new(&columns, rows.into_iter().map(|row| line(run, row)))
            .under(heading)
            .with_notes(vec![READING.to_owned()])
    };
    settings.into_iter().map(table).collect()
}

fn is_kernel(row: &SummaryRow) -> bool {
    row.stage != KERNEL && row.valid_median().is_some()
}

fn line(run: &RunRecord, row: &SummaryRow) -> Vec<String> {
    let dram = row.metrics.number(DRAM);
    let declared = (row.bytes_min > 0).then_some(row.bytes_min as f64);
    let seconds = row.valid_median();
    let copy = run.ceilings.get(&row.device).map(|ceiling| ceiling.copy_bytes_per_s);
    let of_copy = dram.zip(seconds).zip(copy).map(|((dram, seconds), copy)| dram / seconds / copy);
    let ratio = dram.zip(declared).map(|(dram, declared)| dram / declared);
    vec![
        row.variant.clone(),
        row.stage.clone(),
        known(seconds, |seconds| units::seconds(seconds, 3)),
        known(declared, units::bytes),
        known(dram, units::bytes),
        known(ratio, |ratio| format!("{ratio:.2} ×")),
        known(of_copy, units::percent),
        known(row.metrics.number("issue_slots"), units::percent),
        causes(row),
    ]
}

/// The most frequent causes of waiting: `long_scoreboard 62 %, wait 11 %`.
fn causes(row: &SummaryRow) -> String {
    let mut causes: Vec<(&str, f64)> = row
        .metrics
        .iter()
        .filter_map(|(name, _)| Some((name.strip_prefix(STALL)?, row.metrics.number(name)?)))
        .collect();
    causes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let words = causes.into_iter().take(MAX_CAUSES);
    let words = words.map(|(name, share)| format!("{name} {}", units::percent(share)));
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::row;
    use super::*;
    use crate::record::Bandwidth;

    fn kernel(name: &str, declared: u64, metrics: &str) -> SummaryRow {
        SummaryRow {
            stage: name.to_owned(),
            device: "cuda:0".to_owned(),
            bytes_min: declared,
            metrics: metrics.parse().expect("well formed"),
            ..row("bucket", 1e-3)
        }
    }

    #[test]
    fn counted_bytes_are_next_to_declared_ones() {
        let mut run = RunRecord::default();
        let bandwidth = Bandwidth { copy_bytes_per_s: 4e12, ..Bandwidth::default() };
        run.ceilings.insert("cuda:0".to_owned(), bandwidth);
        let counters = "dram_bytes=3000000000;issue_slots=0.25;stall_barrier=0.06;\
            stall_long_scoreboard=0.62;stall_wait=0.1";
        let rows = [
            kernel(KERNEL, 2_000_000_000, "dram_bytes=3000000000"),
            kernel("count", 2_000_000_000, counters),
            kernel("scatter", 0, "dram_bytes=1000000000"),
            kernel("h2d", 1_000_000_000, ""),
        ];
        let tables = tables(&run, &rows);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].column("kernel"), ["count", "scatter"], "no sums and no copies");
        assert_eq!(tables[0].column("over declared"), ["1.50 ×", "-"]);
        assert_eq!(tables[0].column("of copy"), ["75 %", "25 %"]);
        assert_eq!(tables[0].column("stalls"), ["long_scoreboard 62 %, wait 10 %", ""]);
    }

    #[test]
    fn without_counters_there_is_no_table() {
        assert!(tables(&RunRecord::default(), &[kernel("count", 8, "calls=1")]).is_empty());
    }
}
