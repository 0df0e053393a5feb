//! Tasks that plugins bring: listed, verified, measured and compared as those of `bench`, and
//! refused before anything is measured if they can't be used.

use reports::record::YesNo;

use super::compiled::{Workshop, measuring, workshop};
use super::examples::WITH_TASK;
use crate::common::{row, rows_of};

/// The example of the documentation.
fn pixels(workshop: &Workshop) -> String {
    workshop.example_of(WITH_TASK, "libpixels.so")
}

/// A task of the tests of `algorithms`, right or wrong by macros.
fn doubles(workshop: &Workshop, defines: &str) -> String {
    workshop.compile("tasks/src/plugin_session/library_task/tests/task.c", "libtask.so", defines)
}

#[test]
fn a_task_of_a_plugin_is_listed_and_has_help() {
    let Some(workshop) = workshop() else { return };
    let plugin = pixels(&workshop);
    for line in ["list", "list pixel-clusters"] {
        let run = workshop.bench(format!("{line} --plugin {plugin}")).exits(0);
        run.prints("pixel-clusters").prints("scan-lines").prints("--occupancy");
    }
    let help = workshop.bench(format!("pixel-clusters --plugin {plugin} --help")).exits(0);
    help.prints("--occupancy").prints("bench verify pixel-clusters --plugin ./libmine.so");
    workshop.bench("pixel-clusters").exits(2).says("pixel-clusters");
    let typo = workshop.bench(format!("pixel-cluster --plugin {plugin}")).exits(2);
    typo.says("pixel-cluster");
    let value = workshop.bench(format!("pixel-clusters --plugin {plugin} --rows many")).exits(2);
    value.says("--rows").says("not a whole number");
}

#[test]
fn variants_of_the_example_are_right() {
    let Some(workshop) = workshop() else { return };
    let plugin = pixels(&workshop);
    let run = workshop.bench(format!("verify pixel-clusters --device cpu --plugin {plugin}"));
    run.exits(0).prints("2 variants, ").prints("0 wrong, 0 not run");
}

#[test]
fn a_task_of_a_plugin_is_measured() {
    let Some(workshop) = measuring() else { return };
    let plugin = pixels(&workshop);
    let line = "pixel-clusters --rows 100 --columns 200 --occupancy 0.1 --device cpu --threads 2";
    let flags = "--max-time 100ms --no-charts --out r --plugin";
    workshop.bench(format!("{line} {flags} {plugin}")).exits(0);
    let rows = workshop.rows("r");
    for name in ["scan-lines", "row-bands"] {
        let row = row(&rows, name);
        assert_eq!((row.valid, row.items), (YesNo::Yes, 2000), "{name}: {}", row.note);
        assert!(row.metrics.number("ns_per_cell").is_some_and(|time| time > 0.0));
        assert!(row.metrics.number("cells_per_cluster").is_some_and(|cells| cells > 1.0));
    }
    let line = "pixel-clusters --input cells.csv --device cpu --max-time 50ms --no-charts --plugin";
    workshop.write("cells.csv", "8,8\n0,0\n1,1\n5,5\n");
    workshop.bench(format!("{line} {plugin} --out f")).exits(0);
    assert_eq!(row(&workshop.rows("f"), "scan-lines").items, 3);
    workshop.write("cells.csv", "8,8\n0,9\n");
    let refused = workshop.bench(format!("{line} {plugin} --out g"));
    refused.says("cells.csv: libpixels.so failed in read: a cell is outside of the matrix");
}

/// A suite with the task.
const SUITE: &str = r#"
name = "pixels"
plugins = ["libpixels.so"]
[defaults]
threads = 1
max-time = "100ms"
[[task]]
name = "pixel-clusters"
variants = ["scan-lines"]
samples = "10..30"
[task.axes]
rows = [64, 128]
"#;

#[test]
fn suites_have_tasks_of_their_plugins() {
    let Some(workshop) = measuring() else { return };
    pixels(&workshop);
    workshop.write("pixels.toml", SUITE);
    let run = "run pixels.toml --store s --no-charts --no-ceilings --quiet";
    workshop.bench(format!("{run} --out a")).exits(0);
    assert_eq!(workshop.rows("a").iter().filter(|row| row.variant == "scan-lines").count(), 2);
    workshop.bench("history accept latest --store s").exits(0);
    let paired = workshop.bench(format!("{run} --against accepted --out b"));
    assert!(matches!(paired.code, Some(0 | 4)), "{}", paired.story());
    let rows = workshop.rows("b");
    assert!(rows.iter().all(|row| row.valid == YesNo::Yes && row.samples > 0), "{rows:?}");
    assert_eq!(workshop.rows("b/base").len(), rows.len());
}

#[test]
fn wrong_variants_and_references_are_reported() {
    let Some(workshop) = workshop() else { return };
    let plugin = doubles(&workshop, "");
    let line = format!("verify double --device cpu --seeds 1 --plugin {plugin}");
    workshop.bench(format!("{line} --variant cpu-right")).exits(0);
    workshop.bench(format!("{line} --variant cpu-nothing")).exits(3).prints("cpu-nothing");
    workshop.bench(format!("{line} --variant cpu-long")).exits(3).prints("1000");
    let plugin = doubles(&workshop, "-DREFERENCE=wrong_reference");
    let line = format!("verify double --device cpu --seeds 1 --plugin {plugin}");
    let run = workshop.bench(format!("{line} --variant cpu-right")).exits(3);
    run.prints("doubles, element 7");
}

#[test]
fn tasks_that_can_not_be_used_are_refused() {
    let Some(workshop) = workshop() else { return };
    let table = r#"
        -DTASK_SIZE=96 | recobench_task 0 declares a size of 96 bytes, and that of this bench has
        -DREFERENCE=NULL | its task "double": reference is NULL
        -DHARD_INPUTS=0 | hard_input_count is 0
        -DCHECK=yes_check | the check accepts the output of a variant that does nothing
        -DTASK_NAME="sort" | there is a task of this name that bench has itself
        -DTASK_NAME="verify" | the task "verify" has the name of a command of bench; rename it
        -DAXIS_NAME="seed" | the axis "seed" of the task "double" has the name of a flag of bench
    "#;
    for [defines, words] in rows_of(table) {
        let plugin = doubles(&workshop, defines);
        let run = workshop.bench(format!("double --plugin {plugin} --out r")).exits(2);
        run.says(words).says("libtask.so");
        workshop.bench(format!("list --plugin {plugin}")).exits(2).says(words);
        assert!(!workshop.join("r").exists(), "{defines}");
    }
}

#[test]
fn a_crash_in_a_function_of_a_task_is_reported() {
    let Some(workshop) = workshop() else { return };
    for (defines, words) in [
        ("-DREFERENCE=crashing_reference", "it crashed in reference (SIGSEGV)"),
        (
            "-DDESCRIBE=lying -DFIELD=elements[0] -DVALUE=1ull<<40",
            "it crashed in describe (SIGSEGV)",
        ),
    ] {
        let plugin = doubles(&workshop, defines);
        let run = workshop.bench(format!("double --plugin {plugin} --out r")).exits(3);
        run.says(words).says("libtask.so");
    }
}
