//! MDF files that are read, and come back.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use generators_lhcb::io::{cases, mdf};
use generators_lhcb::truth::Particle;
use generators_lhcb::{BankFormat, BankKind, Events};
use tempfile::tempdir;

use crate::fixtures::full_set;
use crate::small;

/// Index of the event in the files of all events.
const FIXTURE_EVENT: usize = 5;
const FIXTURE: &str = "minbias-5.mdf.gz";

fn assert_comes_back(events: &Events) {
    let folder = tempdir().expect("a folder");
    for name in ["events.mdf", "events.mdf.gz"] {
        let path = folder.path().join(name);
        mdf::write(&path, events).expect("written");
        assert!(
            mdf::read(&path, BankKind::SuperPixel).expect("read") == *events,
            "{name} has other events"
        );
    }
}

#[test]
fn events_of_all_formats_come_back() {
    for kind in BankKind::ALL {
        for version in 2..=4 {
            let events = small::events(BankFormat { kind, version }, 3);
            assert!(events.truth().is_some());
            assert_comes_back(&events);
        }
    }
}

#[test]
fn events_without_number_are_named_after_their_index() {
    let all = small::events(BankFormat { kind: BankKind::Retina, version: 3 }, 2);
    let mut events = Events::default();
    for (event, name) in all.iter().zip(["event-0", "01-2"]) {
        let banks: Vec<_> = event.bank_words().collect();
        events.push(name.to_owned(), event.format, &banks, None).expect("valid");
    }
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("events.mdf");
    mdf::write(&path, &events).expect("written");
    let read = mdf::read(&path, BankKind::SuperPixel).expect("read");
    assert_eq!(read.names(), ["event-0", "event-1"]);
    assert_eq!(read.words(), events.words());
    assert!(read.truth().is_none());
}

#[test]
fn incomplete_events_are_not_written() {
    let all = small::events(BankFormat { kind: BankKind::SuperPixel, version: 2 }, 1);
    let banks: Vec<_> = all.event(0).bank_words().take(200).collect();
    let mut events = Events::default();
    events.push("1-2".to_owned(), all.event(0).format, &banks, None).expect("valid");
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("events.mdf");
    let error = mdf::write(&path, &events).expect_err("8 banks are missing").to_string();
    assert_eq!(error, "event 1-2: 200 of 208 banks; MDF files have all of them");
    assert!(!path.exists());
}

#[test]
fn the_experiments_file_has_the_banks_of_the_cases() {
    let Some(folder) = full_set("lhcb/fixtures") else { return };
    let path = folder.join(FIXTURE);
    for (kind, name) in [(BankKind::SuperPixel, "sp"), (BankKind::Retina, "retina")] {
        let events = mdf::read(&path, kind).expect("one event");
        assert_eq!(events.names(), ["6718861-6006"]);
        assert!(events.defects.is_empty(), "{:?}", events.defects);
        let cases = cases::read(&folder.join(format!("minbias-{name}.cases.gz"))).expect("cases");
        let case = cases.event(FIXTURE_EVENT);
        assert_eq!(events.event(0).format, case.format);
        assert!(events.event(0).bank_words().eq(case.bank_words()), "{name}: other banks");
        assert_comes_back(&events);
    }
}

#[test]
fn the_experiments_truth_is_read() {
    let Some(folder) = full_set("lhcb/fixtures") else { return };
    let events = mdf::read(&folder.join(FIXTURE), BankKind::Retina).expect("one event");
    let truth = &events.truth().expect("known")[0];
    let expected = TruthText::new(&folder, FIXTURE_EVENT);
    assert_eq!(truth.particles.len(), expected.particles);
    assert_eq!(truth.vertices, expected.vertices);
    let with_hits: Vec<_> =
        truth.particles.iter().filter(|particle| !particle.velo_ids.is_empty()).collect();
    assert_eq!(with_hits.len(), expected.records.len());
    for particle in with_hits {
        assert_particle(particle, &expected.records[&particle.key]);
    }
}

fn assert_particle(particle: &Particle, record: &[String]) {
    let number = |index: usize| record[index].parse::<f32>().expect("a number");
    assert_eq!(particle.pid.to_string(), record[1]);
    let [x, y, z] = particle.origin;
    let numbers = [particle.p, particle.pt, particle.eta, particle.phi, x, y, z];
    assert_eq!(numbers, std::array::from_fn(|index| number(2 + index)));
    let flags = particle.flags;
    let flags = [
        flags.is_long,
        flags.is_down,
        flags.has_velo,
        flags.has_ut,
        flags.has_scifi,
        flags.from_beauty,
        flags.from_charm,
        flags.from_strange,
        flags.from_signal,
    ];
    let flags: String = flags.map(|flag| if flag { '1' } else { '0' }).iter().collect();
    assert_eq!(flags, record[9]);
    let ids: Vec<_> = particle.velo_ids.iter().map(|id| format!("{id:08x}")).collect();
    assert_eq!(ids, record[record.len() - ids.len()..]);
}

/// Truth of an event as text.
#[derive(Default)]
struct TruthText {
    /// Number of all particles.
    particles: usize,
    vertices: Vec<[f64; 3]>,
    /// Particles with hits by their key.
    records: HashMap<u32, Vec<String>>,
}

impl TruthText {
    fn new(folder: &Path, event: usize) -> Self {
        let compressed = std::fs::read(folder.join("truth.txt.gz")).expect("truth");
        let mut text = String::new();
        GzDecoder::new(&compressed[..]).read_to_string(&mut text).expect("text");
        let mut truth = TruthText::default();
        let start = format!("event {event} ");
        let lines = text.lines().skip_while(|line| !line.starts_with(&start));
        for line in lines.take_while(|line| *line != "end") {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let number = |index: usize| words[index].parse::<f64>().expect("a number");
            match words[0].as_str() {
                "event" => truth.particles = number(4) as usize,
                "pv" => truth.vertices.push([number(2), number(3), number(4)]),
                _ => {
                    truth.records.insert(number(1) as u32, words[1..].to_vec());
                }
            }
        }
        truth
    }
}
