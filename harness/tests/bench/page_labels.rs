//! Labels next to raw pages: `bench generate tpc --truth`, and `bench cluster-finder` of pages.

use std::fs;

use crate::common::{Folder, folder};

const SMALL: &str = "--sectors 2 --orbits 1 --occupancy 0.01";

/// A folder with pages, their index and their labels.
fn with_labels(truth: &str) -> Folder {
    let folder = folder();
    let run = folder.bench(format!("generate tpc {SMALL} {truth} --out f.pages"));
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
        let line = format!("generate charges {SMALL} {truth} --gain unit --out c.cases");
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
    let line = format!("generate charges {SMALL} --out c.cases");
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
