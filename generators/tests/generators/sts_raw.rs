//! Raw data of simulated digis.

use std::collections::BTreeMap;
use std::path::Path;

use generators::io::read_readout;
use generators::random::mix;
use generators::sts::physics::Preset;
use generators::sts::raw::{
    Cabling, EpochOrder, Kind, Message, RawData, RawShape, Rules, damaged, generate,
};
use serde::Deserialize;

use crate::experiments::{fixtures, full_set};

fn shape() -> RawShape {
    RawShape {
        scenario: Preset::Mcbm2024.scenario().scaled(1e-4),
        microslice_ns: 64_000,
        overlap: 1,
        order: EpochOrder::Random,
        with_end: true,
        masked: 0.01,
        with_walk: true,
        damage: 0.0,
    }
}

fn made(shape: &RawShape) -> RawData {
    generate(shape, 1).expect("a sensible shape").0
}

/// A hash of all that is in it.
fn hash(data: &RawData) -> u64 {
    data.bytes().iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)))
}

/// Number of messages of each kind.
fn kinds(data: &RawData) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for (_, components) in data.timeslices() {
        for component in components {
            for descriptor in component.descriptors() {
                for &word in component.content(&descriptor).as_chunks().0 {
                    let message = Message::from_bytes(word);
                    *kinds.entry(format!("{:?}", message.kind())).or_default() += 1;
                }
            }
        }
    }
    kinds
}

#[test]
fn the_same_seed_makes_the_same_bytes() {
    let data = made(&shape());
    assert_eq!((data.len(), data.microslices()), (1, 5 * (4 + 1)));
    assert_eq!(hash(&data), GOLDEN, "{:#x}", hash(&data));
    assert_ne!(hash(&generate(&shape(), 2).expect("sensible").0), GOLDEN);
}

const GOLDEN: u64 = 0xfd87_1bc6_7cf2_1ec2;

#[test]
fn hits_of_an_epoch_come_in_any_order_that_is_wanted() {
    let orders = EpochOrder::ALL.map(|order| RawShape { order, ..shape() });
    let all = orders.map(|shape| made(&shape));
    assert!(all[0] != all[1] && all[1] != all[2]);
    assert_eq!(kinds(&all[0]), kinds(&all[1]));
    for (_, components) in all[1].timeslices() {
        for component in components {
            let contents = component.descriptors().map(|it| component.content(&it));
            for content in contents {
                let words = content.as_chunks().0.iter();
                let messages = words.map(|&word| Message::from_bytes(word));
                let messages: Vec<_> = messages.collect();
                let epochs = messages.split(|message| message.kind() == Kind::TsMsb);
                let elinks = |epoch: &[Message]| -> Vec<_> {
                    let hits = epoch.iter().filter(|message| message.kind() == Kind::Hit);
                    hits.map(|hit| hit.elink()).collect()
                };
                assert!(epochs.map(elinks).all(|elinks| elinks.is_sorted()));
            }
        }
    }
}

#[test]
fn microslices_of_neighbours_lie_at_the_end() {
    let longer = RawShape { scenario: Preset::Mcbm2024.scenario().scaled(2.0 / 20.0), ..shape() };
    let scenario = generators::sts::physics::Scenario { timeslice_ns: 200_000, ..longer.scenario };
    let data = made(&RawShape { scenario, overlap: 2, ..longer });
    let [first, second] = [0, 1].map(|number| {
        let (timeslice, mut components) = data.timeslices().nth(number).expect("two timeslices");
        (timeslice, components.next().expect("boards"))
    });
    assert_eq!(first.0.core_microslices, 4);
    for number in 0..2 {
        let end = first.1.descriptor(4 + number);
        let begin = second.1.descriptor(number);
        assert_eq!((end.index, end.size), (begin.index, begin.size));
        assert_eq!(first.1.content(&end), second.1.content(&begin));
    }
}

#[test]
fn damage_is_of_all_kinds_and_leaves_the_rest() {
    let whole = made(&shape());
    let harmed = damaged(&whole, 0.1, 1);
    assert_eq!((harmed.len(), harmed.microslices()), (whole.len(), whole.microslices()));
    assert!(harmed.messages() < whole.messages());
    let before = kinds(&whole);
    let after = kinds(&harmed);
    assert!(after.len() > before.len(), "{before:?} {after:?}");
    let differ = whole.bytes().iter().zip(harmed.bytes()).filter(|(one, other)| one != other);
    let share = differ.count() as f64 / whole.bytes().len() as f64;
    assert!((0.02..0.2).contains(&share), "{share}");
    assert!(made(&RawShape { damage: 0.1, ..shape() }) == harmed);
}

#[test]
fn invalid_shapes_are_refused_with_the_fix() {
    let refused = |change: fn(&mut RawShape)| {
        let mut shape = shape();
        change(&mut shape);
        generate(&shape, 1).expect_err("senseless").to_string()
    };
    assert!(refused(|shape| shape.microslice_ns = 0).contains("use 1 ns or more"));
    assert!(refused(|shape| shape.overlap = 5).contains("use 4 at most"));
    assert!(refused(|shape| shape.masked = 1.5).contains("masked channels"));
    assert!(refused(|shape| shape.damage = f64::NAN).contains("damage"));
}

#[derive(Deserialize)]
struct Fixture {
    readout: Cabling,
}

#[test]
fn cabling_gives_the_tables_of_the_experiment() {
    cabling_gives_the_tables(&fixtures("sts-unpack"), &["tiny", "long"]);
}

#[test]
fn cabling_gives_the_tables_of_the_experiment_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    cabling_gives_the_tables(&folder, &["tiny", "mcbm", "dense", "fuzz", "long"]);
}

fn cabling_gives_the_tables(folder: &Path, names: &[&str]) {
    for name in names {
        let path = folder.join(format!("{name}.setup.json"));
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let Fixture { readout: cabling } = serde_json::from_str(&text).expect("well-formed");
        let expected = read_readout(&path).expect("well-formed");
        let found = cabling.readout(expected.walk_tables().to_vec()).expect("sensible");
        for &board in expected.boards().keys() {
            for rules in Rules::ALL {
                let Some(right) = expected.links(rules, board) else { continue };
                let found = found.links(rules, board).expect("known");
                for (found, right) in found.iter().zip(&right) {
                    assert_eq!(found.elink.address, right.elink.address, "{name}");
                    assert_eq!(found.elink.asic, right.elink.asic, "{name}");
                    assert_eq!(found.elink.pulser, right.elink.pulser, "{name}");
                    assert_eq!(found.elink.masked, right.elink.masked, "{name}");
                    assert_eq!(found.walk_ns, right.walk_ns, "{name}");
                }
            }
        }
    }
}
