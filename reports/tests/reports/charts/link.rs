//! The chart of the links to GPUs.

use reports::charts::draw_links;
use reports::record::{CEILINGS_VERSION, CeilingsRecord, LinkPoint};
use reports::store::{claim_ceilings, write_ceilings};

use crate::common;

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
