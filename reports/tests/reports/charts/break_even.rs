//! Crossings of CPU and GPU, read back from the picture.

use reports::record::SummaryRow;

use super::picture::{colour_of, lines_of, texts};
use super::rows::{names, row, svg};

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
