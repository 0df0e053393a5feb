//! Cost of portable kernels: a panel for each native variant and input, a bar for each candidate.

use std::collections::BTreeMap;

use super::bar_panels::{Bar, BarPanel};
use super::caption::machine_of;
use super::chart::Chart;
use super::palette::Palette;
use super::scale::Unit;
use crate::grouped::{distinct, grouped};
use crate::portability::{Candidate, Comparison, what_differs};
use crate::record::RunRecord;
use crate::shape;
use crate::units;

const READING: &str = "bars: time of kernels over that of native ones on the same GPU, without \
    copies; line: equal times · whiskers: 95 % confidence interval of the ratio; hatched: too few \
    samples for one";

/// The chart of the comparisons; `None` if there are none.
pub fn portability(run: &RunRecord, comparisons: &[Comparison]) -> Option<Chart<BarPanel>> {
    let names = comparisons.iter().flat_map(|it| &it.candidates);
    let palette = Palette::new(names.map(|candidate| candidate.written_as.clone()));
    let shapes = shapes(comparisons);
    let panels = comparisons.iter().map(|it| panel(it, &shapes, &palette));
    let devices = comparisons.iter().flat_map(|it| {
        let others = it.candidates.iter().map(|candidate| candidate.total.device.as_str());
        std::iter::once(it.native.device.as_str()).chain(others)
    });
    let of_task = |(task, axes): (&&str, &shape::Axes)| format!("{task}: {}", shape::phrases(axes));
    let mut caption = vec![machine_of(run, devices)];
    caption.extend(shapes.iter().map(of_task));
    caption.push(READING.to_owned());
    caption.extend(differing(comparisons));
    let title = "Time of kernels over that of equivalent native ones".to_owned();
    Chart::new(title, 3, panels.collect(), caption)
}

/// Common axes of all inputs of a task, by task.
fn shapes<'a>(comparisons: &'a [Comparison]) -> BTreeMap<&'a str, shape::Axes> {
    let of_tasks = grouped(comparisons, |it| it.native.algorithm.as_str()).into_iter();
    let common = |(task, of_task): (&'a str, Vec<&Comparison>)| {
        (task, shape::common(of_task.into_iter().map(Comparison::axes)))
    };
    of_tasks.map(common).collect()
}

/// The panel of a native variant on one input, whose title lists the axes that vary within the
/// task.
fn panel(
    comparison: &Comparison,
    shapes: &BTreeMap<&str, shape::Axes>,
    palette: &Palette,
) -> BarPanel {
    let native = comparison.native;
    let common = &shapes[native.algorithm.as_str()];
    let own = comparison.axes().into_iter().filter(|axis| !common.contains(axis));
    let name = format!("{} {}", native.algorithm, native.variant);
    let time = native.median_s.map(|seconds| format!("native {}", units::seconds(seconds, 3)));
    let words = [name, time.unwrap_or_default(), shape::phrases(&own.collect::<Vec<_>>())];
    let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
    let bars = comparison.candidates.iter().filter_map(|candidate| bar(candidate, palette));
    let unit = Unit::Factor("times the native kernels' time");
    let panel = BarPanel::new(words.join(shape::SEPARATOR), unit, bars.collect());
    let refused = comparison.candidates.iter().filter_map(|candidate| {
        Some((candidate.written_as.clone(), candidate.cost.as_ref().err()?.clone()))
    });
    BarPanel { refused: refused.collect(), reference: Some(1.0), ..panel }
}

fn bar(candidate: &Candidate, palette: &Palette) -> Option<Bar> {
    let cost = candidate.cost.as_ref().ok()?.estimate;
    let name = &candidate.written_as;
    let words = match cost.ratio {
        ratio if (ratio - 1.0).abs() < 0.1 => format!("{ratio:.4} ×"),
        ratio => units::times(ratio),
    };
    Some(Bar {
        interval: cost.interval.map(|interval| (interval.low, interval.high)),
        is_unsure: cost.interval.is_none(),
        ..Bar::new(name, cost.ratio, words, palette.style(name))
    })
}

/// Differences other than the language of the kernels, without repeats, with the variant.
fn differing(comparisons: &[Comparison]) -> Option<String> {
    let all = comparisons.iter().flat_map(|comparison| {
        let variant = &comparison.native.variant;
        what_differs(comparison).into_iter().map(move |what| format!("{variant}: {what}"))
    });
    let all = distinct(all);
    (!all.is_empty()).then(|| format!("what else differs: {}", all.join(shape::SEPARATOR)))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::portability::comparisons;
    use crate::portability::fixture::{PAIRS, run};

    #[test]
    fn each_candidate_has_a_bar_with_its_interval() {
        let (rows, samples) = run();
        let found = comparisons(&rows, &samples, &PAIRS);
        let chart = portability(&fixture::run(), &found).expect("a chart");
        let [panel] = &chart.panels[..] else { panic!("{} panels", chart.panels.len()) };
        assert_eq!(panel.title, "sort native · native 1.00 ms");
        assert_eq!((panel.bars.len(), panel.reference), (4, Some(1.0)));
        for bar in &panel.bars {
            let (low, high) = bar.interval.expect("an interval");
            assert!(low <= bar.value && bar.value <= high, "{}", bar.name);
        }
        assert!(chart.caption[0].contains("cuda:0: GPU 100"), "{:?}", chart.caption);
        assert_eq!(chart.caption[1], "sort: 1 M digis · 24 segments · order random");
        let differs = chart.caption.last().expect("a caption");
        assert_eq!(differs, "what else differs: native: blocks are smaller");
        assert!(portability(&fixture::run(), &[]).is_none());
    }
}
