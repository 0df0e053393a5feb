//! `bench machines`, on the runs that are kept with the documents.

use serde_json::Value;

use crate::common::{Folder, folder, in_repository};

/// The kept runs, as a path for a command line.
fn kept(names: &[&str]) -> String {
    let path = |name: &&str| in_repository("docs/results").join(name).display().to_string();
    names.iter().map(path).collect::<Vec<_>>().join(" ")
}

/// Runs that sorted 20 M digis in order of time or at random on four machines.
const SORTS: [&str; 4] = ["sort-cpu", "sort-cpu-16", "shaders/sort", "sort-cuda-blocks"];

fn compared(folder: &Folder, line: &str) -> Value {
    folder.bench(format!("machines {line} --format json")).exits(0).json()
}

/// Names of the machines.
fn names(document: &Value) -> Vec<&str> {
    let machines = document["machines"].as_array().expect("a list");
    machines.iter().map(|it| it["name"].as_str().expect("a name")).collect()
}

#[test]
fn kept_runs_of_four_machines_are_side_by_side() {
    let folder = folder();
    let document = compared(&folder, &kept(&SORTS));
    let names = names(&document);
    for part in ["EPYC", "Xeon", "H100", "H200"] {
        assert!(names.iter().any(|name| name.contains(part)), "{part}: {names:?}");
    }
    assert_eq!(names.len(), 4, "{names:?}");
    let points = document["points"].as_array().expect("a list");
    for point in points {
        let rate = point["items_per_s"].as_f64().expect("a rate");
        let low = point["items_per_s_low"].as_f64().expect("an interval");
        let high = point["items_per_s_high"].as_f64().expect("an interval");
        assert!(low <= rate && rate <= high, "{point}");
    }
    let random = |it: &&Value| {
        let params = it["params"].as_str().expect("parameters");
        params.contains("order=random")
            && params.contains("segments=24;")
            && it["machine"].as_str().is_some_and(|name| name.contains("Xeon"))
    };
    let xeon = points.iter().find(random).expect("a point of the Xeon");
    // 20 M digis by `channel-bucket` over the medians of both machines.
    let ratio = xeon["ratio"].as_f64().expect("a ratio");
    assert!((2.0..40.0).contains(&ratio), "{xeon}");
    assert_eq!(document["tasks"].as_array().map(Vec::len), Some(4));
}

#[test]
fn all_kept_runs_are_compared_and_the_others_left_out_with_the_reason() {
    let folder = folder();
    let run = folder.bench(format!("machines {} --reference H100", kept(&[""]))).exits(0);
    for words in ["EPYC", "Xeon", "H200", "relative to NVIDIA H100", "is a run of", "Left out"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn what_can_not_be_compared_is_refused() {
    let folder = folder();
    let sorts = kept(&SORTS[..1]);
    for (code, line, words) in [
        (2, format!("{sorts} --reference H300"), "machines are \"AMD EPYC, 2 CPUs\""),
        (5, format!("{sorts} --task sts"), "no machine has a valid row"),
        (2, "nowhere".to_owned(), "no such folder"),
        (1, kept(&["stream-cuda"]), "is a run of a stream"),
        (1, format!("{sorts} --prices nowhere.toml"), "nowhere.toml"),
    ] {
        folder.bench(format!("machines {line}")).exits(code).says(words);
    }
}

#[test]
fn prices_are_those_of_plans() {
    let folder = folder();
    let runs = kept(&["sort-cuda", "sort-cuda-h100"]);
    let prices = in_repository("examples/plan/cbm-machines.toml");
    let document = compared(&folder, &format!("{runs} --prices {}", prices.display()));
    let machines = document["machines"].as_array().expect("a list");
    let prices: Vec<_> = machines.iter().map(|it| it["price_eur"].as_f64()).collect();
    // Two H200 for 90 000 €, and one H100 for 45 000.
    assert_eq!(prices, [Some(45_000.0), Some(45_000.0)], "{machines:?}");
    let notes = document["notes"].as_array().expect("a list");
    assert!(notes.iter().any(|it| it.as_str().is_some_and(|it| it.contains("\"16 cores\""))));
    let mut points = document["points"].as_array().expect("a list").iter();
    assert!(points.all(|it| it["eur_per_million_items_per_s"].as_f64().is_some_and(|it| it > 0.0)));
}

#[test]
fn the_folder_has_rates_chart_and_page() {
    let folder = folder();
    let line = format!("machines {} --out side", kept(&SORTS));
    folder.bench(&line).exits(0);
    folder.has("side/machines.csv side/machines.svg side/machines.png side/machines.html");
    let csv = folder.read("side/machines.csv");
    assert!(csv.starts_with("algorithm,machine,variant,variants,device,"), "{csv}");
    let page = folder.read("side/machines.html");
    assert!(page.contains("<svg") && page.contains("H200"));
    folder.bench(&line).exits(0);
    folder.write("side/machines.html", "precious");
    folder.bench(&line).exits(2).says("--force");
    folder.bench(format!("{line} --force")).exits(0);
}

#[test]
fn machines_without_all_points_of_the_suite_have_no_score() {
    let folder = folder();
    let document = compared(&folder, &kept(&["velo-h200/gpu-velo", "sort-cpu"]));
    let scores = document["scores"].as_array().expect("a list");
    let is_incomplete = |it: &&Value| it["missing"].as_array().is_some_and(|it| !it.is_empty());
    let (incomplete, complete): (Vec<_>, Vec<_>) = scores.iter().partition(is_incomplete);
    assert!(!incomplete.is_empty() && incomplete.iter().all(|it| it["score"].is_null()));
    // The run of the VELO has all of its experiment's points.
    let experiments: Vec<_> = complete.iter().map(|it| &it["experiment"]).collect();
    assert_eq!(experiments, ["LHCb"]);
    assert!(complete.iter().all(|it| it["score"].as_f64().is_some()), "{complete:?}");
}
