//! Plugins in paired runs: nothing passes that was not compared.

use std::fs;

use reports::record::YesNo;

use super::compiled::{RIGHT, Workshop, measuring};
use crate::common::{BENCH, Run, row};

/// A suite of a single variant, that of the plugin.
const SUITE: &str = r#"
name = "pair"
plugins = ["libforeign.so"]
[defaults]
threads = 1
max-time = "3s"
[[task]]
name = "sort"
variants = ["foreign"]
samples = "10..30"
[task.axes]
digis = "20k"
segments = 24
"#;

/// A folder with that suite and a plugin that is compiled in some way.
fn suite(defines: &str) -> Option<Workshop> {
    let workshop = measuring()?;
    workshop.write("pair.toml", SUITE);
    workshop.plugin("libforeign.so", defines);
    Some(workshop)
}

/// Measures the suite into a folder, and keeps it in the store.
fn measure(workshop: &Workshop, flags: &str) -> Run {
    workshop.bench(format!("run pair.toml --store s --no-charts --no-ceilings --quiet {flags}"))
}

#[test]
fn a_plugin_whose_trial_fails_is_not_measured_on_either_side() {
    let Some(workshop) = suite(RIGHT) else { return };
    measure(&workshop, "--out a").exits(0);
    workshop.bench("history accept latest --store s").exits(0);
    // On small inputs only, such as those of the trial.
    for (how, note) in [("wrong", "wrong output: "), ("crash", "failed: libforeign.so crashed in")]
    {
        let defines = format!("-DWHERE=run_call -DHOW={how} -DUNTIL=1000");
        workshop.plugin("libforeign.so", &defines);
        measure(&workshop, &format!("--out b-{how}")).exits(3);
        let out = format!("c-{how}");
        let run = measure(&workshop, &format!("--against accepted --out {out}")).exits(3);
        run.says("not measured: sort foreign").says(format!(": {note}"));
        let rows = workshop.rows(&out);
        let row = row(&rows, "foreign");
        assert_eq!((row.valid, row.samples), (YesNo::No, 0), "{}", row.note);
        assert!(row.note.starts_with(note), "{}", row.note);
        assert_eq!(row.note, workshop.rows(format!("b-{how}"))[0].note);
        assert!(workshop.samples(&out).is_empty() && workshop.rows(out + "/base").is_empty());
    }
}

/// The base is measured with the plugin that it was made with, not with that of today.
#[test]
fn a_plugin_that_was_built_anew_is_compared_with_the_one_that_was_kept() {
    let Some(workshop) = suite(RIGHT) else { return };
    measure(&workshop, "--out a").exits(0);
    let kept = fs::read(workshop.join("libforeign.so")).expect("readable");
    workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=nap");
    measure(&workshop, "--out b").exits(0);
    let base = workshop.record("a").plugins;
    assert_ne!(base, workshop.record("b").plugins);
    let run = measure(&workshop, "--against a --out c").exits(4);
    run.prints("1 SLOWER");
    let fingerprints = ["c/base", "c"].map(|run| workshop.rows(run)[0].fingerprint.clone());
    assert_eq!(fingerprints[0], base[0].fingerprint);
    assert_ne!(fingerprints[0], fingerprints[1]);
    assert_eq!(workshop.record("c/base").plugins, base);
    // Measuring again does as well.
    let line = "compare a b --confirm --confirm-time 30s --store s";
    workshop.bench(line).exits(4).says("measuring 1 point again");
    // Without the old one there is nothing to compare with, which is reported.
    fs::remove_dir_all(workshop.join("s/plugins")).expect("removed");
    let run = measure(&workshop, "--against a --out d").exits(5);
    run.says("sort foreign").says("the one that was measured was not kept");
    assert_eq!(workshop.rows("d")[0].valid, YesNo::Yes);
    let run = workshop.bench("compare a b --confirm --store s");
    run.prints("the one that was measured was not kept");
    // The file itself will do.
    workshop.write("libforeign.so", kept);
    let run = measure(&workshop, "--against a --out e");
    assert!(matches!(run.code, Some(0 | 4)), "{}", run.story());
}

/// The time of the thread itself does not see what it sleeps.
#[test]
fn a_side_that_sleeps_is_slower() {
    let Some(workshop) = suite("-DWHERE=run_call -DHOW=nap") else { return };
    fs::copy(BENCH, workshop.join("benchold")).expect("copied");
    let line = "run pair.toml --no-store --against ./benchold --out r --format json";
    let run = workshop.bench(line).exits(4);
    run.prints("\"SLOWER\"");
    let samples = workshop.samples("r");
    if fs::exists("/proc/thread-self/schedstat").unwrap_or(false) {
        assert!(samples.iter().all(|sample| sample.run_delay_s.is_some()));
    }
}
