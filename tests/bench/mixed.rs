//! `bench mixed`.

use crate::common::{Folder, in_repository, measuring};

const SHORT: &str = "--duration 180ms --blocks 3 --quiet";

/// Two closed loops of one task.
const TWO: &str = r#"[[load]]
name = "one"
task = "merge"
variant = "sequential"
axes = { tracks = "1k" }

[[load]]
name = "other"
task = "merge"
variant = "components"
axes = { tracks = "1k" }
weight = 2
"#;

fn with(text: &str) -> Option<Folder> {
    let folder = measuring()?;
    folder.write("mix.toml", text);
    Some(folder)
}

#[test]
fn the_example_gives_a_matrix_and_charts() {
    let Some(folder) = measuring() else { return };
    let example = in_repository("examples/mixed/mix.toml");
    let line = format!("mixed {} {SHORT} --out run", example.display());
    let run = folder.bench(&line).exits(0);
    for words in ["with together", "with velo-online", "mixes per second", "ratios of the median"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    folder.has("run/run.json run/loads.csv run/windows.csv run/matrix.csv");
    for chart in ["mixed-matrix", "mixed-loads"] {
        folder.has(&format!("run/{chart}.svg run/{chart}.png"));
    }
    // Three loads with two neighbours each, and together.
    assert_eq!(folder.read("run/matrix.csv").lines().count(), 1 + 3 * 3);
    assert_eq!(folder.read("run/loads.csv").lines().count(), 1 + 3);
    // Three alone, three pairs of two, and three together, in each block.
    assert_eq!(folder.read("run/windows.csv").lines().count(), 1 + 3 * (3 + 6 + 3));
    let record = folder.record("run");
    assert!(record.finished.is_some() && !record.ceilings.is_empty());
    // The folder belongs to this run only.
    folder.bench(&line).exits(2).says("holds a run already");
}

#[test]
fn background_loads_are_neighbours() {
    let Some(folder) = with(TWO) else { return };
    let line = format!(
        "mixed mix.toml {SHORT} --out run --background cores --background memory \
         --background-threads 1 --no-charts --format csv"
    );
    let run = folder.bench(&line).exits(0);
    assert_eq!(run.stdout.lines().count(), 1 + 4, "{}", run.stdout);
    let matrix = folder.read("run/matrix.csv");
    for neighbour in ["background-cores", "background-memory"] {
        assert_eq!(matrix.matches(&format!(",{neighbour},rate,")).count(), 2, "{matrix}");
    }
}

#[test]
fn one_load_needs_no_neighbour() {
    let (one, _) = TWO.split_once("\n[[load]]").expect("two");
    let Some(folder) = with(one) else { return };
    let run = folder.bench(format!("mixed mix.toml {SHORT} --out run")).exits(0);
    assert!(!run.stdout.contains("Slowdown"), "{}", run.stdout);
    assert_eq!(folder.read("run/matrix.csv").lines().count(), 1);
}

#[test]
fn a_rate_beyond_the_load_is_reported() {
    let text = TWO.replace("weight = 2", "rate = \"1000000/s\"");
    let Some(folder) = with(&text) else { return };
    let run = folder.bench(format!("mixed mix.toml {SHORT} --out run --no-charts")).exits(0);
    for words in ["other: rate 1000000/s is beyond what it does alone, ", "unbounded"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn a_plan_takes_a_mix() {
    let Some(folder) = with(TWO) else { return };
    folder.bench(format!("mixed mix.toml {SHORT} --out run --no-charts")).exits(0);
    let need = "name = \"farm\"\ntask = \"merge\"\nitems_per_s = 1e6\nheadroom = 0.3\nyears = 5\n\
                electricity_eur_per_kwh = 0.25\npue = 1.2\n";
    let machines = "[[machine]]\nname = \"node\"\nprice_eur = 10000\nidle_w = 100\npeak_w = 300\n\
                    rack_units = 2\nnetwork_gbit_s = 1e5\nresults = \"run\"\n";
    folder.write("need.toml", need);
    folder.write("machines.toml", machines);
    let out = "--out farm";
    let plan = folder.bench(format!("plan --need need.toml --machines machines.toml {out}"));
    plan.exits(0);
    assert!(folder.read("farm/plan.html").contains("together with the other loads of the mix"));
}

#[test]
fn mixes_that_make_no_sense_are_refused() {
    let Some(folder) = with("[[load]]\ntask = \"srt\"\n") else { return };
    let refused = |line: &str, exit: i32, words: &str| {
        folder.bench(line).exits(exit).says(words);
    };
    refused("mixed mix.toml", 2, "mix.toml:2:8: unknown task \"srt\"");
    refused("mixed missing.toml", 1, "missing.toml: ");
    refused("mixed mix.toml --blocks 1", 2, "--blocks");
    refused("mixed mix.toml --background disk", 2, "cores");
    refused("mixed mix.toml --background-threads 2", 2, "--background");
    refused("mixed mix.toml --duration 0s", 2, "--duration takes more than 0s");
}
