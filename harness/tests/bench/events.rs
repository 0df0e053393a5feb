//! `bench events`: measured on simulated digis, and on those of a file.

use std::collections::BTreeSet;

use crate::common::{folder, measuring, variants};

const QUICK: &str = "--samples 3..4 --max-time 1s --no-charts --device cpu --threads 2";
const SMALL: &str = "--preset mcbm-2024 --scale 0.002";

#[test]
fn every_variant_has_a_valid_row_and_a_higher_threshold_has_fewer_events() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("events {SMALL} --min-digis 3,10 {QUICK}"));
    assert_eq!(variants(&rows), BTreeSet::from(["at-distance", "chunks", "published"]));
    let events = |threshold: &str| {
        let rows = rows.iter().filter(|row| row.params.get("min-digis") == Some(threshold));
        let events = rows.map(|row| row.metrics.number("events").expect("known"));
        events.collect::<Vec<_>>()
    };
    let [low, high] = ["3", "10"].map(events);
    assert_eq!([low.len(), high.len()], [3, 3]);
    for (low, high) in low.into_iter().zip(high) {
        assert!(low > high && high > 0.0, "{low} and {high} events");
    }
    assert!(rows.iter().all(|row| row.item_unit == "digi" && row.items > 1000));
}

#[test]
fn events_are_built_of_the_digis_of_a_file() {
    let Some(folder) = measuring() else { return };
    folder.bench(format!("generate sts-physics {SMALL} --out d.csv")).exits(0);
    let rows = folder.measure(format!("events --input d.csv --min-digis 5 {QUICK}"));
    assert_eq!(variants(&rows).len(), 3);
}

#[test]
fn events_are_built_of_the_digis_of_raw_data() {
    let Some(folder) = measuring() else { return };
    folder.bench("generate sts-raw --preset mcbm-2024 --scale 0.0005 --out d.tsa").exits(0);
    let rows = folder.measure(format!("events --input d.tsa --min-digis 5 {QUICK}"));
    assert_eq!(variants(&rows).len(), 3);
    let digis = rows[0].items;
    let unpacked = folder.bench("unpack --input d.tsa --digis d.bin").exits(0);
    unpacked.says(format!("{digis} digis"));
    folder.check(
        "
            2 | events --input d.tsa --input d.tsa --dry-run | 2 timeslices; events are built of one: select it with --take 1
            0 | events --input d.tsa --input d.tsa --skip 1 --dry-run | digis in
            2 | events --input d.tsa --timeslices 5..7 --dry-run | no timeslice to read
            1 | events --input d.tsa --setup none.json | none.json
        ",
    );
}

#[test]
fn what_makes_no_events_is_refused() {
    let folder = folder();
    folder.bench("generate sts --digis 2k --segments 24 --out d.csv").exits(0);
    folder.check(
        "
            2 | events --scale 2 | more than a timeslice
            2 | events --min-digis 5G | --min-digis 5000000000
            2 | events --dead-time 0 --before 2s --after 2s | longer --dead-time
            1 | events --input none.csv | none.csv
            2 | events --input d.csv --take 1 | leave out --take
        ",
    );
}
