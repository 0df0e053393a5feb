//! Text description of measured bandwidths and latencies.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::iter;

use reports::record::{Bandwidth, CeilingsRecord, Latencies, LinkPoint, LinksAtOnce};
use reports::table::{Side, aligned, aligned_columns};
use reports::units;

use super::describe::INDENT;
use crate::platform;

/// Describes all measurements; empty without any.
pub(super) fn measured(record: &CeilingsRecord) -> String {
    let mut text = String::new();
    if !record.ceilings.is_empty() {
        text.push_str("memory bandwidth, read and write counted:\n");
    }
    let rates = record.ceilings.iter().map(|(source, rates)| [name(source), memory(rates)]);
    text.push_str(&aligned(INDENT, [Side::Left; 2], rates.collect()));
    let devices: BTreeSet<&str> = record.links.iter().map(|p| p.device.as_str()).collect();
    for device in devices {
        let of_device = record.links.iter().filter(|point| point.device == device);
        text.push_str(&links(device, &of_device.collect::<Vec<_>>()));
    }
    text.push_str(&links_at_once(&record.links_at_once));
    for (device, latencies) in &record.latencies {
        text.push_str(&small_things(device, latencies));
    }
    for note in &record.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// `cpu/2` is `2 threads:`.
fn name(source: &str) -> String {
    match source.strip_prefix("cpu/") {
        Some("1") => "1 thread:".to_owned(),
        Some(threads) => format!("{threads} threads:"),
        None => format!("{source}:"),
    }
}

fn memory(bandwidth: &Bandwidth) -> String {
    let mut rates = format!(
        "copy {}, triad {}",
        units::bytes_per_second(bandwidth.copy_bytes_per_s),
        units::bytes_per_second(bandwidth.triad_bytes_per_s),
    );
    if let Some(store) = bandwidth.store_bytes_per_s {
        let _ = write!(rates, ", stores past the caches {}", units::bytes_per_second(store));
    }
    rates
}

/// A line a block size, a column a kind of memory and direction.
fn links(device: &str, points: &[&LinkPoint]) -> String {
    let series = |point: &LinkPoint| (point.memory.clone(), point.direction.clone());
    let mut columns = Vec::new();
    for point in points {
        if !columns.contains(&series(point)) {
            columns.push(series(point));
        }
    }
    let blocks: BTreeSet<u64> = points.iter().map(|point| point.block_bytes).collect();
    let names = columns.iter().map(|(memory, direction)| format!("{memory} {direction}"));
    let mut rows: Vec<Vec<String>> = vec![iter::once(String::new()).chain(names).collect()];
    for block in blocks {
        let rates = columns.iter().map(|column| {
            let is_it = |p: &&&LinkPoint| p.block_bytes == block && series(p) == *column;
            let rate = points.iter().find(is_it).map_or(f64::NAN, |p| p.bytes_per_s);
            units::bytes_per_second(rate)
        });
        rows.push(iter::once(platform::size(block)).chain(rates).collect());
    }
    format!("link of {device}, over the size of blocks:\n{}", with_names_on_the_left(rows))
}

/// Formats rows of a name and numbers, with left-aligned names.
fn with_names_on_the_left(rows: Vec<Vec<String>>) -> String {
    let mut sides = vec![Side::Right; rows.first().map_or(0, Vec::len)];
    if let Some(names) = sides.first_mut() {
        *names = Side::Left;
    }
    aligned_columns(INDENT, &sides, rows)
}

/// A line a GPU and one for all of them, two columns a direction.
fn links_at_once(all: &[LinksAtOnce]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let row = |name: &str, pairs: &mut dyn Iterator<Item = [String; 2]>| {
        iter::once(name.to_owned()).chain(pairs.flatten()).collect::<Vec<_>>()
    };
    let rates = |(alone, at_once)| [alone, at_once].map(units::bytes_per_second);
    let mut names =
        all.iter().map(|links| [format!("{} alone", links.direction), "at once".to_owned()]);
    let mut rows = vec![row("", &mut names)];
    for (number, link) in first.links.iter().enumerate() {
        let of_link = all.iter().filter_map(|links| links.links.get(number));
        let of_link = of_link.map(|link| (link.alone_bytes_per_s, link.at_once_bytes_per_s));
        rows.push(row(&link.device, &mut of_link.map(rates)));
    }
    let sums = all.iter().map(|links| (links.bytes_per_s() / links.share(), links.bytes_per_s()));
    rows.push(row("all", &mut sums.map(rates)));
    let shares = all.iter().map(|links| [String::new(), units::percent(links.share())]);
    rows.push(row("share", &mut shares.into_iter()));
    format!("links alone, and all at once:\n{}", with_names_on_the_left(rows))
}

fn small_things(device: &str, latencies: &Latencies) -> String {
    let lines = [
        ("an empty kernel, waited for", latencies.launch_s),
        ("one of many", latencies.queued_launch_s),
        ("one of many in a graph", latencies.graph_launch_s),
        ("a copy of 8 bytes, waited for", latencies.copy_s),
    ];
    let rows = lines.map(|(what, seconds)| [what.to_owned(), units::seconds(seconds, 3)]);
    format!("small things on {device}:\n{}", aligned(INDENT, [Side::Left; 2], rows.to_vec()))
}

#[cfg(test)]
mod tests {
    use reports::record::SharedLink;

    use super::*;
    use crate::platform::Topology;

    #[test]
    fn all_measurements_are_printed() {
        let mut record = crate::commands::devices::unmeasured(&Topology::this_machine());
        assert_eq!(measured(&record), "");
        let copy_bytes_per_s = 3e9;
        let triad_bytes_per_s = 4e9;
        let bandwidth = Bandwidth { copy_bytes_per_s, triad_bytes_per_s, ..Bandwidth::default() };
        record.ceilings.insert("cpu/1".into(), bandwidth);
        record.ceilings.insert("cuda:0".into(), bandwidth);
        let point = |memory: &str, block_bytes, bytes_per_s| LinkPoint {
            device: "cuda:0".into(),
            memory: memory.into(),
            direction: "h2d".into(),
            block_bytes,
            bytes_per_s,
        };
        record.links = vec![point("pinned", 4096, 1e9), point("mapped", 1 << 20, 2e10)];
        record.notes = vec!["no latency".into()];
        let text = measured(&record);
        for words in ["1 thread:", "copy 3 GB/s", "pinned h2d", "4 KiB", "20 GB/s", "note: no"] {
            assert!(text.contains(words), "{words} in\n{text}");
        }
        let lines: BTreeSet<usize> =
            text.lines().filter(|line| line.contains("iB ")).map(str::len).collect();
        assert_eq!(lines.len(), 1, "columns line up:\n{text}");
    }

    #[test]
    fn long_names_run_into_no_figure() {
        let mut record = crate::commands::devices::unmeasured(&Topology::this_machine());
        let bandwidth = Bandwidth { copy_bytes_per_s: 3e9, ..Bandwidth::default() };
        record.ceilings.insert("wgpu:0+checked".into(), bandwidth);
        record.links = vec![LinkPoint {
            device: "cuda:0".into(),
            memory: "write-combined".into(),
            direction: "h2d".into(),
            block_bytes: 4096,
            bytes_per_s: 1e9,
        }];
        let text = measured(&record);
        assert!(text.contains("wgpu:0+checked:  copy 3 GB/s"), "{text}");
        assert!(text.contains("  write-combined h2d\n"), "{text}");
    }

    #[test]
    fn links_at_once_are_said_for_each_and_for_all() {
        let link = |number: usize| SharedLink {
            device: format!("cuda:{number}"),
            alone_bytes_per_s: 50e9,
            at_once_bytes_per_s: 30e9,
        };
        let links = |direction: &str| LinksAtOnce {
            direction: direction.to_owned(),
            links: vec![link(0), link(1)],
        };
        assert_eq!(links_at_once(&[]), "");
        let text = links_at_once(&["h2d", "d2h", "both"].map(links));
        let lines: Vec<&str> = text.lines().collect();
        let [_, heading, first, _, all, share] = lines[..] else { panic!("{text}") };
        assert!(first.contains("cuda:0") && first.contains("50 GB/s"), "{text}");
        assert!(all.contains("100 GB/s") && all.contains("60 GB/s"), "{text}");
        assert_eq!(share.matches("60 %").count(), 3, "{text}");
        assert!([first, all, share].iter().all(|line| line.len() == heading.len()), "{text}");
    }
}
