//! Commands with the files before, and their results without faults, which others are compared with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reports::record::SummaryRow;
use reports::store::{read_run, read_samples, read_summary};

use super::library::{self, Fault, Kind, Operation, record};
use super::tree::{Tree, names, of_interest, plant, tree, without_times};
use crate::common::alice::{dump, time_frame, time_frame_file};
use crate::common::fake::write_run;
use crate::common::{Folder, Run, copy_documented, folder};

/// A command that writes files.
pub struct Scenario {
    pub name: &'static str,
    /// Prepares the files of the folder.
    prepare: fn(&Folder),
    /// The words of the command.
    pub line: &'static str,
    pub product: Product,
}

/// Result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Files that are the same each time, but for times and what is made of them.
    Files,
    /// A run in the folder `r`, which can be resumed.
    Run,
}

/// All of them.
pub const SCENARIOS: [Scenario; 25] = [
    run("run-start", |folder| folder.write("little.toml", LITTLE), RUN),
    run("run-resume", |folder| stopped(folder, 0.6), RUN),
    run("run-finish", |folder| stopped(folder, 0.9), RUN),
    run("run-store", |folder| folder.write("little.toml", LITTLE), STORED),
    run(
        "sort",
        |_| (),
        "sort --variant std-stable --segments 4 --digis 1k --samples 3 \
        --threads 1 --max-time 1s --quiet --out r --store s",
    ),
    files("report", two_runs, "report a --out page.html --force"),
    files(
        "compare",
        with_samples,
        "compare a b --format json=c.json --format markdown=c.md \
        --format junit=c.xml",
    ),
    files("export", two_runs, "export a b --format parquet --out runs.parquet"),
    files("generate-sts", before, "generate sts --segments 4 --digis 5k --out d.csv"),
    files("generate-compressed", before, "generate sts --segments 4 --digis 5k --out d.bin.gz"),
    files("generate-pages", before, "generate tpc --occupancy 0.02 --sectors 1 --out d.pages"),
    files("clusters", cases, "cluster-finder --input c.cases --clusters d.csv --threads 1"),
    files(
        "generate-archive",
        before,
        "generate sts-raw --preset mcbm-2024 --scale 1e-5 --out d.tsa",
    ),
    files(
        "generate-sequence",
        before,
        "generate sts-raw --preset mcbm-2024 --scale 1e-5 --zstd --split 1 --out d_%n.tsa",
    ),
    files("unpack-archive", archive, "unpack --input d.tsa --digis d.bin --threads 1"),
    files("unpack-zstd", archive, "unpack --input z.tsa --take 1 --digis d.bin --threads 1"),
    files("unpack-sequence", archive, "unpack --input d_%n.tsa --digis d.bin --threads 1"),
    files("decode-raw", pages, "decode --input d.raw --timeframes 1..2 --digits d.csv --threads 1"),
    files("decode-tf", pages, "decode --input d.tf --digits d.csv --threads 1"),
    files("decode-dump", pages, "decode --input event.0.dump --digits d.csv --threads 1"),
    files("history-first", two_runs, "history add a --store s"),
    files("history-add", a_store, "history add b --store s"),
    files("history-accept", a_store, "history accept latest --store s --note good"),
    files("history-prune", three_stored, "history prune --keep 1 --store s"),
    files("site", a_store, "site --store s --out pages"),
];

const RUN: &str = "run little.toml --no-ceilings --quiet --out r";
const STORED: &str = "run little.toml --no-ceilings --no-charts --quiet --out r --store s";

const LITTLE: &str = r#"
name = "little"

[defaults]
samples = 3
max-time = "1s"
threads = 1

[[task]]
name = "sort"
variants = ["std-stable", "block-merge"]
[task.axes]
digis = ["1k", "2k"]
segments = 4
order = "random"
"#;

const fn run(name: &'static str, prepare: fn(&Folder), line: &'static str) -> Scenario {
    Scenario { name, prepare, line, product: Product::Run }
}

const fn files(name: &'static str, prepare: fn(&Folder), line: &'static str) -> Scenario {
    Scenario { name, prepare, line, product: Product::Files }
}

const CASES: &str = "case one\nsector 0\nframe 20\nr 3 5 8 60 200 90\nr 3 6 8 40 120 50\nend\n";

/// A run that was killed when it had done so much of its work.
fn stopped(folder: &Folder, share: f64) {
    let whole = self::folder();
    whole.write("little.toml", LITTLE);
    let (run, operations) = library::record(&whole, RUN);
    run.exits(0);
    let changes = operations.iter().filter(|operation| operation.changes()).count();
    let at = (share * changes as f64) as usize;
    folder.write("little.toml", LITTLE);
    library::run_with(Fault { kind: Kind::Kill, at }, folder, RUN);
}

/// Files that are to be replaced.
fn before(folder: &Folder) {
    for name in ["d.csv", "d.bin.gz", "d.pages", "page.html", "c.json", "c.md", "c.xml"] {
        folder.write(name, "what was there before");
    }
    folder.write("runs.parquet", "what was there before");
}

fn cases(folder: &Folder) {
    before(folder);
    folder.write("c.cases", CASES);
}

fn archive(folder: &Folder) {
    before(folder);
    let generate = "generate sts-raw --preset mcbm-2024 --scale 1e-5";
    for out in ["d.tsa", "z.tsa --zstd", "d_%n.tsa --split 1"] {
        folder.bench(format!("{generate} --out {out}")).exits(0);
    }
}

fn pages(folder: &Folder) {
    before(folder);
    let frames = [100, 164].map(|first_orbit| time_frame(folder, first_orbit));
    folder.write("d.raw", frames.concat());
    folder.write("d.tf", time_frame_file(&frames));
    folder.write("event.0.dump", dump(&frames[0]));
}

fn two_runs(folder: &Folder) {
    before(folder);
    for (name, time, factor) in
        [("a", "2027-01-01T00:00:00Z", 1.0), ("b", "2027-01-02T00:00:00Z", 1.5)]
    {
        let medians = [("std-stable", 1e-3 * factor), ("rdst", 2e-3)];
        write_run(folder, name, time, 1, &medians);
    }
}

/// Runs that can be compared.
fn with_samples(folder: &Folder) {
    before(folder);
    for (name, time) in [("a", "2027-01-01T00:00:00Z"), ("b", "2027-01-02T00:00:00Z")] {
        copy_documented("gather-cpu", &folder.join(name), time);
    }
}

fn a_store(folder: &Folder) {
    two_runs(folder);
    folder.bench("history add a --store s").exits(0);
}

fn three_stored(folder: &Folder) {
    a_store(folder);
    write_run(folder, "c", "2027-01-03T00:00:00Z", 1, &[("std-stable", 1e-3)]);
    folder.bench("history add b c --store s").exits(0);
}

impl Scenario {
    /// Returns the files before the command.
    pub fn beginning(&self) -> Tree {
        let folder = folder();
        (self.prepare)(&folder);
        tree(&folder)
    }
}

/// A folder with a tree in it.
pub fn planted(tree: &Tree) -> Folder {
    let folder = folder();
    plant(tree, &folder);
    folder
}

/// The rows of the points that a run has done, if it can be read.
pub fn done(run: &Path) -> Vec<SummaryRow> {
    read_summary(run).unwrap_or_default()
}

/// Asserts that a run is finished and has each point once, with the number of samples in its row.
#[track_caller]
pub fn assert_complete(run: &Path, points: usize, story: &str) {
    let rows = read_summary(run).expect(story);
    let mut samples: BTreeMap<String, usize> = BTreeMap::new();
    for sample in read_samples(run).expect(story) {
        *samples.entry(sample.point_id).or_default() += 1;
    }
    let expected: BTreeMap<_, _> = rows.iter().map(|row| (row.point().id(), row.samples)).collect();
    assert_eq!((rows.len(), expected.len()), (points, points), "{story}");
    assert_eq!(samples, expected, "{story}");
    assert!(read_run(run).expect(story).finished.is_some(), "{story}");
}

/// The number of points that a run has.
pub fn points(run: &Path) -> usize {
    let text = fs::read_to_string(run.join("summary.csv")).expect("a run");
    text.lines().count() - 1
}

/// A command that nothing went wrong in.
pub struct Reference {
    /// Files before the command.
    pub beginning: Tree,
    /// Files after the command.
    pub end: Tree,
    pub operations: Vec<Operation>,
}

impl Reference {
    pub fn record(scenario: &Scenario) -> Self {
        let beginning = scenario.beginning();
        let folder = planted(&beginning);
        let (run, operations) = record(&folder, scenario.line);
        assert!(matches!(run.code, Some(0 | 4)), "{}", run.story());
        Reference { beginning, end: tree(&folder), operations }
    }

    /// Asserts that the files of a folder are complete after a fault, and that the same command gives
    /// the same result there and leaves no other files.
    #[track_caller]
    pub fn goes_on(&self, scenario: &Scenario, folder: &Folder, story: &str) {
        let kept = match scenario.product {
            Product::Files => {
                self.nothing_is_torn(&tree(folder), story);
                Vec::new()
            }
            Product::Run => rows_kept(&folder.join("r")),
        };
        let again = folder.bench(scenario.line);
        let story = format!("{story}\nand again: {}", again.story());
        assert!(went_on(scenario, &again), "it does not go on; {story}");
        let end = tree(folder);
        let [now, expected] = [&end, &self.end].map(|tree| names(&of_interest(tree.clone())));
        assert_eq!(now, expected, "not the same is left behind; {story}");
        match scenario.product {
            Product::Files => self.is_the_same(&end, &story),
            Product::Run => {
                assert_complete(&folder.join("r"), self.points(), &story);
                let rows = done(&folder.join("r"));
                assert_eq!(rows[..kept.len()], kept[..], "rows are lost; {story}");
            }
        }
    }

    /// Files that were there before are so still, or are the new ones.
    fn nothing_is_torn(&self, after: &Tree, story: &str) {
        for (path, old) in &self.beginning {
            let now = after.get(path);
            let new = self.end.get(path);
            let is_whole = now == Some(old) || same(now, new);
            assert!(is_whole, "{} is torn; {story}", path.display());
        }
    }

    fn is_the_same(&self, end: &Tree, story: &str) {
        for (path, content) in &self.end {
            // Names may have times in them.
            let now = end.get(path);
            let is_there = now.is_none() || same(now, Some(content));
            assert!(is_there, "{} is another file; {story}", path.display());
        }
    }

    fn points(&self) -> usize {
        points(&planted(&self.end).join("r"))
    }
}

/// Returns true if a command resumed. A measuring command refuses to start again in the folder of
/// a finished run, which is the case if the fault happened after the end of the run.
fn went_on(scenario: &Scenario, again: &Run) -> bool {
    let refuses = || again.code == Some(2) && again.stderr.contains("holds a run already");
    let is_suite = scenario.line.starts_with("run ");
    let may_refuse = scenario.product == Product::Run && !is_suite;
    matches!(again.code, Some(0 | 4)) || (may_refuse && refuses())
}

/// The rows that are whole, of a run that may have been stopped in the middle of one.
pub fn rows_kept(run: &Path) -> Vec<SummaryRow> {
    let text = fs::read(run.join("summary.csv")).unwrap_or_default();
    // Data that were being written at the power cut.
    let written = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let end = written.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let copy = folder();
    copy.write("summary.csv", &written[..end]);
    done(&copy)
}

/// Returns true if two files are equal except for times.
fn same(one: Option<&Option<Vec<u8>>>, other: Option<&Option<Vec<u8>>>) -> bool {
    let text = |bytes| std::str::from_utf8(bytes).map(without_times);
    match (one, other) {
        (Some(Some(one)), Some(Some(other))) if one != other => {
            matches!((text(one), text(other)), (Ok(one), Ok(other)) if one == other)
        }
        (one, other) => one == other,
    }
}
