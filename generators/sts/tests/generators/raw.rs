//! Raw data of simulated digis, and files of raw data, of digis unpacked from them, and of tables of
//! unpackers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use generators_common::DataError;
use generators_common::random::mix;
use generators_sts::Digi;
use generators_sts::io::{
    read_raw_timeslices, read_readout, read_unpacked, write_raw_timeslices, write_readout,
    write_unpacked,
};
use generators_sts::physics::Preset;
use generators_sts::raw::{
    Cabling, Descriptor, EpochOrder, Kind, Message, MicrosliceCounts, RawData, RawShape,
    RawTimeslice, Rules, TimesliceCounts, Unpacked, damaged, generate,
};
use serde::Deserialize;
use tempfile::tempdir;

use super::experiments::{fixtures, full_set};

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
    let scenario = generators_sts::physics::Scenario { timeslice_ns: 200_000, ..longer.scenario };
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

/// Two timeslices, of which the first has no components.
fn raw_data() -> RawData {
    let mut data = RawData::default();
    data.push_timeslice(RawTimeslice { index: 1, start_ns: 7, core_microslices: 0 });
    data.push_timeslice(RawTimeslice { index: 2, start_ns: 8, core_microslices: 1 });
    let descriptor = Descriptor { size: 5, ..Descriptor::of_sts(0x1002, 8) };
    let block = [&descriptor.to_bytes()[..], &[1, 2, 3, 4, 5, 6]].concat();
    data.push_component(1, &block).expect("fits");
    data.push_component(1, &block[..37]).expect("fits");
    data
}

fn unpacked() -> Unpacked {
    let counts = |microslices, digis: u64| TimesliceCounts {
        components: microslices,
        microslices,
        bytes_in: 40,
        bytes_out: 8 * digis,
        bad_version: 1,
        bad_equipment: 2,
    };
    let microslice = MicrosliceCounts { digis: 3, other: 4, elink: 5, ..Default::default() };
    Unpacked {
        timeslices: vec![counts(0, 0), counts(1, 3)],
        microslices: vec![microslice],
        digis: [9, 1, u64::MAX].map(Digi::from_bits).into(),
    }
}

/// Checks that every cut or change is refused with its location.
fn refuses_damage<T>(whole: &[u8], read: impl Fn(&Path) -> Result<T, DataError>, changed: usize) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("damaged.bin");
    let error = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        read(&path).err().expect("damaged").to_string()
    };
    for length in 0..whole.len() {
        let problem = error(&whole[..length]);
        assert!(problem.contains(&format!("byte {length}: the file ends here")), "{problem}");
    }
    assert!(error(&[whole, b"x"].concat()).contains("more data after the last timeslice"));
    let mut other = whole.to_vec();
    other[7] = b'2';
    assert!(error(&other).contains("the magic is"), "{}", error(&other));
    other[7] = b'1';
    other[changed] ^= 0x80;
    let problem = error(&other);
    assert!(problem.contains("damaged.bin, byte "), "{problem}");
}

#[test]
fn raw_data_are_read_back_and_damage_is_reported() {
    let folder = tempdir().expect("a folder");
    for name in ["ts.bin", "ts.bin.gz"] {
        let path = folder.path().join(name);
        write_raw_timeslices(&path, &raw_data()).expect("written");
        assert_eq!(read_raw_timeslices(&path).expect("read"), raw_data());
    }
    let whole = fs::read(folder.path().join("ts.bin")).expect("read");
    let size_of_content = whole.len() - 5 - 12;
    refuses_damage(&whole, read_raw_timeslices, size_of_content);
    let error = write_raw_timeslices(Path::new("ts.csv"), &raw_data()).expect_err("no text");
    assert!(error.to_string().contains("raw data can't be written as text"), "{error}");
}

#[test]
fn digis_are_read_back_and_damage_is_reported() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("digis.bin");
    for rules in Rules::ALL {
        write_unpacked(&path, &unpacked(), rules).expect("written");
        assert_eq!(read_unpacked(&path).expect("read"), (unpacked(), rules));
    }
    let whole = fs::read(&path).expect("read");
    let a_digi = whole.len() - 16;
    refuses_damage(&whole, read_unpacked, a_digi);
}

fn unzipped(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = MultiGzDecoder::new(fs::File::open(path).expect("a fixture"));
    file.read_to_end(&mut bytes).expect("compressed");
    bytes
}

#[test]
fn files_of_the_experiment_come_back_byte_by_byte() {
    let raw = ["tiny.ts", "tiny.ts2023", "long.ts"];
    let digis = ["tiny.digis2026", "tiny.digis2023", "long.digis2026"];
    come_back_byte_by_byte(&fixtures("sts-unpack"), &raw, &digis);
}

#[test]
fn files_of_the_experiment_come_back_byte_by_byte_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    let raw = ["tiny.ts", "tiny.ts2023", "mcbm.ts", "dense.ts", "fuzz.ts", "long.ts"];
    let digis = ["tiny.digis2026", "tiny.digis2023", "mcbm.digis2023", "long.digis2026"];
    come_back_byte_by_byte(&folder, &raw, &digis);
}

fn come_back_byte_by_byte(origin: &Path, raw: &[&str], digis: &[&str]) {
    let folder = tempdir().expect("a folder");
    let again = folder.path().join("again.bin");
    for name in raw {
        let path = origin.join(format!("{name}.bin.gz"));
        write_raw_timeslices(&again, &read_raw_timeslices(&path).expect("read")).expect("written");
        assert!(fs::read(&again).expect("read") == unzipped(&path), "{name}");
    }
    for name in digis {
        let path = origin.join(format!("{name}.bin.gz"));
        let (unpacked, rules) = read_unpacked(&path).expect("read");
        write_unpacked(&again, &unpacked, rules).expect("written");
        assert!(fs::read(&again).expect("read") == unzipped(&path), "{name}");
    }
}

#[test]
fn tables_of_the_experiment_come_back() {
    tables_come_back(&fixtures("sts-unpack"), &["tiny", "long"]);
}

#[test]
fn tables_of_the_experiment_come_back_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    tables_come_back(&folder, &["tiny", "mcbm", "dense", "fuzz", "long"]);
}

fn tables_come_back(origin: &Path, names: &[&str]) {
    let folder = tempdir().expect("a folder");
    let again = folder.path().join("again.json");
    for name in names {
        let readout = read_readout(&origin.join(format!("{name}.setup.json"))).expect("read");
        write_readout(&again, &readout).expect("written");
        assert_eq!(read_readout(&again).expect("read"), readout);
        assert_eq!(readout.boards().len(), 5);
        assert!(readout.boards().values().all(|elinks| elinks.len() == 42));
    }
}

#[test]
fn invalid_tables_are_reported_with_their_location() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("bad.json");
    let error = |text: &str| {
        fs::write(&path, text).expect("written");
        read_readout(&path).expect_err("senseless").to_string()
    };
    let elink = "[[0,0,0,0,0,1,1,[],0]]";
    let no_table = error(&format!("{{\"walk_tables\":[],\n\"elinks\":{{\"0x1\":{elink}}}}}"));
    assert!(no_table.contains("elinks.0x1[0] has walk table 0; there are 0"), "{no_table}");
    assert!(error("{\"walk_tables\":[]}").contains("missing field `elinks`"));
    let short = error("{\"walk_tables\":[],\n\"elinks\":{\"0x1\":[[0,0,0]]}}");
    assert!(short.contains("bad.json, line 2, elinks.0x1[0]"), "{short}");
}
