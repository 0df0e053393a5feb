//! Sentences that state which of CPU and GPU is faster from which size on.

use statistics::{Crossing, Faster, MedianPair};

use super::{CpuVsGpu, Curve, GpuTime, Sweep};
use crate::record::SummaryRow;
use crate::units;

/// One sentence per comparison, without a full stop: `from 45 k digis on (41 k to 52 k) the GPU
/// wins end to end`.
pub fn sentences(sweep: &Sweep) -> Vec<String> {
    let comparisons = sweep.comparisons();
    let items = format!("{}s", sweep.item);
    comparisons.iter().map(|comparison| sentence(comparison, &items)).collect()
}

/// The fastest variants: `fastest on the CPU: std-stable with 1 thread, then block-merge with 2
/// threads; on the GPU: block-merge`.
pub fn fastest_variants(sweep: &Sweep) -> String {
    let with_threads = |row: &SummaryRow| {
        let threads = units::counted(row.threads, "thread");
        format!("{} with {threads}", row.variant)
    };
    let variant = |row: &SummaryRow| row.variant.clone();
    let kernels = match names(&sweep.kernels, variant) {
        names if names.is_empty() => names,
        names => format!("; kernels on the GPU: {names}"),
    };
    format!(
        "fastest on the CPU: {}; on the GPU: {}{kernels}",
        names(&sweep.cpu, with_threads),
        names(&sweep.end_to_end, variant),
    )
}

/// Names along a curve, without consecutive repeats.
fn names(curve: &Curve, name: impl Fn(&SummaryRow) -> String) -> String {
    let mut names: Vec<String> = curve.points().map(|(_, row)| name(row)).collect();
    names.dedup();
    names.join(", then ")
}

impl GpuTime {
    fn words(self) -> &'static str {
        match self {
            GpuTime::EndToEnd => "end to end",
            GpuTime::Kernels => "by its kernels alone",
        }
    }
}

fn sentence(comparison: &CpuVsGpu, items: &str) -> String {
    let crossings = comparison.crossings();
    let Some((first, others)) = crossings.split_first() else {
        return no_crossing(comparison, items);
    };
    let gpu_time = comparison.gpu_time.words();
    let others = others.iter().map(|crossing| format!(", {}", beyond(crossing, comparison, items)));
    format!("{} {gpu_time}{}", beyond(first, comparison, items), others.collect::<String>())
}

/// `from 45 k digis on (41 k to 52 k) the GPU wins`.
fn beyond(crossing: &Crossing, comparison: &CpuVsGpu, items: &str) -> String {
    let winner = match crossing.faster {
        Faster::First => "the CPU",
        Faster::Second => "the GPU",
    };
    let size = units::count(crossing.size);
    let interval = interval(crossing, comparison);
    format!("from {size} {items} on ({interval}) {winner} wins")
}

fn interval(crossing: &Crossing, comparison: &CpuVsGpu) -> String {
    if !comparison.pairs.iter().all(MedianPair::has_intervals) {
        return "interval not known".to_owned();
    }
    let [smallest, largest] = ends(comparison);
    let low = crossing.low.map_or_else(|| format!("below {smallest}"), units::count);
    let high = crossing.high.map_or_else(|| format!("beyond {largest}"), units::count);
    format!("{low} to {high}")
}

/// `no crossing from 1 k to 10 M digis: the CPU wins end to end at all sizes`.
fn no_crossing(comparison: &CpuVsGpu, items: &str) -> String {
    let [smallest, largest] = ends(comparison);
    let gpu_time = comparison.gpu_time.words();
    let leads = [Faster::First, Faster::Second].map(|one| comparison.clear_leads(one));
    // Significant leads of both would have a crossing between them.
    let winner = match leads {
        [0, 0] => format!("neither wins clearly {gpu_time}"),
        [cpu, 0] => format!("the CPU wins {gpu_time} {}", at(cpu, comparison)),
        [_, gpu] => format!("the GPU wins {gpu_time} {}", at(gpu, comparison)),
    };
    format!("no crossing from {smallest} to {largest} {items}: {winner}")
}

fn at(count: usize, comparison: &CpuVsGpu) -> String {
    match comparison.pairs.len() {
        all if count == all => "at all sizes".to_owned(),
        all => format!("at {count} of {all} sizes and is not clearly slower at the others"),
    }
}

/// The smallest and the largest size.
fn ends(comparison: &CpuVsGpu) -> [String; 2] {
    let ends = [comparison.pairs.first(), comparison.pairs.last()];
    ends.map(|pair| pair.map_or_else(String::new, |pair| units::count(pair.size)))
}

#[cfg(test)]
mod tests {
    use super::super::sweeps;
    use super::*;
    use crate::charts::fixture::{break_even_rows, row};

    /// Sentences for a GPU that takes these times (µs) for 10^3 to 10^6 digis; the CPU takes 1, 10,
    /// 100 and 1000 µs.
    fn phrases(gpu_us: [f64; 4], width: Option<f64>) -> Vec<String> {
        let mut rows = Vec::new();
        for (i, gpu_us) in (0..).zip(gpu_us) {
            let digis = 10u64.pow(3 + i);
            let timed = |device: &str, us: f64| SummaryRow {
                device: device.into(),
                items: digis,
                ci95_low_s: width.map(|width| 1e-6 * us * (1.0 - width)),
                ci95_high_s: width.map(|width| 1e-6 * us * (1.0 + width)),
                ..row("a", &format!("digis={digis}"), 1e-6 * us)
            };
            rows.extend([timed("cpu", 10f64.powi(i as i32)), timed("cuda:0", gpu_us)]);
        }
        let rows: Vec<_> = rows.iter().collect();
        sweeps(&rows).iter().flat_map(sentences).collect()
    }

    #[test]
    fn crossings_have_their_intervals_if_known() {
        let once = [10.0, 31.6, 100.0, 316.0];
        for (gpu_us, width, expected) in [
            (once, Some(0.02), "from 100 k digis on (94.5 k to 106 k) the GPU wins end to end"),
            (once, None, "from 100 k digis on (interval not known) the GPU wins end to end"),
            (
                [3.0, 3.0, 300.0, 3000.0],
                Some(0.02),
                "from 3 k digis on (2.92 k to 3.09 k) the GPU wins end to end, \
                 from 33.3 k digis on (32.4 k to 34.3 k) the CPU wins",
            ),
        ] {
            assert_eq!(phrases(gpu_us, width), [expected]);
        }
    }

    #[test]
    fn an_open_end_is_reported() {
        let phrases = phrases([1.01, 9.9, 80.0, 500.0], Some(0.02));
        assert!(phrases[0].contains("on (below 1 k to 1"), "{phrases:?}");
        let phrases = self::phrases([2.0, 20.0, 101.0, 990.0], Some(0.02));
        assert!(phrases[0].contains(" to beyond 1 M) the GPU wins"), "{phrases:?}");
    }

    #[test]
    fn missing_crossings_are_reported() {
        let begin = "no crossing from 1 k to 1 M digis: ";
        for (gpu_us, end) in [
            ([2.0, 20.0, 200.0, 2000.0], "the CPU wins end to end at all sizes"),
            ([0.5, 5.0, 50.0, 500.0], "the GPU wins end to end at all sizes"),
            ([1.0, 10.0, 100.0, 1000.0], "neither wins clearly end to end"),
            (
                [1.0, 5.0, 50.0, 500.0],
                "the GPU wins end to end at 3 of 4 sizes and is not clearly slower at the others",
            ),
        ] {
            assert_eq!(phrases(gpu_us, Some(0.02)), [format!("{begin}{end}")]);
        }
    }

    #[test]
    fn both_gpu_times_and_the_fastest_variants_are_named() {
        let rows = break_even_rows(&["random"]);
        let rows: Vec<_> = rows.iter().collect();
        let sweep = &sweeps(&rows)[0];
        let phrases = sentences(sweep);
        assert!(phrases[0].ends_with("the GPU wins end to end"), "{phrases:?}");
        assert!(phrases[1].ends_with("the GPU wins by its kernels alone"), "{phrases:?}");
        assert_eq!(
            fastest_variants(sweep),
            "fastest on the CPU: small with 2 threads, then large with 2 threads; on the GPU: \
             gpu; kernels on the GPU: gpu"
        );
    }
}
