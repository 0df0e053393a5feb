//! Subject of the charts of one algorithm: the rows that can be drawn, the axes that vary among
//! them, and the names and styles of the series.

use std::collections::{BTreeSet, HashMap};

use super::axes::{self, Axis};
use super::palette::{Palette, Style};
use crate::rank::{Rank, TOTAL, has_kernels, representatives};
use crate::record::{RunRecord, SampleRow, SummaryRow};
use crate::shape::CPU;
use crate::winners;

/// One algorithm of a run.
#[derive(Clone, Debug)]
pub struct Study<'a> {
    /// The run.
    pub run: &'a RunRecord,
    /// The subcommand's name.
    pub algorithm: &'a str,
    /// Valid rows with a median, in the order of the run.
    pub rows: Vec<&'a SummaryRow>,
    /// Rows of the parts of a run, such as the kernels of a GPU.
    pub stages: Vec<&'a SummaryRow>,
    /// Rows that cannot be drawn.
    pub left_out: Vec<&'a SummaryRow>,
    /// Axes with several values on a device.
    pub varying: Vec<Axis>,
    /// All samples of the run.
    pub samples: &'a [SampleRow],
    /// The time that rows show, where it has to be stated because something runs on a GPU.
    pub ranked_by: Option<Rank>,
    /// Styles of the series of the whole run, and of placements, equal in all of its charts.
    palette: Palette,
    placements: Palette,
    several_devices: bool,
}

impl<'a> Study<'a> {
    /// The end-to-end rows of `algorithm` among those of a run.
    pub fn new(
        run: &'a RunRecord,
        algorithm: &'a str,
        rows: &'a [SummaryRow],
        samples: &'a [SampleRow],
    ) -> Self {
        let several_devices = rows.iter().any(|row| row.device != rows[0].device);
        let series = rows
            .iter()
            .map(|row| (name(row, several_devices), row.variant.clone(), row.device != CPU));
        let palette = Palette::for_variants(series);
        let placements = Palette::new(rows.iter().map(axes::placement));
        let of_study = rows.iter().filter(|row| row.algorithm == algorithm);
        let ranked_by = has_kernels(of_study.clone()).then_some(Rank::Total);
        let (rows, stages): (Vec<_>, Vec<_>) = of_study.partition(|row| row.stage == TOTAL);
        let (rows, left_out): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.valid_median().is_some());
        Study {
            run,
            algorithm,
            varying: axes::varying(&rows),
            rows,
            stages,
            left_out,
            samples,
            ranked_by,
            palette,
            placements,
            several_devices,
        }
    }

    /// The fastest variant and its lead, if variants are compared.
    pub fn headline(&self) -> Option<String> {
        winners::headline(&winners::rankings_of(&self.rows), |row| self.series(row))
    }

    /// The rows of total times and of stages.
    pub fn with_stages(&self) -> Vec<&'a SummaryRow> {
        self.rows.iter().chain(&self.stages).copied().collect()
    }

    /// Study of the kernels of variants that have any; `None` if no variant has.
    pub fn by_kernels(&self) -> Option<Self> {
        self.ranked_by?;
        let rows = representatives(self.with_stages(), Rank::Kernel);
        Some(Study {
            varying: axes::varying(&rows),
            rows,
            ranked_by: Some(Rank::Kernel),
            ..self.clone()
        })
    }

    /// Study of the rows with a known quantity; `None` if there are none.
    pub fn knowing(&self, value: impl Fn(&SummaryRow) -> Option<f64>) -> Option<Self> {
        let mut study = self.clone();
        let is_known = |row: &&SummaryRow| value(row).is_some();
        let (known, unknown): (Vec<_>, Vec<_>) = study.rows.into_iter().partition(is_known);
        study.rows = known;
        study.left_out.extend(unknown);
        (!study.rows.is_empty()).then_some(study)
    }

    /// The name of a row's series: the variant, and the device if that is needed.
    pub fn series(&self, row: &SummaryRow) -> String {
        name(row, self.several_devices)
    }

    /// Style of a series.
    pub fn style(&self, series: &str) -> Style {
        self.palette.style(series)
    }

    /// Style of a placement where placements are compared.
    pub fn placement_style(&self, words: &str) -> Style {
        self.placements.style(words)
    }

    /// The axis of this name, if it varies.
    pub fn varying_axis(&self, name: &str) -> Option<&Axis> {
        self.varying.iter().find(|axis| axis.name == name)
    }

    /// Number of series.
    pub fn series_count(&self) -> usize {
        let names: BTreeSet<String> = self.rows.iter().map(|row| self.series(row)).collect();
        names.len()
    }

    /// The samples of all points in the order of their rounds, by the points'
    /// ids.
    pub fn samples_by_point(&self) -> HashMap<&'a str, Vec<&'a SampleRow>> {
        let mut points: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
        for sample in self.samples.iter().filter(|sample| sample.stage == TOTAL) {
            points.entry(&sample.point_id).or_default().push(sample);
        }
        for samples in points.values_mut() {
            samples.sort_by_key(|sample| (sample.round, sample.sample));
        }
        points
    }
}

/// The median of a row that is drawn.
pub fn median(row: &SummaryRow) -> f64 {
    row.median_s.unwrap_or_default()
}

/// The interval of the median, if there is one.
pub fn interval(row: &SummaryRow) -> Option<(f64, f64)> {
    let interval = row.ci95_low_s.zip(row.ci95_high_s);
    interval.filter(|(low, high)| *low > 0.0 && low <= high && high.is_finite())
}

fn name(row: &SummaryRow, several_devices: bool) -> String {
    match several_devices {
        true => format!("{} ({})", row.variant, row.device),
        false => row.variant.clone(),
    }
}
