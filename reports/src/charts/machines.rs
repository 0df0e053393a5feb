//! Machines side by side: a panel for each task, a bar for each machine.

use super::bar_panels::{Bar, BarPanel};
use super::chart::Chart;
use super::palette::Palette;
use super::scale::Unit;
use crate::machines::MachineComparison;
use crate::units;

const READING: &str = "bars: rate of the fastest valid variant over that of the reference on equal data, \
    the geometric mean where there are several data; line: equal rates · whiskers: 95 % confidence \
    interval; hatched: too few samples for one";

/// The chart; `None` if no task has been measured on two machines.
pub fn machines(comparison: &MachineComparison) -> Option<Chart<BarPanel>> {
    let palette = Palette::new(comparison.machines.iter().map(|it| it.name.clone()));
    let tasks = comparison.tasks().into_iter();
    let panels = tasks.filter_map(|task| panel(comparison, task, &palette));
    let reference = &comparison.machines[comparison.reference].name;
    let title = format!("Rates relative to {reference}");
    let rank = comparison.rank.sentence();
    Chart::new(title, 3, panels.collect(), vec![rank, READING.to_owned()])
}

/// The panel of a task that the reference and another machine have.
fn panel(comparison: &MachineComparison, task: &str, palette: &Palette) -> Option<BarPanel> {
    let bars = comparison.machines.iter().enumerate().filter_map(|(index, machine)| {
        let found = comparison.task_ratio(task, index)?;
        let estimate = found.estimate;
        let data = units::counted(found.settings, "point");
        let words = format!("{}, {data}", units::times(estimate.ratio));
        Some(Bar {
            interval: estimate.interval.map(|interval| (interval.low, interval.high)),
            is_unsure: estimate.interval.is_none(),
            ..Bar::new(&machine.name, estimate.ratio, words, palette.style(&machine.name))
        })
    });
    let bars: Vec<Bar> = bars.collect();
    let unit = Unit::Factor("times the rate of the reference");
    let panel = BarPanel { reference: Some(1.0), ..BarPanel::new(task.to_owned(), unit, bars) };
    (panel.bars.len() > 1).then_some(panel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::MachineOptions;
    use crate::machines::fixture::runs;

    #[test]
    fn each_task_has_a_panel_of_the_machines_that_have_it() {
        let comparison = MachineComparison::new(&runs(), MachineOptions::default());
        let comparison = comparison.expect("comparable");
        let chart = machines(&comparison).expect("a chart");
        let panels: Vec<(&str, usize)> =
            chart.panels.iter().map(|it| (it.title.as_str(), it.bars.len())).collect();
        assert_eq!(panels, [("sort", 3), ("decode", 2)]);
        let bar = &chart.panels[0].bars[2];
        assert_eq!((bar.name.as_str(), bar.value.round()), ("GPU 100", 8.0));
        assert!(bar.interval.is_some_and(|(low, high)| low < 8.0 && 8.0 < high));
        let alone = MachineComparison::new(&runs()[..1], MachineOptions::default());
        assert!(machines(&alone.expect("comparable")).is_none());
    }
}
