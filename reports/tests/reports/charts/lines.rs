//! Lines over an axis, and the speed-up by threads.

use reports::record::SummaryRow;

use super::picture::{colour_of, height_of_tick, lines_of, texts};
use super::rows::{PLACEMENTS, UNPLACED, names, row, svg, threads_sweep};

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
