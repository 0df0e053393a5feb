//! Digis as tables of other programs: CSV of several dialects, and Parquet.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use generators_sts::io::{DigiOptions, ReadDigis, read_digis, read_digis_with, write_digis};
use generators_sts::{Address, Digi, DigiShape, Order, SegmentedDigis, Skew, generate};
use std::io::Write;
use tempfile::TempDir;

use crate::experiments::full_set;

/// The digis of all tables here.
fn five() -> SegmentedDigis {
    let first = Address::of_module(0);
    let second = Address::of_module(1);
    SegmentedDigis::from_segments(&[
        vec![Digi::new(first, 5, 1230, 7), Digi::new(first, 6, 1235, 12)],
        vec![Digi::new(second, 0, 2000, 1)],
        vec![Digi::new(first, 900, 1241, 31)],
        vec![Digi::new(second, 1023, 999_999, 16)],
    ])
}

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn with_origin(path: &Path, time_origin: i64) -> Result<ReadDigis, String> {
    let options = DigiOptions { time_origin: Some(time_origin), ..DigiOptions::default() };
    read_digis_with(path, options).map_err(|error| error.to_string())
}

fn read(path: &Path) -> Result<ReadDigis, String> {
    read_digis_with(path, DigiOptions::default()).map_err(|error| error.to_string())
}

/// A text as a file, read.
fn read_text(folder: &TempDir, text: impl AsRef<[u8]>) -> Result<ReadDigis, String> {
    let path = folder.path().join("d.csv");
    fs::write(&path, text).expect("written");
    read(&path)
}

const HEADER: &str = "module,side,channel,time_ns,adc";

/// The times of a table with these, in the order of its rows.
fn times(folder: &TempDir, times: &[&str]) -> Result<(Vec<u32>, Vec<String>), String> {
    let rows: String = times.iter().map(|time| format!("0,0,1,{time},1\n")).collect();
    let read = read_text(folder, format!("{HEADER}\n{rows}"))?;
    Ok((read.digis.digis().iter().map(|digi| digi.time_ns()).collect(), read.notes))
}

fn golden(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(format!("digis-{name}.parquet"))
}

#[test]
fn tables_of_several_programs_give_the_same_digis() {
    let Some(samples) = full_set("formats/samples") else { return };
    let plain = read(&samples.join("digis-plain.csv")).expect("plain");
    assert_eq!((plain.digis, plain.notes.len()), (five(), 0));
    let other = read(&samples.join("digis-other-columns.csv")).expect("other columns");
    assert_eq!(other.digis, five());
    assert_eq!(other.notes, ["columns that were ignored: \"trackid\""]);
    let absolute = samples.join("digis-absolute-times.csv");
    let read_relative = with_origin(&absolute, 10_500_000_000).expect("absolute times");
    assert_eq!((read_relative.digis, read_relative.notes.len()), (five(), 0));
    let notes = read(&absolute).expect("from the earliest time on").notes;
    assert!(
        notes[0].starts_with("times are relative to the earliest, 10500001230 ns"),
        "{notes:?}"
    );
}

#[test]
fn csv_dialects_are_read() {
    let folder = folder();
    let text = "\u{feff}, adc, channel, side, module, time_ns, event\r\n\
                0, 7.0, 5, front, 0, 1230, 1\r\n\
                1, 12, 6, n, 0, 1.235e3, 1\r\n\
                2, 31, 900, p, 0, 1241.0,\"a, b\"\r\n\
                3, 1, 0, 0, 1, 2000.75,\r\n\
                4, 16, 1023, 1.0, 1, 999999, 2\r\n";
    let read = read_text(&folder, text).expect("a dialect");
    assert_eq!(read.digis, five());
    assert_eq!(
        read.notes,
        [
            "columns that were ignored: one without a name, \"event\"",
            "1 time with a fraction of a ns, rounded down",
        ]
    );
}

#[test]
fn other_dialects_are_named() {
    let folder = folder();
    let error = |text: String| read_text(&folder, text).expect_err("refused");
    for (text, expected) in [
        ("module,side,channel,time,adc\n".to_owned(), "without the columns time_ns"),
        (HEADER.replace(',', ";") + "\n0;0;1;1;1\n", "line 1: the header"),
        (HEADER.replace(',', ";") + "\n0;0;1;1;1\n", "instead of semicolons"),
        (format!("# {HEADER}\n0,0,1,1,1\n"), "comments (#) are not read"),
        (format!("{HEADER}\n0,0,1,1,1\n# end\n"), "line 3: comments (#)"),
        (format!("{HEADER}\n0,0,1.5,1,1\n"), "line 2: channel 1.5 is not a whole number"),
        (format!("{HEADER}\n0,0,1,,1\n"), "line 2: time_ns is empty"),
        (format!("{HEADER}\n0,0,1,nan,1\n"), "line 2: time_ns NaN is not a whole number"),
        (format!("{HEADER}\n-1,0,1,1,1\n"), "line 2: module -1 is below 0"),
        (format!("{HEADER}\n0,0,1,9223372036854775808,1\n"), "does not fit 64 bits"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn times_are_relative_to_the_earliest_if_they_have_to_be() {
    let folder = folder();
    let all_fit = times(&folder, &["2147483647", "0", "7"]).expect("31 bits");
    assert_eq!(all_fit, (vec![2_147_483_647, 0, 7], Vec::new()));
    let negative = times(&folder, &["-5", "2"]).expect("hits before the timeslice");
    assert_eq!(negative.0, [0, 7]);
    assert!(negative.1[0].contains("the earliest, -5 ns"), "{negative:?}");
    // Exact, although it is more than floats hold.
    let unix = times(&folder, &["1600000000000000003", "1600000000000000001"]).expect("integers");
    assert_eq!((unix.0, unix.1.len()), (vec![2, 0], 1));
    let extreme = times(&folder, &["9223372036854775807", "9223372036854775800"]).expect("64 bits");
    assert_eq!(extreme.0, [7, 0]);

    let error = times(&folder, &["4", "-1", "2147483647"]).expect_err("more than 31 bits");
    assert!(error.contains("line 4: time_ns 2147483647 is more than 2147483647 ns"), "{error}");
    assert!(error.contains("after -1, the earliest time (line 3); write"), "{error}");
    let ends = ["-9223372036854775808", "9223372036854775807"];
    assert!(times(&folder, &ends).expect_err("all of 64 bits").contains("line 3"));
}

#[test]
fn coarse_times_are_reported() {
    let folder = folder();
    let (_, notes) = times(&folder, &["1.6e18", "1600000000000000256.0"]).expect("floats");
    assert!(notes[1].contains("exact to 256 ns only"), "{notes:?}");
    let (_, notes) = times(&folder, &["9007199254740992.0"]).expect("exact");
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn an_origin_that_is_specified_has_to_fit_all_times() {
    let folder = folder();
    let path = folder.path().join("d.csv");
    fs::write(&path, format!("{HEADER}\n0,0,1,-3,1\n0,0,1,2147483640,1\n")).expect("written");
    let times = |origin| {
        let digis = with_origin(&path, origin)?.digis;
        Ok(digis.digis().iter().map(|digi| digi.time_ns()).collect::<Vec<_>>())
    };
    assert_eq!(times(-3), Ok(vec![0, 2_147_483_643]));
    assert_eq!(times(-7), Ok(vec![4, 2_147_483_647]));
    let before: String = times(0).expect_err("a negative time");
    assert!(before.contains("line 2: time_ns -3 is before the origin 0; specify an earlier"));
    let late = times(-8).expect_err("a late time");
    assert!(late.contains("line 3: time_ns 2147483640 is more than 2147483647 ns after"), "{late}");
    assert!(late.contains("the origin -8; specify a later --time-origin"), "{late}");

    let binary = folder.path().join("d.bin");
    write_digis(&binary, &five()).expect("written");
    assert!(with_origin(&binary, 5).expect_err("binary").contains("leave out --time-origin"));
}

#[test]
fn the_content_shows_the_format() {
    let folder = folder();
    let original = |name: &str| {
        let path = folder.path().join(name);
        write_digis(&path, &five()).expect("written");
        fs::read(path).expect("read")
    };
    for name in ["d.csv", "d.bin", "d.parquet", "d.csv.gz", "d.parquet.gz"] {
        let content = original(name);
        for other in ["renamed", "renamed.csv", "renamed.bin", "renamed.parquet", "renamed.root"] {
            let path = folder.path().join(other);
            fs::write(&path, &content).expect("written");
            assert_eq!(read_digis(&path).expect(name), five(), "{name} as {other}");
        }
    }
    for content in [&b"root\x00\x01"[..], b"", b"x,y\n1,2\n"] {
        let path = folder.path().join("digis.root");
        fs::write(&path, content).expect("written");
        let error = read(&path).expect_err("another format");
        assert!(error.contains("digis.root: unknown file type"), "{error}");
    }
}

#[test]
fn parquet_of_other_programs_is_read() {
    let pandas = read(&golden("pandas")).expect("pandas");
    assert_eq!(pandas.digis, five());
    assert_eq!(pandas.notes, ["columns that were ignored: \"trackid\""]);
    let polars = with_origin(&golden("polars"), 10_500_000_000).expect("polars");
    assert_eq!(polars.digis, five());
    let gap = read(&golden("gap")).expect_err("a null");
    assert!(gap.contains("row 2: time_ns is null"), "{gap}");
}

/// The decoder of this encoding takes more values than the page has.
#[test]
fn parquet_of_split_bytes_is_refused_by_name() {
    let error = read(&golden("split-bytes")).expect_err("another encoding");
    assert!(error.contains("the encoding BYTE_STREAM_SPLIT is not read"), "{error}");
}

#[test]
fn parquet_comes_back_and_many_rows_do() {
    let folder = folder();
    let shape = DigiShape {
        segments: 24,
        digis: 20_000,
        order: Order::Random,
        skew: Skew::Ratio(5.0),
        duplicates: 0.1,
        timeslice_ns: 1 << 31,
    };
    let digis = generate(&shape, 1).expect("sensible");
    for name in ["d.parquet", "d.parquet.gz"] {
        let path = folder.path().join(name);
        write_digis(&path, &digis).expect("written");
        let read = read(&path).expect("read");
        assert!(read.digis == digis && read.notes.is_empty(), "{name}");
    }
}

/// A small file that is written here, and one of another program.
fn parquet_files(folder: &TempDir) -> Vec<Vec<u8>> {
    let own = folder.path().join("own.parquet");
    write_digis(&own, &five()).expect("written");
    [own, golden("polars")].map(|path| fs::read(path).expect("read")).to_vec()
}

#[test]
fn no_cut_through_parquet_goes_unnoticed() {
    let folder = folder();
    let path = folder.path().join("cut.parquet");
    for good in parquet_files(&folder) {
        for end in 0..good.len() {
            fs::write(&path, &good[..end]).expect("written");
            let error = read(&path).expect_err("cut");
            assert!(error.contains("cut.parquet"), "{end}: {error}");
        }
    }
}

#[test]
fn damaged_parquet_is_read_or_refused() {
    let folder = folder();
    let path = folder.path().join("damaged.parquet");
    for good in parquet_files(&folder) {
        for offset in 0..good.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[offset] ^= flip;
                fs::write(&path, &bad).expect("written");
                if let Err(error) = read(&path) {
                    assert!(error.contains("damaged.parquet"), "{offset}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_compressed_table_has_its_line_in_errors() {
    let folder = folder();
    let path = folder.path().join("d.gz");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(format!("{HEADER}\n0,2,1,1,1\n").as_bytes()).expect("packed");
    fs::write(&path, packed.finish().expect("packed")).expect("written");
    let error = read(&path).expect_err("a third side");
    assert!(error.contains("line 2: side \"2\" is neither 0 (front, n) nor 1"), "{error}");
}
