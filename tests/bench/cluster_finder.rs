//! `bench cluster-finder` and `bench tpc`: clusters of generated charges, of files and of pages, and
//! labels next to pages.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use portable_gpu::emulator;

use crate::common::{Folder, folder, measuring, row, stages, variants};
use crate::experiments::{fixtures, full_set};

const QUICK: &str = "--samples 3..4 --max-time 1s --no-charts --device cpu";

/// Charges whose clusters can be worked out on paper.
const CASES: &str = "\
case single
sector 7
frame 200
r 0 30 100 88
end
case \"two\",alike
sector 35
frame 60
fragment 17
r 0 10 50 800 101 800
end
case nothing
sector 0
frame 5
end
";
const HEADER: &str = "case,row,pad,time,sigma_pad,sigma_time,q_max,q_tot,flags,labels";
/// A single charge is rounded up to 6; 50 of 850 lie one time bin aside of either of two.
const CLUSTERS: &str = "\
single,0,1920,6400,0,0,5,6,8,
\"\"\"two\"\",alike\",0,640,3204,0,8,50,53,10,
\"\"\"two\"\",alike\",0,640,3324,0,8,50,53,10,
";

const ALL: [&str; 3] = ["published", "rows", "unordered-set"];

/// All variants for GPUs, if there is something to run them on.
fn on_emulator() -> &'static [&'static str] {
    match emulator::unavailable() {
        None => &["naive", "published", "fused"],
        Some(reason) => {
            eprintln!("skipped: {reason}");
            &[]
        }
    }
}

#[test]
fn every_variant_has_a_valid_row_with_stages() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!(
        "cluster-finder --sectors 1 --orbits 1 --occupancy 0.02 --threads 2 {QUICK}"
    ));
    assert_eq!(variants(&rows), BTreeSet::from(ALL));
    let published =
        ["clear", "fill", "peaks", "suppress", "compaction", "deconvolute", "clusterize"];
    let expected = published.into_iter().chain(["total"]).collect();
    assert_eq!(stages(&rows, "published"), expected);
    assert_eq!(stages(&rows, "rows"), BTreeSet::from(["total", "rows", "clusters"]));
    let total = row(&rows, "rows");
    assert!(total.items > 50_000 && total.metrics.number("ns_per_cluster").is_some(), "{total:?}");
}

#[test]
fn the_chain_has_a_valid_row_for_each_rule_and_format() {
    let Some(folder) = measuring() else { return };
    let line = "tpc --sectors 1 --orbits 1 --occupancy 0.02 --zs row10,dense-link --threads 2";
    let rows = folder.measure(format!("{line} {QUICK}"));
    let totals = rows.iter().filter(|row| row.stage == "total");
    assert_eq!(totals.count(), 2 * 2);
    // Variants that work by fragments support one rule.
    let Some(folder) = measuring() else { return };
    let lab = folder.measure(format!("{line} --noisy lab --variant rows {QUICK}"));
    assert_eq!(lab.iter().filter(|row| row.stage == "total").count(), 2);
    assert_eq!(stages(&rows, "rows"), BTreeSet::from(["total", "decode", "rows", "clusters"]));
}

#[test]
fn clusters_of_a_file_are_written_by_any_variant() {
    let folder = folder();
    folder.write("c.cases", CASES);
    for flags in ["", "--variant rows", "--variant published --device cpu --threads 1"] {
        let line = format!("cluster-finder --input c.cases --clusters c.csv {flags}");
        folder.bench(line).exits(0).says("3 clusters written to c.csv");
        assert_eq!(folder.read("c.csv"), format!("{HEADER}\n{CLUSTERS}"), "{flags}");
    }
}

#[test]
fn clusters_have_the_labels_of_their_samples_once() {
    let folder = folder();
    let labelled = "case a\nsector 0\nframe 40\nd 0 20 5 900 7 8\nd 0 20 6 300 8 9223372036854775815\n\
        d 0 21 5 200 9\nd 3 40 20 800\nend\n";
    folder.write("c.cases", labelled);
    let labels_of = |flags: &str| {
        folder.bench(format!("cluster-finder --input c.cases --clusters c.csv {flags}")).exits(0);
        let text = folder.read("c.csv");
        let labels = text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap_or(""));
        labels.map(str::to_owned).collect::<Vec<_>>()
    };
    for variant in ["published", "rows"] {
        assert_eq!(labels_of(&format!("--variant {variant}")), ["7 8 9", ""], "{variant}");
    }
    for variant in on_emulator() {
        let flags = format!("--variant {variant} --device emulator");
        assert_eq!(labels_of(&flags), ["7 8 9", ""], "{variant} on the emulator");
    }
    let mut labels = labels_of("--variant unordered-set");
    let mut first: Vec<_> = labels[0].split(' ').collect();
    first.sort_unstable();
    assert_eq!(first, ["7", "8", "9"]);
    assert_eq!(labels.pop().as_deref(), Some(""));
    assert_eq!(labels_of("--labels none"), ["", ""]);
}

#[test]
fn labels_of_generated_charges_are_collected_and_give_the_quality_of_clusters() {
    let Some(folder) = measuring() else { return };
    let line = "cluster-finder --sectors 1 --orbits 1 --occupancy 0.02 --threads 1";
    let rows =
        folder.measure(format!("{line} --truth tracks --device cpu --samples 3..4 --max-time 1s"));
    assert_eq!(variants(&rows), BTreeSet::from(ALL));
    let expected = BTreeSet::from(["total", "rows", "clusters", "flatten"]);
    assert_eq!(stages(&rows, "rows"), expected);
    let total = row(&rows, "rows");
    for (figure, least) in [("purity", 0.5), ("label_efficiency", 0.9)] {
        let value = total.metrics.number(figure).expect("it is known");
        assert!((least..=1.0).contains(&value), "{figure} {value}");
    }
    assert!(total.metrics.number("fakes").is_some_and(|fakes| fakes < 0.1));
    // All find the same, at one setting.
    folder.has("r/quality.png");
}

#[test]
fn generated_charges_and_their_labels_come_back_from_a_file() {
    let folder = folder();
    let flags = "--sectors 2 --orbits 1 --occupancy 0.005 --truth tracks";
    folder.bench(format!("generate charges {flags} --out c.cases.gz")).exits(0);
    let find = "cluster-finder --input c.cases.gz --clusters";
    folder.bench(format!("{find} published.csv")).exits(0);
    folder.bench(format!("{find} rows.csv --variant rows")).exits(0);
    let clusters = folder.read("published.csv");
    assert!(clusters.lines().count() > 1000);
    // Few clusters of so little are of no particle.
    let labelled = clusters.lines().skip(1).filter(|line| !line.ends_with(','));
    assert_eq!(labelled.count(), clusters.lines().count() - 1);
    assert!(folder.read("rows.csv") == clusters);
}

#[test]
fn a_file_is_a_point_to_be_measured() {
    let Some(folder) = measuring() else { return };
    folder.write("c.cases", CASES);
    let rows = folder.measure(format!("cluster-finder --input c.cases --threads 1 {QUICK}"));
    assert_eq!(row(&rows, "rows").items, 4);
}

#[test]
fn what_clusters_cant_be_found_in_is_refused_by_its_line() {
    let folder = folder();
    folder.write("c.cases", CASES);
    let head = "case a\nsector 0\nframe 100\n";
    let bad = [
        ("outside", "r 0 66 5 100\nend\n", "line 4"),
        ("late", "r 0 5 99 100 100\nend\n", "line 4"),
        ("large", "r 0 5 5 16384\nend\n", "line 4"),
        ("twice", "r 0 5 5 100 7\nr 0 5 6 8\nend\n", "line 5"),
        ("setting", "param qmax 5\nend\n", "qmax_cutoff"),
        ("short", "fragment 16\nend\n", "17"),
        ("cut", "r 0 5 5 100\n", "end"),
    ];
    for (name, lines, says) in bad {
        folder.write(format!("{name}.cases"), format!("{head}{lines}"));
        let line = format!("cluster-finder --input {name}.cases --clusters none.csv");
        folder.bench(line).exits(1).says(name).says(says);
    }
    assert!(!folder.join("none.csv").exists());
    folder.check(
        "
            2 | cluster-finder --input c.cases --clusters c.csv --variant rows,published | one variant
            2 | cluster-finder --input c.cases --clusters c.csv --variant none | there are
            5 | cluster-finder --input c.cases --clusters c.csv --device cuda:9999 | cuda:9999
            2 | cluster-finder --fragment 16 | 17 to 32000
            2 | cluster-finder --labels-per-digit 1001 | use 0 to 1000
            2 | cluster-finder --labels some | --labels
            2 | generate charges --out charges.csv | .cases
            2 | cluster-finder --qmax-cutoff 256 | --qmax-cutoff
            2 | cluster-finder --orbits 148 | use 147 orbits or fewer
            2 | tpc --noisy unknown | there are published, lab
            2 | tpc --fragment 32001 | 17 to 32000
            1 | cluster-finder --input missing.cases | missing.cases
        ",
    );
}

/// Clusters found by the experiment's code, as a table.
fn expected(file: &Path) -> String {
    let bytes = fs::read(file).expect("readable");
    let mut text = String::new();
    if file.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("a text");
    } else {
        text = String::from_utf8(bytes).expect("a text");
    }
    let mut name = "";
    let mut table = format!("{HEADER}\n");
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("case", of_case)) => name = of_case,
            Some(("c", cluster)) => {
                let fields: Vec<_> = cluster.splitn(9, ' ').collect();
                let labels = fields.get(8).unwrap_or(&"");
                table += &format!("{name},{},{labels}\n", fields[..8].join(","));
            }
            _ => {}
        }
    }
    table
}

fn have_clusters(folder: &Folder, origin: &Path, names: &[&str]) {
    for name in names {
        let file = origin.join(name);
        let path = file.to_str().expect("text");
        folder.bench(format!("cluster-finder --input {path} --clusters c.csv")).exits(0);
        assert!(folder.read("c.csv") == expected(&file), "{name}");
    }
}

#[test]
fn files_of_the_experiment_have_its_clusters() {
    have_clusters(&folder(), &fixtures("tpc-clusters"), &["random.cases.gz"]);
}

#[test]
fn files_of_the_experiment_have_its_clusters_in_full() {
    let Some(origin) = full_set("tpc/clusters") else { return };
    let folder = folder();
    let names = ["handmade.cases", "random.cases.gz", "pbpb-s3.cases.gz", "labels-s3.cases.gz"];
    have_clusters(&folder, &origin, &names);
    let file = origin.join("labels-s3.cases.gz");
    let path = file.to_str().expect("text");
    // Labels by the host and by the device; lists of peaks make no difference to them.
    for variant in on_emulator().iter().filter(|name| ["published", "fused"].contains(name)) {
        let line = format!("cluster-finder --input {path} --clusters c.csv --variant {variant}");
        folder.bench(format!("{line} --device emulator")).exits(0);
        assert!(folder.read("c.csv") == expected(&file), "{variant} on the emulator");
    }
}

const FIGURES: [&str; 7] =
    ["efficiency", "ghosts", "split", "merged", "pad_residual", "time_residual", "charge_residual"];
const ONE: &str = "--variant rows,published --device cpu --threads 1 --samples 3..4 --max-time 1s";

#[test]
fn clusters_of_generated_charges_are_judged_and_drawn_over_the_occupancy() {
    let Some(folder) = measuring() else { return };
    let input = "--sectors 1 --orbits 1 --occupancy 0.01,0.07 --format markdown=r.md";
    let rows = folder.measure(format!("cluster-finder {input} {ONE}"));
    let totals: Vec<_> = rows.iter().filter(|row| row.stage == "total").collect();
    assert_eq!(totals.len(), 4);
    for row in &totals {
        for figure in FIGURES {
            let value = row.metrics.number(figure).expect("a figure");
            assert!((0.0..=1.0).contains(&value), "{figure}: {value}");
        }
    }
    let efficiencies = |occupancy: &str| -> Vec<_> {
        let of = totals.iter().filter(|row| row.params.get("occupancy") == Some(occupancy));
        of.filter_map(|row| row.metrics.number("efficiency")).collect()
    };
    let few = efficiencies("0.01");
    let many = efficiencies("0.07");
    assert!(few.len() == 2 && few[0] == few[1] && few[0] > many[0], "{few:?} {many:?}");
    let table = folder.read("r.md");
    assert!(table.contains("| variant | efficiency | ghosts | merged | split |"), "{table}");
    folder.has("r/quality-over-occupancy.png");
}

#[test]
fn charges_of_a_file_have_no_truth() {
    let Some(folder) = measuring() else { return };
    folder.write("c.cases", "case one\nsector 0\nframe 100\nr 0 30 50 160 480 160\nend\n");
    let rows = folder.measure(format!("cluster-finder --input c.cases --no-charts {ONE}"));
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row.metrics.number("efficiency").is_none()));
}

const LABELLED: &str = "--sectors 2 --orbits 1 --occupancy 0.01";

/// A folder with pages, their index and their labels.
fn with_labels(truth: &str) -> Folder {
    let folder = folder();
    let run = folder.bench(format!("generate tpc {LABELLED} {truth} --out f.pages"));
    run.exits(0).says("labels written to f.labels");
    folder
}

/// Rows and labels of all clusters.
fn clusters(folder: &Folder, flags: &str) -> Vec<(String, String)> {
    let line = format!("cluster-finder {flags} --clusters c.csv");
    folder.bench(line).exits(0);
    let text = folder.read("c.csv");
    let row = |line: &str| {
        let (cluster, labels) = line.rsplit_once(',').expect("columns");
        (cluster.to_owned(), labels.to_owned())
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn clusters_of_pages_have_the_labels_of_the_same_charges() {
    for truth in ["--truth tracks", "--truth made-up --labels-per-digit 2.3"] {
        let folder = with_labels(truth);
        let line = format!("generate charges {LABELLED} {truth} --gain unit --out c.cases");
        folder.bench(line).exits(0);
        let of_pages = clusters(&folder, "--input f.pages");
        assert!(of_pages.len() > 1_000, "{}", of_pages.len());
        assert!(of_pages.iter().any(|(_, labels)| labels.contains(' ')));
        assert!(of_pages == clusters(&folder, "--input c.cases"), "{truth}");
        assert!(of_pages == clusters(&folder, "--input f.pages --variant rows"), "{truth}");
        let second = clusters(&folder, "--input f.pages --sector 1");
        assert!(!second.is_empty() && second.iter().all(|row| of_pages.contains(row)));
        let unlabelled = clusters(&folder, "--input f.pages --labels none");
        assert!(unlabelled.iter().all(|(_, labels)| labels.is_empty()));
        assert_eq!(unlabelled.len(), of_pages.len());
    }
}

#[test]
fn labels_that_are_not_of_the_pages_are_refused_with_their_position() {
    let folder = with_labels("--truth tracks");
    let whole = fs::read(folder.join("f.labels")).expect("written");
    folder.bench("generate tpc --sectors 3 --orbits 1 --occupancy 0.02 --out g.pages").exits(0);
    let refused = |change: &dyn Fn(&mut Vec<u8>), said: &str| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        folder.write("f.labels", &bytes);
        let run = folder.bench("cluster-finder --input f.pages --clusters c.csv");
        run.exits(1).says("f.labels").says(said);
    };
    // The number of the first list of the first sector, and the number of the sector itself.
    refused(&|bytes| bytes[35] = 0xff, "sector 0");
    refused(&|bytes| bytes[16] = 1, "sector 1 is not after 1");
    refused(&|bytes| bytes.truncate(bytes.len() / 2), "ends here");
    refused(&|bytes| bytes[8] = 1, "more data after the last sector");
    folder.write("g.labels", &whole);
    let of_others = folder.bench("cluster-finder --input g.pages --clusters c.csv");
    of_others.exits(1).says("g.labels").says("labels of other pages?");
    let second = "cluster-finder --input g.pages --sector 2 --clusters c.csv";
    folder.bench(second).exits(1).says("g.labels, sector 2");
    assert!(!folder.join("c.csv").exists());
}

#[test]
fn what_pages_and_charges_have_not_in_common_is_refused() {
    let folder = with_labels("--truth tracks");
    let line = format!("generate charges {LABELLED} --out c.cases");
    folder.bench(line).exits(0);
    let mut pages = fs::read(folder.join("f.pages")).expect("written");
    pages[8192 + 100..8192 + 4000].fill(0xff);
    folder.write("damaged.pages", &pages);
    fs::copy(folder.join("f.index.csv"), folder.join("damaged.index.csv")).expect("writable");
    folder.check(
        "
            2 | cluster-finder --input c.cases --sector 1 --clusters c.csv | --sector is about pages
            2 | cluster-finder --input c.cases --qmax-cutoff 3 --clusters c.csv | has its own
            1 | cluster-finder --input damaged.pages --clusters c.csv | damaged
            2 | cluster-finder --input f.pages --fragment 3 --clusters c.csv | --fragment 3
            2 | generate tpc --truth made-up --labels-per-digit 5000 --out p.pages | use 0 to 1000
            2 | generate tpc --truth some --out p.pages | tracks
        ",
    );
}
