//! Breakdown of the time of variants: a row of panels for each stage.

use super::bar_panels::{Bar, BarPanel};
use super::caption;
use super::chart::Chart;
use super::scale::Unit;
use super::study::{self, Study};
use crate::breakdown::{self, Breakdown, OTHER, breakdowns, stages};
use crate::record::SummaryRow;
use crate::units;

const READING: &str = "bars: medians, the variant with the smallest total first in each panel; \
    numbers: time, ratio to the fastest one with equal input, share of the variant's total; other: \
    remainder of the total";

/// Minimum number of stages of a variant for a chart.
const MIN_STAGES: usize = 2;
/// Title of the panels of total times.
const WHOLE: &str = "whole";
/// Maximum number of settings next to each other, those that take longest; the others are in
/// tables.
const MAX_SETTINGS: usize = 2;

/// The chart of a study that has variants with stages.
pub fn figure(study: &Study) -> Option<Chart<BarPanel>> {
    let mut settings = settings(study);
    let stages_of =
        |bar: &breakdown::Bar| bar.parts.iter().filter(|part| part.stage != OTHER).count();
    let mut bars = settings.iter().flat_map(|(_, breakdown)| &breakdown.bars);
    if !bars.any(|bar| stages_of(bar) >= MIN_STAGES) {
        return None;
    }
    let left_out = settings.len().saturating_sub(MAX_SETTINGS);
    for _ in 0..left_out {
        let seconds = |i: usize| settings[i].1.bars.first().map_or(0.0, |bar| bar.total_s);
        let shortest = (0..settings.len()).min_by(|a, b| seconds(*a).total_cmp(&seconds(*b)));
        settings.remove(shortest.unwrap_or_default());
    }
    let (titles, breakdowns): (Vec<String>, Vec<Breakdown>) = settings.into_iter().unzip();
    let rows = std::iter::once(None).chain(stages(&breakdowns).into_iter().map(Some));
    let panels = rows.flat_map(|stage| {
        let settings = titles.iter().zip(&breakdowns);
        settings.map(move |(title, breakdown)| panel(study, title, &breakdown.bars, stage))
    });
    let reading = match left_out {
        0 => READING.to_owned(),
        _ => format!("{READING}; {} not shown", units::counted(left_out, "further setting")),
    };
    Some(Chart {
        headline: titles
            .first()
            .zip(breakdowns.first())
            .and_then(|(title, it)| headline(title, it)),
        title: format!("{}: time by stage", study.algorithm),
        panels: panels.collect(),
        columns: titles.len(),
        caption: caption::of_samples(study, &reading),
    })
}

/// `cluster takes most of time-sweep, the fastest at threads = 1: 37 %`.
fn headline(setting: &str, breakdown: &Breakdown) -> Option<String> {
    let fastest = breakdown.bars.first()?;
    let stages = fastest.parts.iter().filter(|part| part.stage != OTHER);
    let longest = stages.max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let is_alone = breakdown.bars.len() == 1;
    let fastest_is = if is_alone { "" } else { ", the fastest" };
    let share = units::percent(longest.seconds / fastest.total_s);
    let at = if setting.is_empty() { String::new() } else { format!(" at {setting}") };
    let stage = &longest.stage;
    let variant = &fastest.variant;
    Some(format!("{stage} takes most of {variant}{fastest_is}{at}: {share}"))
}

/// The stages of each setting, with its title.
fn settings(study: &Study) -> Vec<(String, Breakdown)> {
    let panels = study::panels(&study.with_stages(), &study.varying).into_iter();
    let settings = panels.map(|panel| (panel.title, breakdown(study, &panel.rows)));
    settings.filter_map(|(title, breakdown)| Some((title, breakdown?))).collect()
}

/// The breakdown of the rows of a panel, for all devices.
fn breakdown(study: &Study, rows: &[&SummaryRow]) -> Option<Breakdown> {
    let found = breakdowns(rows, |row| study.series(row));
    let axes = found.first()?.axes.clone();
    let mut bars: Vec<_> = found.into_iter().flat_map(|found| found.bars).collect();
    bars.sort_by(|a, b| a.total_s.total_cmp(&b.total_s));
    Some(Breakdown { axes, bars })
}

/// The variants at one stage, or in total. Stages with different kinds of input are not compared.
fn panel(study: &Study, title: &str, bars: &[breakdown::Bar], stage: Option<&str>) -> BarPanel {
    let timed = |bar: &breakdown::Bar| match stage {
        None => Some((bar.total_s, String::new())),
        Some(stage) => {
            let part = bar.parts.iter().find(|part| part.stage == stage)?;
            Some((part.seconds, part.given.clone()))
        }
    };
    let all: Vec<(f64, String)> = bars.iter().filter_map(timed).collect();
    let bar = |bar: &breakdown::Bar| {
        let (value, given) = timed(bar)?;
        let alike = all.iter().filter(|(_, other)| *other == given).map(|(seconds, _)| *seconds);
        let mut words = units::seconds(value, 3);
        if alike.clone().count() > 1 || all.len() == 1 {
            words += &format!(" · {}", units::times(value / alike.fold(f64::INFINITY, f64::min)));
        }
        if stage.is_some() {
            words += &format!(" · {:.0} %", 100.0 * value / bar.total_s);
        }
        Some(Bar::new(&bar.variant, value, words, study.style(&bar.variant)))
    };
    let bars = bars.iter().filter_map(bar).collect();
    let panel = BarPanel::new(title.to_owned(), Unit::Time("median time"), bars);
    panel.showing(stage.unwrap_or(WHOLE))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    fn stage_chart(rows: &[SummaryRow]) -> Option<Chart<BarPanel>> {
        of_study(rows, &[], figure)
    }

    fn rows(variant: &str, threads: usize, slower: f64) -> [SummaryRow; 3] {
        [("total", 10e-3), ("count", 2e-3), ("scatter", 5e-3)].map(|(stage, median)| SummaryRow {
            stage: stage.into(),
            threads,
            ..row(variant, "n=1", slower * median)
        })
    }

    #[test]
    fn each_stage_has_a_row_in_the_order_of_the_whole() {
        let chart = stage_chart(&[rows("a", 1, 2.0), rows("b", 1, 1.0)].concat()).expect("stages");
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["whole", "count", "scatter", "other"]);
        for panel in &chart.panels {
            let names: Vec<_> = panel.bars.iter().map(|bar| bar.name.as_str()).collect();
            assert_eq!(names, ["b", "a"]);
        }
        assert_eq!(chart.panels[2].bars[1].words, "10.0 ms · 2.00 × · 50 %");
        assert_eq!(chart.headline.as_deref(), Some("scatter takes most of b, the fastest: 50 %"));
    }

    #[test]
    fn stages_with_different_inputs_have_no_ratio() {
        let mut all = [rows("a", 1, 2.0), rows("b", 1, 1.0)].concat();
        all[1].given = "digis in any order".into();
        let chart = stage_chart(&all).expect("stages");
        let words = |panel: usize| &chart.panels[panel].bars[1].words;
        assert_eq!(words(0), "20.0 ms · 2.00 ×");
        assert_eq!(words(1), "4.00 ms · 20 %");
        assert_eq!(words(2), "10.0 ms · 2.00 × · 50 %");
    }

    #[test]
    fn settings_stand_beside_each_other() {
        let rows = [rows("a", 1, 1.0), rows("b", 1, 2.0), rows("a", 2, 1.0)].concat();
        let chart = stage_chart(&rows).expect("stages");
        assert_eq!(chart.columns, 2);
        assert_eq!(chart.panels[0].title, "whole, threads = 1");
        assert_eq!(chart.panels[1].title, "whole, threads = 2");
        assert_eq!(chart.panels[1].bars.len(), 1);
    }

    #[test]
    fn a_single_stage_is_no_reason_for_a_chart() {
        let rows = rows("a", 1, 1.0);
        assert!(stage_chart(&rows[..2]).is_none());
        assert!(stage_chart(&rows[..1]).is_none());
    }
}
