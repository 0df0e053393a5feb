//! Charts of lines: time over an axis, where a GPU breaks even, and the links to GPUs.

use reports::charts::draw_links;
use reports::record::{CEILINGS_VERSION, CeilingsRecord, LinkPoint, SummaryRow};
use reports::store::{claim_ceilings, write_ceilings};

use super::rows::{
    PLACEMENTS, UNPLACED, colour_of, height_of_tick, lines_of, names, row, svg, texts,
    threads_sweep,
};
use crate::common;

#[test]
fn the_speedup_has_its_position_on_the_axis() {
    // Twice as fast with four threads and five times with twenty-five: the square root.
    let rows = threads_sweep(&[1, 4, 25], &UNPLACED, |t| 8e-3 / (t as f64).sqrt());
    assert!(names(&rows).contains(&"time-over-threads".to_owned()));
    let text = svg(&rows, "speedup-over-threads");
    let line = &lines_of(&text, &colour_of(&text, "slow"))[0];
    let expected = ["1 ×", "2 ×", "5 ×"].map(|label| height_of_tick(&text, label));
    for ((_, y), expected) in line.iter().zip(expected) {
        assert!((y - expected).abs() <= 1.0, "{y} and not {expected}");
    }
    let texts = texts(&text);
    assert!(texts.contains(&"sort: speed-up over 1 thread".to_owned()));
    let all = texts.join(" ");
    assert!(all.contains("ratios of the ends of the two 95 % confidence intervals"));
}

#[test]
fn the_ideal_is_what_a_perfect_variant_follows() {
    let rows = threads_sweep(&[1, 2, 4, 8, 16], &UNPLACED, |t| 8e-3 / t as f64);
    let text = svg(&rows, "speedup-over-threads");
    let line = &lines_of(&text, &colour_of(&text, "slow"))[0];
    let first = line[0];
    let last = line[line.len() - 1];
    let mut ideal: Vec<_> = lines_of(&text, &colour_of(&text, "ideal")).concat();
    // The legend is above the panel.
    ideal.retain(|(_, y)| *y >= last.1 - 1.0);
    assert!(ideal.len() > 20, "dashes");
    let slope = (last.1 - first.1) / (last.0 - first.0);
    for (x, y) in &ideal {
        let expected = first.1 + slope * (x - first.0);
        assert!((y - expected).abs() <= 2.0, "{y} and not {expected}");
    }
    let right = ideal.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    assert!((last.0 - right).abs() <= 10.0);
}

#[test]
fn each_placement_has_a_line_in_the_panel_of_its_variant() {
    let rows = threads_sweep(&[1, 2, 4, 8], &PLACEMENTS, |t| 8e-3 / t as f64);
    for chart in ["time-over-threads", "speedup-over-threads"] {
        let text = svg(&rows, chart);
        for title in ["fast", "slow"] {
            let panels = texts(&text).iter().filter(|text| *text == title).count();
            assert_eq!(panels, 1, "{title} in {chart}");
        }
        for placement in ["not placed", "cores close", "sockets spread"] {
            let lines = lines_of(&text, &colour_of(&text, placement));
            let long = lines.iter().filter(|line| line.len() == 4);
            assert_eq!(long.count(), 2, "{placement} in {chart}");
        }
    }
}

#[test]
fn threads_and_segments_have_charts_beside_the_longest_axis() {
    let mut rows = Vec::new();
    for (digis, skew) in [(1, 1), (2, 2), (3, 1)] {
        for segments in [24, 1792] {
            let params = format!("digis={digis};segments={segments};skew={skew}");
            rows.extend([1, 2].map(|threads| SummaryRow { threads, ..row("a", &params, 1e-3) }));
        }
    }
    let expected = [
        "winners",
        "bars",
        "time-over-digis",
        "time-over-segments",
        "time-over-threads",
        "speedup-over-threads",
    ];
    assert_eq!(names(&rows), expected);
}

#[test]
fn words_are_no_axis_for_a_line() {
    let rows = ["random", "sorted"].map(|order| row("a", &format!("order={order}"), 1e-3));
    assert_eq!(names(&rows), ["winners", "bars"]);
}

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A row at a size with this time in seconds.
fn at(digis: u64, device: &str, stage: &str, seconds: f64) -> SummaryRow {
    SummaryRow {
        stage: stage.into(),
        device: device.into(),
        items: digis,
        ..row("a", &format!("digis={digis}"), seconds)
    }
}

/// A CPU with 2 ns per digi, and a GPU whose time grows with the root of the digis: they cross at
/// 100 k, and the kernels, twice as fast, at 25 k.
fn rows() -> Vec<SummaryRow> {
    let of_size = |digis: u64| {
        let gpu = 2e-9 * (digis as f64 * 1e5).sqrt();
        [
            at(digis, "cpu", "total", 2e-9 * digis as f64),
            at(digis, "cuda:0", "total", gpu),
            at(digis, "cuda:0", "kernel", gpu / 2.0),
        ]
    };
    SIZES.map(of_size).concat()
}

#[test]
fn lines_cross_where_the_chart_says() {
    let text = svg(&rows(), "break-even");
    let line = |name: &str| {
        let lines = lines_of(&text, &colour_of(&text, name));
        lines.into_iter().next().expect("a line")
    };
    let cpu = line("fastest on the CPU");
    for (name, decades) in [
        ("fastest on the GPU, end to end", 2.0),
        ("fastest on the GPU, kernels only", 4f64.recip().log10() + 2.0),
    ] {
        let gpu = line(name);
        assert_eq!((cpu.len(), gpu.len()), (4, 4));
        let dashes = lines_of(&text, &colour_of(&text, name));
        let decade = cpu[1].0 - cpu[0].0;
        let expected = cpu[0].0 + decades * decade;
        let upright = dashes.iter().filter(|line| line.len() == 2 && line[0].0 == line[1].0);
        let near = upright.filter(|line| (line[0].0 - expected).abs() <= 1.0);
        assert!(near.count() > 20, "{name}: dashes at {expected}");
    }
    let texts = texts(&text);
    assert!(texts.contains(&"100 k".to_owned()) && texts.contains(&"25 k".to_owned()));
    let all = texts.join(" ");
    assert!(all.contains("from 100 k digis on"), "{all}");
}

#[test]
fn without_kernels_there_is_one_line_less() {
    let mut rows = rows();
    rows.retain(|row| row.stage == "total");
    let all = texts(&svg(&rows, "break-even")).join(" ");
    assert!(!all.contains("kernels only"), "{all}");
    assert!(all.contains("the GPU wins end to end"), "{all}");
}

#[test]
fn one_side_alone_has_no_such_chart() {
    for device in ["cpu", "cuda:0"] {
        let mut rows = rows();
        rows.retain(|row| row.device == device);
        let names = names(&rows);
        assert!(!names.iter().any(|name| name.contains("break-even")), "{names:?}");
    }
}

#[test]
fn bars_are_drawn_by_the_whole_and_by_kernels() {
    let rows: Vec<SummaryRow> = rows().into_iter().filter(|row| row.items == SIZES[1]).collect();
    let said = |name: &str| texts(&svg(&rows, name)).join(" ");
    let total = said("bars");
    let kernel = said("bars-kernel");
    assert!(total.contains("(end to end)") && total.contains("63.2 µs"), "{total}");
    assert!(kernel.contains("(kernels)") && kernel.contains("31.6 µs"), "{kernel}");
    assert!(kernel.contains("without copies"), "{kernel}");
    // Variants on the host have no copies: the same bar in both.
    assert!(total.contains("20.0 µs") && kernel.contains("20.0 µs"));
    let without = names(&rows[..1]);
    assert!(!without.iter().any(|name| name.starts_with("bars-")), "{without:?}");
}

/// A link of 50 GB/s with a latency of 5 µs per block, with some kinds of memory slower than
/// others.
fn record(devices: &[&str]) -> CeilingsRecord {
    let series = [
        ("pageable", "h2d", 9e9),
        ("pageable", "d2h", 7e9),
        ("pinned", "h2d", 52e9),
        ("pinned", "d2h", 50e9),
        ("pinned", "both", 84e9),
        ("mapped", "h2d", 45e9),
        ("mapped", "d2h", 48e9),
    ];
    let blocks = (0..10).map(|step| 4096 * 4_u64.pow(step));
    let mut links = Vec::new();
    for device in devices {
        for (memory, direction, rate) in series {
            links.extend(blocks.clone().map(|block_bytes| LinkPoint {
                device: (*device).to_owned(),
                memory: memory.to_owned(),
                direction: direction.to_owned(),
                block_bytes,
                bytes_per_s: (block_bytes as f64 / (5e-6 + block_bytes as f64 / rate)).round(),
            }));
        }
    }
    let run = common::record();
    CeilingsRecord {
        schema_version: CEILINGS_VERSION,
        started: run.started,
        machine_key: run.machine_key,
        machine: run.machine,
        ceilings: run.ceilings,
        links,
        links_at_once: Vec::new(),
        latencies: Default::default(),
        notes: vec![],
    }
}

#[test]
fn each_gpu_has_a_panel_with_a_line_for_each_kind_and_direction() {
    assert_eq!(draw_links(&record(&[])).expect("nothing to draw"), []);
    let [image] = &draw_links(&record(&["cuda:0"])).expect("drawn")[..] else { panic!("several") };
    assert_eq!(image.name, "link-bandwidth");
    for words in ["pageable d2h", "pinned both", "mapped h2d", "GB/s", "block size"] {
        assert!(image.svg.contains(words), "{words}");
    }
    let both = draw_links(&record(&["cuda:0", "cuda:1"])).expect("drawn");
    assert!(both[0].svg.contains("cuda:0") && both[0].svg.contains("cuda:1"));
}

#[test]
fn ceilings_are_written_once_and_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record(&["cuda:0"]);
    write_ceilings(folder.path(), &record).expect("written");
    let text = std::fs::read_to_string(folder.path().join("ceilings.json")).expect("text");
    let read: CeilingsRecord = serde_json::from_str(&text).expect("JSON");
    assert_eq!(read, record);
    let lines = std::fs::read_to_string(folder.path().join("links.csv")).expect("text");
    assert_eq!(lines.lines().count(), 1 + record.links.len());
    assert!(
        lines.starts_with(
            "device,memory,direction,block_bytes,bytes_per_s\ncuda:0,pageable,h2d,4096,"
        )
    );
    let claimed = claim_ceilings(folder.path()).expect_err("there is one");
    assert!(claimed.to_string().contains("--out"), "{claimed}");
    let again = write_ceilings(folder.path(), &record).expect_err("there is one");
    assert!(again.to_string().contains("--out"), "{again}");
}
