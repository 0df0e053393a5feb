//! `bench gather`: measured on generated clusters, and on those of a file.

use std::collections::BTreeSet;

use crate::common::{folder, measuring, variants};

const QUICK: &str = "--samples 3..4 --max-time 1s";
const SMALL: &str = "--tracks 500 --row-clusters 4";

#[test]
fn every_variant_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("gather {SMALL} --device cpu --threads 2 {QUICK}"));
    let expected = ["naive", "parallel-bytes", "parallel-pieces", "streamed"];
    assert_eq!(variants(&rows), BTreeSet::from(expected));
    for row in &rows {
        assert_eq!(row.item_unit, "cluster");
        let rate = row.metrics.number("packed_gb_per_s").expect("known");
        // Packed data are read and written.
        let moved = rate * 2e9 * row.median_s.expect("measured");
        assert!((moved / row.bytes_min as f64 - 1.0).abs() < 1e-3, "{row:?}");
    }
    folder.has("r/bars.svg r/bars.png");
}

#[test]
fn clusters_of_a_file_are_gathered() {
    let Some(folder) = measuring() else { return };
    let run = folder.bench(format!("generate clusters {SMALL} --out c.bin"));
    run.exits(0).says("500 tracks with ");
    let line = format!("gather --input c.bin --device cpu --no-charts {QUICK}");
    assert!(!folder.measure(line).is_empty());
}

/// Returns a file of two tracks of two clusters each, and a row with a capacity of four.
fn file(starts: [u32; 2], track_counts: [u16; 2], row_count: u32) -> Vec<u8> {
    const SLOTS: u64 = 8;
    let header = [2, SLOTS, 1, 4].map(u64::to_le_bytes).concat();
    let starts = starts.map(u32::to_le_bytes).concat();
    let rows = row_count.to_le_bytes().to_vec();
    let counts = track_counts.map(u16::to_le_bytes).concat();
    // 9 bytes more per track, and per cluster slot 15, or 13 in rows.
    let others = vec![0; 2 * 9 + 8 * 15 + 4 * 13];
    [b"TPCCLUS1".to_vec(), header, starts, rows, counts, others].concat()
}

#[test]
fn pieces_that_make_no_sense_are_refused_with_their_number_and_the_reason() {
    let folder = folder();
    let gather = |bytes: &[u8]| {
        folder.write("c.bin", bytes);
        folder.bench("verify gather --input c.bin --device cpu --quiet")
    };
    gather(&file([6, 0], [2, 2], 4)).exits(0);
    let beyond = "track 0: 2 clusters from slot 7 on exceed the 8 slots";
    let full = "row 0 has 5 clusters, but a capacity of 4";
    for (bytes, reason) in [
        (file([1, 0], [2, 2], 4), "tracks 1 and 0 overlap at slot 1"),
        (file([7, 0], [2, 2], 4), beyond),
        (file([6, 0], [2, 0], 4), "track 1 has no clusters"),
        (file([6, 0], [2, 2], 5), full),
    ] {
        gather(&bytes).exits(1).says("c.bin").says(reason);
    }
}

#[test]
fn clusters_that_can_not_be_gathered_are_refused() {
    let folder = folder();
    folder.write("d.bin", b"TPCCLUS1");
    folder.check(
        "
            2 | generate clusters --scale 0 --out c.bin | --scale
            2 | generate clusters --tracks 0 --out c.bin | --tracks
            2 | generate clusters --fewest 9 --most 8 --out c.bin | --fewest
            2 | generate clusters --tracks 5 --out c.csv | use .bin
            1 | gather --input d.bin | d.bin, byte 8: the file ends here
            1 | gather --input none.bin | none.bin
        ",
    );
}
