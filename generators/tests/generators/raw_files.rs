//! Raw data of the STS, digis that were unpacked, and tables of unpackers as files.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use generators::DataError;
use generators::io::{
    read_raw_timeslices, read_readout, read_unpacked, write_raw_timeslices, write_readout,
    write_unpacked,
};
use generators::sts::Digi;
use generators::sts::raw::{
    Descriptor, MicrosliceCounts, RawData, RawTimeslice, Rules, TimesliceCounts, Unpacked,
};
use tempfile::tempdir;

use crate::experiments::{fixtures, full_set};

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
