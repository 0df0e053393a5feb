//! `bench decode`, `merge`, `gather` and `noisy-pads`: measured on generated data, and on those of a
//! file.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{Folder, Run, cells, folder, measuring, stages, variants};

const QUICK: &str = "--samples 3..4 --max-time 1s";
const SHORT: &str = "--samples 3..4 --max-time 200ms";
const PAGES: &str = "--orbits 1 --sectors 2 --occupancy 0.01";
const PAGE: usize = 8192;

/// A folder with a file of two sectors.
fn with_pages() -> Folder {
    let folder = folder();
    let line = format!("generate tpc {PAGES} --zs dense-link --out f.pages");
    folder.bench(line).exits(0);
    folder
}

/// Changes a byte of a page of sector 1: the version in its header at the end.
fn damage(folder: &Folder) {
    let path = folder.join("f.pages");
    let mut bytes = fs::read(&path).expect("pages");
    let last = bytes.len() - 3 * PAGE;
    let page = &mut bytes[last..last + PAGE];
    let used = usize::from(u16::from_le_bytes([page[10], page[11]]));
    page[used - 16] = 9;
    fs::write(&path, bytes).expect("written");
}

fn decode(folder: &Folder, flags: &str) -> Run {
    folder.bench(format!("decode --input f.pages {flags}"))
}

#[test]
fn every_decoder_and_format_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let line = format!("decode --zs row12,link,dense-link {PAGES} --threads 1,2 {SHORT}");
    let rows = folder.measure(line);
    let expected = ["reference", "scalar", "simd"];
    assert_eq!(variants(&rows), BTreeSet::from(expected));
    assert_eq!(rows.len(), 3 * 3 * 2);
    for row in &rows {
        let metric = |name| row.metrics.number(name).expect("known");
        let seconds = row.median_s.expect("measured");
        let ns = metric("ns_per_sample") * row.items as f64;
        assert!((ns * 1e-9 / seconds - 1.0).abs() < 1e-3, "{row:?}");
        let bytes = metric("bytes_per_sample") * row.items as f64;
        let gb_per_s = bytes * 1e-9 / seconds;
        assert!((gb_per_s / metric("page_gb_per_s") - 1.0).abs() < 1e-3);
        assert!(metric("us_per_page") > 0.0);
    }
    folder.has("r/time-and-page.svg r/speedup-over-threads.png");
}

#[test]
fn charge_maps_have_clearing_as_a_stage_of_its_own() {
    let Some(folder) = measuring() else { return };
    let maps = "--output charge-map --fragment 100 --parallel pages --no-charts";
    let rows = folder.measure(format!("decode {maps} {PAGES} {SHORT}"));
    let expected = ["total", "clear", "decode"];
    assert_eq!(stages(&rows, "scalar"), BTreeSet::from(expected));
    // Variants that write complete tiles have no clearing stage.
    assert_eq!(stages(&rows, "simd"), BTreeSet::from(["total"]));
}

#[test]
fn digits_are_written_by_row_pad_and_time_bin() {
    let folder = with_pages();
    decode(&folder, "--sector 1 --digits d.csv").exits(0);
    let text = folder.read("d.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row,pad,time_bin,adc"));
    let number = |field: &str| field.parse::<u32>().expect("a number");
    let rows = lines.map(|line| line.split(',').map(number).collect());
    let rows: Vec<Vec<u32>> = rows.collect();
    assert!(rows.len() > 10_000, "{}", rows.len());
    assert!(rows.windows(2).all(|pair| pair[0][..3] < pair[1][..3]));
}

#[test]
fn damaged_pages_are_counted_or_refused() {
    let folder = with_pages();
    decode(&folder, "--sector 1 --digits whole.csv");
    damage(&folder);
    let run = decode(&folder, "--sector 1 --digits rest.csv").exits(0);
    run.says("version 9 instead of 4");
    // The page before loses what of its last block is in this one.
    run.says("2 of 30 pages are damaged and left out (version 1, continuation 1)");
    let lines = |name: &str| -> BTreeSet<String> {
        let text = folder.read(name);
        text.lines().map(str::to_owned).collect()
    };
    let whole = lines("whole.csv");
    let rest = lines("rest.csv");
    assert!(rest.is_subset(&whole) && rest.len() < whole.len() && rest.len() > whole.len() / 2);
    let strict = decode(&folder, "--sector 1 --strict --digits none.csv");
    strict.exits(1).says("f.pages, byte ");
    assert!(!folder.join("none.csv").exists());
}

#[test]
fn pages_that_can_not_be_decoded_are_refused() {
    let folder = with_pages();
    folder.check(
        "
            2 | decode --input f.pages --digits d.csv | --sector
            2 | decode --input f.pages --sector 36 --digits d.csv | 0 to 35
            1 | decode --input f.pages --sector 7 --digits d.csv | f.index.csv
            2 | decode --input f.pages --zs link --digits d.csv | --zs
            1 | decode --input f.pages --index none.csv --sector 0 --digits d.csv | none.csv
            1 | decode --input f.pages --mapping none --sector 0 --digits d.csv | none
            2 | decode --input f.pages --fragment 16 | 17 to 32000
            2 | decode --strict | --strict
        ",
    );
}

const HEADER: &str = "q_over_pt,zt_min,zt_max,n_clusters,segment_prev,segment_next,\
    neighbour_lower,neighbour_upper,link";

#[test]
fn every_merger_has_a_valid_row_with_stages_and_charts() {
    let Some(folder) = measuring() else { return };
    let line = format!("merge --tracks 3k --device cpu --threads 2 {QUICK}");
    let rows = folder.measure(line);
    let all = BTreeSet::from(["total", "setup", "hook", "jump", "order", "resolve"]);
    for variant in ["components", "petgraph", "shares"] {
        assert_eq!(stages(&rows, variant), all, "{variant}");
    }
    assert_eq!(stages(&rows, "sequential"), BTreeSet::from(["total"]));
    folder.has("r/bars.svg r/bars.png r/stages.svg r/stages.png");
}

#[test]
fn slice_tracks_of_a_file_are_merged() {
    for name in ["t.csv", "t.bin.gz"] {
        let Some(folder) = measuring() else { return };
        let line = format!("generate tracks --tracks 500 --ids shuffled --out {name}");
        folder.bench(line).exits(0);
        let rows = folder.measure(format!("merge --input {name} --device cpu --no-charts {QUICK}"));
        assert!(rows.iter().all(|row| row.items == 500));
    }
}

/// Runs `bench merge` on slice tracks with these relations and links, after the common
/// kinematics.
fn refusal(others: &str) -> Run {
    let folder = folder();
    let lines = others.split_whitespace();
    let lines = lines.map(|others| format!("1,0,1,5,{others}\n"));
    folder.write("t.csv", format!("{HEADER}\n{}", lines.collect::<String>()));
    let run = folder.bench("merge --input t.csv --device cpu --out r");
    assert!(!folder.join("r").exists(), "nothing was measured");
    run.exits(1)
}

#[test]
fn tracks_that_can_not_be_merged_are_refused_with_index_and_reason() {
    // A slice track that nothing holds together with others is -1,-1,-1,-1,-1.
    for case in [
        "-1,-1,-1,-1,-1 -1,-1,-1,-1,2 | slice track 1: link 2 is none of the 2",
        "-1,-1,-1,-1,-1 -1,-1,-1,-1,1 | slice track 1: link is the slice track itself",
        "-1,2,-1,-1,-1 -1,2,-1,-1,-1 0,-1,-1,-1,-1 \
         | slice track 2 is segment_next of both 0 and 1",
        "-1,-1,-1,1,-1 -1,-1,-1,-1,-1 \
         | slice track 0: neighbour_upper is 1, but neighbour_lower of 1 is not 0",
        "1,1,-1,-1,-1 0,0,-1,-1,-1 | slice track 0: following segment_prev leads back to it",
        "-1,-1,1,1,-1 -1,-1,0,0,-1 | slice track 0: following neighbour_lower leads back to it",
        "-1,1,-1,-1,-1 0,-1,-1,2,-1 -1,-1,1,-1,-1 \
         | slice track 1 has a neighbour_upper, but is not the head",
        " | holds no slice tracks",
    ] {
        let [others, reason] = cells(case);
        refusal(others).says("t.csv").says(reason);
    }
}

#[test]
fn numbers_of_slice_tracks_that_can_not_be_are_refused() {
    folder().check(
        "
            2 | generate tracks --tracks 0 --out t.csv | --tracks
            2 | generate tracks --tracks 10 --ids sorted --out t.csv | shuffled
            2 | merge --tracks 0 --device cpu | --tracks
            1 | merge --input none.csv | none.csv
        ",
    );
}

const CLUSTERS: &str = "--tracks 500 --row-clusters 4";

#[test]
fn every_gatherer_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("gather {CLUSTERS} --device cpu --threads 2 {QUICK}"));
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
    let run = folder.bench(format!("generate clusters {CLUSTERS} --out c.bin"));
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

/// Notes are wanted, and no times.
const ONCE: &str = "--variant simd --device cpu --profile";
const MAPS: &str = "--orbits 1 --sectors 1 --rate 1kHz";

#[test]
fn every_search_for_noisy_pads_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let line = format!("noisy-pads {MAPS} --device cpu --threads 2 --no-charts {QUICK}");
    let rows = folder.measure(line);
    assert_eq!(variants(&rows), BTreeSet::from(["scalar", "simd"]));
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row.items, row.item_unit.as_str()), (14_560 * 446, "cell"));
        let seconds = 14_560e-9 * row.metrics.number("ns_per_pad").expect("known");
        let median = row.median_s.expect("measured");
        assert!((seconds / median - 1.0).abs() < 1e-3, "{row:?}");
    }
}

#[test]
fn pages_of_a_file_have_the_noisy_pads_that_were_made() {
    let Some(folder) = measuring() else { return };
    let noisy = "--noisy-pads 0.02 --hot-pads 0.01";
    let line = format!("generate tpc {MAPS} {noisy} --out f.pages");
    folder.bench(line).exits(0);
    let found = |flags: &str| -> u32 {
        let line = format!("noisy-pads --input f.pages --sector 0 {ONCE} {flags}");
        let run = folder.bench(line).exits(0);
        let text = run.stdout + &run.stderr;
        let (before, _) = text.split_once(" of 14560 pads are noisy").expect("a note");
        let number = before.rsplit(char::is_whitespace).next().expect("a number");
        number.parse().expect("a number")
    };
    assert!((240..345).contains(&found("")), "2 %");
    assert_eq!(found("--max-occupancy 1 --max-run 446"), 0);
}
