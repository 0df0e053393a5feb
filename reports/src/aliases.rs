//! Variants that were renamed: results measured under an old name continue under the new one.
//!
//! The table is `assets/aliases.csv`. It is applied when runs are read for comparisons and
//! histories; stored runs are not modified. An old name may have been reused for another variant
//! since: the version of the program that measured decides which one was meant.
//!
//! Variants that were retired stay in histories, and a comparison with a run that has them is
//! complete without them: `assets/retired.csv`.
//!
//! Runs older than the declarations of axes and metrics in `run.json` have theirs here. The tables
//! are `assets/old_axes.csv` and `assets/old_metrics.csv`. They are used only for names that a run
//! does not declare itself.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::record::{
    About, AxisKind, AxisRecord, Better, MetricRecord, Point, Quantities, SummaryRow,
};

const TABLE: &str = include_str!("../assets/aliases.csv");

/// The table that comes with the program.
pub static ALIASES: LazyLock<Aliases> = LazyLock::new(|| Aliases::parse(TABLE));

/// Old names of variants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases(Vec<Alias>);

/// An old name of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Alias {
    /// The task.
    pub task: String,
    /// `cpu` or `cuda`; empty for both.
    pub backend: String,
    /// Old name.
    pub old: String,
    /// Current name.
    pub new: String,
    /// Date of the change, for readers.
    pub since: String,
    /// First version of the program in which the old name is that of another variant; empty if the
    /// name is unused.
    pub until: String,
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Backend of the variants that run on a device: those of CUDA on the emulator and by HIP, too.
pub(crate) fn backend_of(device: &str) -> &'static str {
    let other = ["cpu", "wgpu"].into_iter().find(|backend| device.starts_with(backend));
    other.unwrap_or("cuda")
}

impl Alias {
    fn is_of(&self, task: &str, device: &str) -> bool {
        self.task == task && (self.backend.is_empty() || self.backend == backend_of(device))
    }

    /// True if the old name meant this variant in a version of the program.
    fn held(&self, version: &str) -> bool {
        self.until.is_empty() || numbers(version) < numbers(&self.until)
    }

    /// True if both can concern the same points.
    fn meets(&self, other: &Alias) -> bool {
        let any = self.backend.is_empty() || other.backend.is_empty();
        self.task == other.task && (any || self.backend == other.backend)
    }
}

/// Numbers of a version; parts that are not numbers are 0.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

impl Aliases {
    /// Parses a table that is part of the program.
    pub fn parse(text: &str) -> Self {
        Aliases(rows(text))
    }

    /// All rows.
    pub fn rows(&self) -> &[Alias] {
        &self.0
    }

    /// Current name of a variant of a task that a version of the program measured.
    pub fn current<'a>(
        &'a self,
        [task, device]: [&str; 2],
        variant: &'a str,
        version: &str,
    ) -> &'a str {
        let mut aliases = self.0.iter().filter(|alias| alias.is_of(task, device));
        let alias = aliases.find(|alias| alias.old == variant && alias.held(version));
        alias.map_or(variant, |alias| &alias.new)
    }

    /// Former names of a variant of a task, the most recent first.
    pub fn former<'a>(
        &'a self,
        [task, device]: [&'a str; 2],
        variant: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        let aliases = self.0.iter().rev().filter(move |alias| alias.is_of(task, device));
        aliases.filter(move |alias| alias.new == variant).map(|alias| alias.old.as_str())
    }

    /// Renames a point that a version of the program measured to its current name.
    #[must_use]
    pub fn point(&self, mut point: Point, version: &str) -> Point {
        let of = [point.algorithm.as_str(), &point.device];
        point.variant = self.current(of, &point.variant, version).to_owned();
        point
    }

    /// Translates a current point for another version of the program: to a name unknown to that
    /// version if the name belonged to another variant then.
    #[must_use]
    pub fn asked_of(&self, mut point: Point, version: &str) -> Point {
        let mut aliases = self.0.iter();
        let is_reused = |alias: &&Alias| {
            let meant = alias.is_of(&point.algorithm, &point.device) && alias.old == point.variant;
            meant && !alias.until.is_empty() && alias.held(version)
        };
        if let Some(alias) = aliases.find(is_reused) {
            point.variant = format!("{} of version {}", point.variant, alias.until);
        }
        point
    }

    /// Renames rows that a version of the program measured to their current names.
    #[must_use]
    pub fn of_rows(&self, mut rows: Vec<SummaryRow>, version: &str) -> Vec<SummaryRow> {
        for row in &mut rows {
            let of = [row.algorithm.as_str(), &row.device];
            row.variant = self.current(of, &row.variant, version).to_owned();
        }
        rows
    }

    /// Problems of the table: an old name must have one meaning at any time.
    pub fn problems(&self) -> Vec<String> {
        let problem = |(index, alias): (usize, &Alias)| {
            let Alias { task, old, new, .. } = alias;
            let mut before = self.0[..index].iter();
            let is_old =
                |other: &Alias| other.meets(alias) && other.old == *new && other.until.is_empty();
            if before.any(|other| other.meets(alias) && other.old == *old) {
                Some(format!("{task}: {old} occurs twice"))
            } else if self.0.iter().any(is_old) || old == new {
                Some(format!("{task}: {old} becomes {new}, which is an old name itself"))
            } else {
                None
            }
        };
        self.0.iter().enumerate().filter_map(problem).collect()
    }
}

/// Meaning of axis names in old runs, by task and name.
static AXES: LazyLock<BTreeMap<(String, String), Arc<AxisRecord>>> = LazyLock::new(|| {
    let of_row = |row: AxisRow| {
        let AxisRow { task, axis, kind, unit, label } = row;
        let record = AxisRecord { kind, unit, label, with_input: false };
        ((task, axis), Arc::new(record))
    };
    rows(include_str!("../assets/old_axes.csv")).into_iter().map(of_row).collect()
});

/// Meaning of metric names in old runs.
static METRICS: LazyLock<BTreeMap<String, Arc<MetricRecord>>> = LazyLock::new(|| {
    let of_row = |row: MetricRow| {
        let MetricRow { metric, unit, label, meaning, better, ideal } = row;
        let about = About::Quality;
        (metric, Arc::new(MetricRecord { unit, label, meaning, better, ideal, about }))
    };
    rows(include_str!("../assets/old_metrics.csv")).into_iter().map(of_row).collect()
});

#[derive(Deserialize)]
struct AxisRow {
    task: String,
    axis: String,
    kind: AxisKind,
    unit: String,
    label: String,
}

#[derive(Deserialize)]
struct MetricRow {
    metric: String,
    unit: String,
    label: String,
    meaning: String,
    better: Better,
    ideal: Option<f64>,
}

/// Parses a table that is part of the program.
///
/// # Panics
/// If a row is malformed: results under an old name would be missing in histories.
fn rows<R: DeserializeOwned>(text: &str) -> Vec<R> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.expect("each row of the program's table is well formed")
}

/// Axis of a task as its run declares it, or as in old runs if that run does not.
pub fn axis_record(declared: Option<&Quantities>, task: &str, name: &str) -> Arc<AxisRecord> {
    let declared = declared.and_then(|declared| declared.axes.get(task, name));
    declared.map_or_else(|| old_axis(task, name), Arc::clone)
}

/// Metric of a task as its run declares it, or as in old runs if that run does not.
pub fn metric_record<'a>(
    declared: Option<&'a Quantities>,
    task: &str,
    name: &str,
) -> Option<&'a Arc<MetricRecord>> {
    let declared = declared.and_then(|declared| declared.metrics.get(task, name));
    declared.or_else(|| old_metric(name))
}

/// Axis of a task in old runs; of type text if it is unknown.
fn old_axis(task: &str, name: &str) -> Arc<AxisRecord> {
    let of = |task: &str| AXES.get(&(task.to_owned(), name.to_owned()));
    let unknown = || AxisRecord { label: name.to_owned(), ..AxisRecord::default() };
    of(task).or_else(|| of("")).map_or_else(|| Arc::new(unknown()), Arc::clone)
}

/// Metric of old runs, if it is one of quality.
fn old_metric(name: &str) -> Option<&'static Arc<MetricRecord>> {
    METRICS.get(name)
}

const RETIRED_TABLE: &str = include_str!("../assets/retired.csv");

static RETIRED: LazyLock<Vec<Retired>> = LazyLock::new(|| rows(RETIRED_TABLE));

/// A variant that was retired.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Retired {
    /// Name of the task.
    pub task: String,
    /// `cpu`, `cuda` or `wgpu`; empty for all of them.
    pub backend: String,
    /// Name of the variant.
    pub variant: String,
    /// First version of the program without the variant.
    pub since: String,
}

/// All retired variants.
pub fn retired() -> &'static [Retired] {
    &RETIRED
}

/// The retired variant that a point is of, or `None` if the program still has it.
pub fn find_retired(point: &Point) -> Option<&'static Retired> {
    let backend = backend_of(&point.device);
    retired().iter().find(|retired| retired.is(&point.algorithm, backend, &point.variant))
}

impl Retired {
    /// True if it is this variant of a task on a backend.
    pub fn is(&self, task: &str, backend: &str, variant: &str) -> bool {
        let is_backend = self.backend.is_empty() || self.backend == backend;
        is_backend && self.task == task && self.variant == variant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> Aliases {
        Aliases::parse(&format!("task,backend,old,new,since,until\n{rows}"))
    }

    #[test]
    fn the_table_of_the_program_is_sound() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(ALIASES.rows().len() + 1, lines.count(), "no row is lost");
        assert_eq!(ALIASES.problems(), [""; 0]);
        for Alias { since, until, .. } in ALIASES.rows() {
            assert!(humantime::parse_rfc3339(&format!("{since}T00:00:00Z")).is_ok(), "{since}");
            assert!(until.is_empty() || numbers(until) <= numbers(VERSION), "{until}");
        }
    }

    #[test]
    #[should_panic(expected = "line: 2")]
    fn a_row_that_is_no_alias_is_not_left_out() {
        Aliases::parse("task,backend,old,new,since,until\nsort,,a,b\n");
    }

    #[test]
    fn names_are_those_of_a_task() {
        let aliases = table("sort,,a,c,2026-01-01,\nsort,,b,c,2026-02-01,\nsts,,a,d,2026-01-01,\n");
        assert_eq!(aliases.problems(), [""; 0]);
        let current = |task, variant| aliases.current([task, "cpu"], variant, VERSION).to_owned();
        assert_eq!([current("sort", "a"), current("sort", "b")], ["c", "c"]);
        assert_eq!([current("sts", "a"), current("sts", "b")], ["d", "b"]);
        assert_eq!(aliases.former(["sort", "cpu"], "c").collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(aliases.former(["sts", "cpu"], "c").count(), 0);
    }

    #[test]
    fn a_name_that_another_variant_has_now_is_old_in_old_runs_alone() {
        let aliases = table("sts,cuda,online,resident,2026-11-23,0.10.0\n");
        assert_eq!(aliases.problems(), [""; 0]);
        let current = |device, version| aliases.current(["sts", device], "online", version);
        assert_eq!(current("cuda:0", "0.9.3"), "resident");
        for (device, version) in [("cuda:0", "0.10.0"), ("emulator", "1.0.0"), ("cpu", "0.9.3")] {
            assert_eq!(current(device, version), "online", "{device}, {version}");
        }
        let point = |device: &str| Point {
            algorithm: "sts".into(),
            variant: "online".into(),
            device: device.into(),
            ..Point::default()
        };
        let asked = |device, version| aliases.asked_of(point(device), version).variant;
        assert_eq!(asked("cuda:0", "0.9.3"), "online of version 0.10.0");
        assert_eq!([asked("cuda:0", "0.10.0"), asked("cpu", "0.9.3")], ["online", "online"]);
    }

    #[test]
    fn chains_circles_and_double_meanings_are_refused() {
        for (rows, problem) in [
            ("sort,,a,b,,\nsort,,b,c,,\n", "sort: a becomes b, which is an old name itself"),
            ("sort,,a,b,,\nsort,,b,a,,\n", "sort: b becomes a, which is an old name itself"),
            ("sort,,a,a,,\n", "sort: a becomes a, which is an old name itself"),
            ("sort,,a,b,,\nsort,cpu,a,c,,\n", "sort: a occurs twice"),
        ] {
            let problems = table(rows).problems();
            assert!(problems.iter().any(|found| found == problem), "{problem}: {problems:?}");
        }
    }

    #[test]
    fn each_row_is_read() {
        let lines = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(AXES.len(), lines(include_str!("../assets/old_axes.csv")));
        assert_eq!(METRICS.len(), lines(include_str!("../assets/old_metrics.csv")));
    }

    #[test]
    fn noise_depends_on_the_task() {
        assert_eq!(old_axis("sts", "noise").kind, AxisKind::Frequency);
        assert_eq!(old_axis("decode", "noise").kind, AxisKind::Share);
        assert_eq!(old_axis("decode", "zs").kind, AxisKind::Text);
    }

    fn point(algorithm: &str, variant: &str, device: &str) -> Point {
        let mut point = crate::report::fixture::comparison(&[crate::compare::Verdict::Same])
            .points
            .remove(0)
            .key
            .point;
        point.algorithm = algorithm.to_owned();
        point.variant = variant.to_owned();
        point.device = device.to_owned();
        point
    }

    #[test]
    fn a_name_is_retired_on_its_backend_only() {
        assert!(find_retired(&point("presort", "lookup-table", "cuda:0")).is_some());
        assert_eq!(find_retired(&point("presort", "lookup-table", "cpu")), None);
        assert!(find_retired(&point("presort", "lookup-table", "emulator")).is_some());
        assert!(find_retired(&point("presort", "lookup-table", "hip:0")).is_some());
        assert!(find_retired(&point("sts", "resident", "wgpu:1")).is_some());
        assert_eq!(find_retired(&point("sts", "balanced", "cuda:0")), None);
        assert_eq!(find_retired(&point("cluster", "resident", "cuda:0")), None);
    }
}
