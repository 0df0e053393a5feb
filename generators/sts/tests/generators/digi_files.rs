//! Round trips of digi files, and errors for damaged ones.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use generators_common::DataError;
use generators_sts::io::{read_digis, write_digis};
use generators_sts::{Address, Digi, DigiShape, Order, SegmentedDigis, Skew, generate};

use crate::experiments::{fixtures, full_set};

fn digis() -> SegmentedDigis {
    let shape = DigiShape {
        segments: 24,
        digis: 5000,
        order: Order::Jitter(10),
        skew: Skew::Ratio(5.0),
        duplicates: 0.1,
        timeslice_ns: 1 << 31,
    };
    generate(&shape, 1).expect("a sensible shape")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn error_of(path: &Path, content: &[u8]) -> String {
    fs::write(path, content).expect("written");
    read_digis(path).expect_err("damaged").to_string()
}

#[test]
fn written_files_are_read_back() {
    let folder = folder();
    for name in ["d.csv", "d.bin", "d.csv.gz", "d.bin.gz"] {
        let path = folder.path().join(name);
        write_digis(&path, &digis()).expect("written");
        assert_eq!(read_digis(&path).expect("read"), digis(), "{name}");
    }
}

#[test]
fn csv_columns_are_as_documented() {
    let address = Address::of_module(0);
    let segments = [vec![Digi::new(address, 3, 70, 9)], vec![Digi::new(address, 1023, 5, 31)]];
    let folder = folder();
    let path = folder.path().join("d.csv");
    write_digis(&path, &SegmentedDigis::from_segments(&segments)).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    assert_eq!(text, "module,side,channel,time_ns,adc\n0,0,3,70,9\n0,1,1023,5,31\n");
}

#[test]
fn rows_of_a_csv_may_come_in_any_order_of_segments() {
    let folder = folder();
    let path = folder.path().join("d.csv");
    let text = "module,side,channel,time_ns,adc\n1,back,1,10,1\n0, front, 2,20,2\n1,1,3,5,3\n";
    fs::write(&path, text).expect("written");
    let data = read_digis(&path).expect("read");
    let lengths: Vec<_> = data.partition().lengths().collect();
    assert_eq!(lengths, [1, 0, 0, 2]);
    assert_eq!(data.segment(3)[0].channel(), 1, "file order is kept");
}

#[test]
fn damaged_csv_is_refused_with_its_line() {
    let folder = folder();
    let path = folder.path().join("d.csv");
    let error = |rows: &str| {
        let text = format!("module,side,channel,time_ns,adc\n0,0,1,1,1\n{rows}");
        error_of(&path, text.as_bytes())
    };
    for (rows, expected) in [
        ("0,0,1,1\n", "line 3: 4 fields instead of 5"),
        ("0,0,abc,1,1\n", "line 3: channel \"abc\" is not a whole number"),
        ("0,0,1,2147483649,1\n", "line 3: time_ns 2147483649 is more than 2147483647 ns after 1"),
        ("0,0,1024,1,1\n", "line 3: channel 1024 is above 1023"),
        ("0,0,1,1,32\n", "line 3: adc 32 is above 31"),
        ("0,2,1,1,1\n", "line 3: side \"2\""),
        ("131072,0,1,1,1\n", "line 3: module 131072 is above 131071"),
    ] {
        let error = error(rows);
        assert!(error.contains(expected), "{rows:?}: {error}");
        assert!(error.contains("d.csv"), "names the file: {error}");
    }
    assert!(error_of(&path, b"a,b\n1,2\n").contains("line 1: the header is \"a,b\""));
    assert!(error_of(&path, b"").contains("header"));
    assert!(error_of(&path, b"module,side,channel,time_ns,adc\n").contains("no digis"));
    assert!(error_of(&path, b"\xff\xfe\x00").contains("d.csv"));
}

#[test]
fn damaged_binaries_are_refused_with_their_offset() {
    let folder = folder();
    let path = folder.path().join("d.bin");
    write_digis(&path, &digis()).expect("written");
    let good = fs::read(&path).expect("read");
    let patched = |offset: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[offset..offset + bytes.len()].copy_from_slice(bytes);
        bad
    };
    let first_time = 24 + 4 * 24;
    let first_channel = first_time + 4 * 5000;
    let first_charge = first_channel + 2 * 5000;
    for (bytes, expected) in [
        (patched(0, b"STSHITS1"), "byte 0: the magic is \"STSHITS1\""),
        (patched(8, &[13]), "byte 12: 24 module sides don't fit 13 modules"),
        (patched(16, &[0xff; 8]), "byte 16: the module sides have 5000"),
        (patched(24, &[0xff; 4]), "byte 16: the module sides have"),
        (patched(first_time, &[0xff; 4]), "digi 0, front of module 0: time_ns"),
        (patched(first_channel, &[0, 4]), "digi 0, front of module 0: channel 1024"),
        (patched(first_charge, &[32]), "digi 0, front of module 0: adc 32"),
        ([&good[..], &[0; 9]].concat(), "there is more data after the last column"),
        (b"STS".to_vec(), "byte 3: the file ends here, within its magic"),
        (vec![], "byte 0: the file ends here, within its magic"),
    ] {
        let error = error_of(&path, &bytes);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn no_cut_through_a_binary_goes_unnoticed() {
    let folder = folder();
    let path = folder.path().join("d.bin");
    write_digis(&path, &digis()).expect("written");
    let good = fs::read(&path).expect("read");
    for end in (0..good.len()).step_by(501).chain(0..130) {
        let error = error_of(&path, &good[..end]);
        assert!(error.contains("d.bin"), "cut at {end}: {error}");
    }
}

#[test]
fn a_text_that_is_cut_within_its_last_field_is_refused() {
    let folder = folder();
    let path = folder.path().join("d.csv");
    write_digis(&path, &digis()).expect("written");
    let good = fs::read(&path).expect("read");
    let lines = good.iter().filter(|&&byte| byte == b'\n').count();
    for left_out in 1..4 {
        let error = error_of(&path, &good[..good.len() - left_out]);
        let expected = format!("d.csv: line {lines}: the file ends within this line");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn no_cut_through_a_compressed_file_goes_unnoticed() {
    let folder = folder();
    for name in ["d.csv.gz", "d.bin.gz"] {
        let path = folder.path().join(name);
        write_digis(&path, &digis()).expect("written");
        let good = fs::read(&path).expect("read");
        for end in (10..good.len()).step_by(997).chain(good.len() - 20..good.len()) {
            let error = error_of(&path, &good[..end]);
            assert!(error.contains(name), "cut at {end}: {error}");
        }
        let error = error_of(&path, &good[..good.len() - 1]);
        assert!(error.contains("the compressed data end too early"), "{error}");
    }
}

/// `beginning` and `count` bytes, compressed to about a thousandth.
fn compressed(beginning: &[u8], byte: u8, count: u64) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(beginning).expect("packed");
    io::copy(&mut io::repeat(byte).take(count), &mut packed).expect("packed");
    packed.finish().expect("packed")
}

#[test]
fn a_line_that_does_not_end_is_refused_before_it_fills_the_memory() {
    let folder = folder();
    let path = folder.path().join("d.csv.gz");
    let header = "module,side,channel,time_ns,adc\n";
    for (beginning, byte, line) in
        [("", b'1', 1), (header, b'1', 2), (header, b'"', 2), (&format!("{header}\""), b'\n', 2)]
    {
        let error = error_of(&path, &compressed(beginning.as_bytes(), byte, 64 << 20));
        let expected = format!("d.csv.gz: line {line} is longer than 1048576 characters");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn claims_of_a_header_that_don_t_hold_are_refused_before_all_is_read() {
    let folder = folder();
    let path = folder.path().join("d.bin.gz");
    // Two module sides without digis, and a total of nearly all there can be.
    let header = [&b"STSDIGI1"[..], &1u32.to_le_bytes(), &2u32.to_le_bytes(), &[0xff; 8]].concat();
    let error = error_of(&path, &compressed(&header, 0, 64 << 20));
    assert!(error.contains("byte 16: the module sides have 0 digis"), "{error}");
    // More module sides than there can be.
    let header = [&b"STSDIGI1"[..], &[0xff, 0xff, 0xff, 0x7f], &[0xfe, 0xff, 0xff, 0xff], &[0; 8]];
    let error = error_of(&path, &compressed(&header.concat(), 0, 64 << 20));
    assert!(error.contains("byte 12: 2147483647 modules are more than"), "{error}");
}

#[test]
fn an_odd_number_of_segments_does_not_fit_a_binary() {
    let path = folder().path().join("d.bin");
    let odd = SegmentedDigis::from_segments(&vec![vec![Digi::default()]; 3]);
    let error = write_digis(&path, &odd).expect_err("odd");
    assert!(matches!(error, DataError::Shape(_)));
    assert!(error.to_string().contains("even number"));
}

#[test]
fn files_of_unknown_type_and_missing_files_are_named() {
    let folder = folder();
    let error = error_of(&folder.path().join("digis.root"), b"root");
    assert!(error.contains("digis.root: unknown file type"));
    let error = read_digis(Path::new("/no/such/digis.csv")).expect_err("missing");
    assert!(error.to_string().contains("/no/such/digis.csv"));
}

#[test]
fn a_full_disk_is_an_error() {
    let full = PathBuf::from("/dev/full");
    if !full.exists() {
        eprintln!("skipped: no /dev/full here");
        return;
    }
    let folder = folder();
    for name in ["d.csv", "d.bin", "d.bin.gz"] {
        let path = folder.path().join(name);
        std::os::unix::fs::symlink(&full, &path).expect("linked");
        let error = write_digis(&path, &digis()).expect_err("full");
        assert!(matches!(error, DataError::Io { .. }), "{name}: {error}");
    }
}

#[test]
fn digis_of_the_experiment_are_read() {
    are_read(&fixtures("sts-chain").join("modules.digis.bin.gz"), 90, 19_396);
}

#[test]
fn digis_of_the_experiment_are_read_in_full() {
    let Some(folder) = full_set("sts/fixtures") else { return };
    are_read(&folder.join("full.digis.bin.gz"), 1792, 298_454);
}

/// Checks a file of digis by time, then channel within each module side.
fn are_read(path: &Path, sides: usize, digis: usize) {
    let data = read_digis(path).expect("well-formed");
    assert_eq!(data.partition().segments(), sides);
    assert_eq!(data.digis().len(), digis);
    for segment in data.segments() {
        assert!(segment.is_sorted_by_key(|digi| (digi.time_ns(), digi.channel())));
    }
}
