//! Files as people have them on disk: timeslice archives of FLESnet, pages of ALICE, tables of digis,
//! and any of them on standard input.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::thread::Builder;

use flate2::read::GzDecoder;

use crate::common::alice::{dump, time_frame, time_frame_file};
use crate::common::{Folder, Run, folder};
use crate::experiments::full_set;

const SMALL: &str = "--preset mcbm-2024 --scale 0.0005";

/// Decompressed content of a file.
fn unpacked(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    GzDecoder::new(fs::File::open(path).expect("a file")).read_to_end(&mut content).expect("gzip");
    content
}

/// Digis that `bench unpack` writes, given its input flags.
fn digis(folder: &Folder, input: &str) -> Vec<u8> {
    folder.bench(format!("unpack {input} --digis digis.bin")).exits(0);
    fs::read(folder.join("digis.bin")).expect("written")
}

#[test]
fn archives_give_the_digis_of_the_experiment_in_full() {
    let Some(samples) = full_set("formats/samples") else { return };
    let Some(results) = full_set("sts/unpack") else { return };
    let folder = folder();
    let path = |name: &str| samples.join(name).display().to_string();
    let setup = |name: &str| results.join(format!("{name}.setup.json")).display().to_string();
    let of = |files: &[&str], name: &str| {
        let inputs: Vec<_> = files.iter().map(|file| format!("--input {}", path(file))).collect();
        digis(&folder, &format!("{} --setup {}", inputs.join(" "), setup(name)))
    };
    let fuzz = unpacked(&results.join("fuzz.digis2026.bin.gz"));
    assert!(of(&["fuzz-v1_%n.tsa"], "fuzz") == fuzz);
    assert!(of(&["fuzz-v1_0001.tsa", "fuzz-v1_0000.tsa"], "fuzz") == fuzz);
    let tiny = unpacked(&results.join("tiny.digis2026.bin.gz"));
    assert!(of(&["tiny-v2-zstd.tsa"], "tiny") == tiny);
    let few = unpacked(&samples.join("few.digis2026.bin.gz"));
    assert!(of(&["few-v2.tsa"], "tiny") == few);
    assert!(of(&["few-v2-two-frames.tsa"], "tiny") == few);

    let line = |name: &str| {
        format!("unpack --input {} --setup {} --digis d.bin", path(name), setup("tiny"))
    };
    let cut = folder.bench(line("few-cut.tsa")).exits(0);
    cut.says("5 whole timeslices were read, the next begins at byte");
    folder.bench(format!("{} --strict", line("few-cut.tsa"))).exits(1).says("the file is cut");
    folder.bench(line("example1.tsa")).exits(0).says("4 components of system 0xff passed over");
    for name in ["example1.msa", "example2.msa"] {
        folder.bench(line(name)).exits(1).says("an archive of microslices");
    }
}

#[test]
fn pages_give_the_digits_of_the_experiment_in_full() {
    let Some(samples) = full_set("formats/samples") else { return };
    let Some(fixtures) = full_set("tpc/fixtures") else { return };
    let Some(mapping) = full_set("tpc/mapping") else { return };
    let folder = folder();
    let files = [("s35-v4.raw", 35), ("s7-v2-padded.raw.gz", 7), ("event.0.dump.gz", 7)];
    for (name, sector) in files {
        let path = samples.join(name).display().to_string();
        let mapping = mapping.display();
        let input = format!("--input {path} --mapping {mapping} --sector {sector}");
        folder.bench(format!("decode {input} --digits d.csv")).exits(0);
        let right = fs::read_to_string(fixtures.join(format!("s{sector}.digits.csv")));
        let right = right.expect("digits");
        let digit = |line: &str| line.split(',').take(4).collect::<Vec<_>>().join(",");
        let mut right: Vec<String> = right.lines().skip(1).map(digit).collect();
        let mut found: Vec<String> = folder.read("d.csv").lines().skip(1).map(digit).collect();
        right.sort_unstable();
        found.sort_unstable();
        assert!(found == right, "{name}");
    }
    let its = samples.join("fastpasta/10_rdh.raw");
    let line = format!("decode --input {} --sector 0 --digits d.csv", its.display());
    folder.bench(line).exits(1).says("10 pages of source 32, not of the TPC (3)");
}

#[test]
fn written_archives_come_back() {
    let folder = folder();
    let names = ["d.ts.bin", "d.tsa", "z.tsa --zstd", "run_%n.tsa --split 1"];
    for out in names {
        folder.bench(format!("generate sts-raw {SMALL} --out {out}")).exits(0);
    }
    folder.has("d.setup.json z.setup.json run.setup.json run_0000.tsa");
    let plain = digis(&folder, "--input d.ts.bin");
    assert!(plain.len() > 10_000);
    for input in ["d.tsa", "z.tsa", "run_%n.tsa"] {
        assert!(digis(&folder, &format!("--input {input}")) == plain, "{input}");
    }
    let hits = |input: &str| {
        folder.bench(format!("sts --input {input} --hits h.csv")).exits(0);
        folder.read("h.csv")
    };
    assert_eq!(hits("d.tsa"), hits("d.ts.bin"));
    folder.check(
        "
            2 | unpack --input d.tsa --timeslices 7..9 --digis x.bin | no timeslice to read
            2 | unpack --input d.tsa --timeslices 9..7 --digis x.bin | A..B
            2 | unpack --input no_%n.tsa --setup d.setup.json --digis x.bin | no_0000.tsa
            2 | generate sts-raw --zstd --out x.bin | --zstd
            1 | decode --input d.tsa --sector 0 --digits x.csv | FLESnet
        ",
    );
    assert!(!folder.join("x.bin").exists());
}

/// Digits that `bench decode` writes.
fn digits(folder: &Folder, input: &str) -> BTreeSet<String> {
    folder.bench(format!("decode --input {input} --sector 0 --digits digits.csv")).exits(0);
    folder.read("digits.csv").lines().skip(1).map(str::to_owned).collect()
}

/// Digits of a time frame in bins from another one's first orbit on.
fn later(digits: &BTreeSet<String>, orbits: u32) -> BTreeSet<String> {
    let moved = |digit: &String| {
        let fields: Vec<&str> = digit.split(',').collect();
        let [row, pad, time_bin, adc] = fields[..] else { panic!("{digit}") };
        let time_bin = time_bin.parse::<u32>().expect("a time bin") + orbits * 891 / 2;
        format!("{row},{pad},{time_bin},{adc}")
    };
    digits.iter().map(moved).collect()
}

#[test]
fn time_frames_are_decoded_alone_or_as_one() {
    let folder = folder();
    let frames = [100, 164].map(|first_orbit| time_frame(&folder, first_orbit));
    let [first, second] = [0, 1].map(|frame| {
        folder.write("alone.raw", &frames[frame]);
        digits(&folder, "alone.raw")
    });
    assert!(first.len() > 1000 && second.len() > 1000);
    folder.write("d.raw", frames.concat());
    folder.write("d.tf", time_frame_file(&frames));
    let both: BTreeSet<_> = first.union(&later(&second, 64)).cloned().collect();
    for name in ["d.raw", "d.tf"] {
        assert_eq!(digits(&folder, &format!("{name} --timeframes 0..1")), first, "{name}");
        assert_eq!(digits(&folder, &format!("{name} --timeframes 1..2")), second, "{name}");
        assert_eq!(digits(&folder, &format!("{name} --skip 1 --take 1")), second, "{name}");
        assert_eq!(digits(&folder, name), both, "{name}");
        let line = format!("decode --input {name} --sector 0 --digits digits.csv");
        folder.bench(&line).exits(0).says("2 time frames, read as one");
        folder
            .bench(line + " --timeframes 1..4")
            .exits(2)
            .says("2 time frames; select within 0..2");
    }
    folder.write("event.0.dump", dump(&frames[1]));
    assert_eq!(digits(&folder, "event.0.dump --timeframes 0..1"), second);
    folder.check(
        "
            2 | decode --input event.0.dump --take 1 --skip 1 --dry-run | 1 time frame; select within 0..1
            0 | cluster-finder --input d.raw --timeframes 1..2 --dry-run | clusters
            0 | noisy-pads --input d.raw --timeframes 1..2 --dry-run | pads are noisy
            0 | tpc --input d.raw --timeframes 1..2 --dry-run | note:
        ",
    );
}

#[test]
fn pages_that_are_headers_alone_are_refused_as_that() {
    let folder = folder();
    let data = "--sectors 1 --orbits 2 --framing recorded --occupancy 0.005";
    folder.bench(format!("generate tpc {data} --out a.pages")).exits(0);
    let is_alone = |page: &[u8]| page[10..12] == 64_u16.to_le_bytes();
    without(&folder, "rdh", |_, _, page| is_alone(page));
    fs::copy(folder.join("rdh.pages"), folder.join("rdh.raw")).expect("copied");
    for name in ["rdh.pages", "rdh.raw"] {
        let run = folder.bench(format!("decode --input {name} --sector 0 --digits d.csv")).exits(1);
        run.says("no zero-suppressed page of the TPC is among them").says("headers without data");
        assert!(!run.stderr.contains("damaged"), "{}", run.story());
    }
}

/// Writes the pages of `a.pages` that `keep` accepts, given the index of the stream, that of the page
/// in it, and the page.
fn without(folder: &Folder, name: &str, keep: impl Fn(usize, usize, &[u8]) -> bool) {
    let pages = fs::read(folder.join("a.pages")).expect("pages");
    let mut pages = pages.chunks_exact(8192);
    let mut kept = Vec::new();
    let mut index = String::new();
    for (stream, line) in folder.read("a.index.csv").lines().enumerate() {
        let (head, count) = line.rsplit_once(',').expect("two columns");
        let Ok(count) = count.parse::<usize>() else {
            index += &format!("{line}\n");
            continue;
        };
        let of_stream: Vec<_> = pages.by_ref().take(count).enumerate().collect();
        let left: Vec<_> =
            of_stream.iter().filter(|(i, page)| keep(stream - 1, *i, page)).collect();
        index += &format!("{head},{}\n", left.len());
        kept.extend(left.into_iter().flat_map(|(_, page)| page.to_vec()));
    }
    fs::write(folder.join(format!("{name}.pages")), kept).expect("written");
    fs::write(folder.join(format!("{name}.index.csv")), index).expect("written");
}

#[test]
fn late_streams_and_lost_pages_are_noticed() {
    let folder = folder();
    let data = "--sectors 1 --orbits 3 --framing recorded --noise 0.001";
    folder.bench(format!("generate tpc {data} --out a.pages")).exits(0);
    let digits = |name: &str| -> BTreeSet<String> {
        folder.bench(format!("decode --input {name} --sector 0 --digits {name}.csv")).exits(0);
        folder.read(format!("{name}.csv")).lines().map(str::to_owned).collect()
    };
    let right = digits("a.pages");
    let orbit = |page: &[u8]| u32::from_le_bytes(page[20..24].try_into().expect("four bytes"));
    let first = orbit(&fs::read(folder.join("a.pages")).expect("pages"));
    without(&folder, "late", |stream, _, page| stream > 0 || orbit(page) != first);
    let late = digits("late.pages");
    assert!(late.len() < right.len() && late.is_subset(&right));

    let has_data = |page: &[u8]| u16::from_le_bytes([page[10], page[11]]) > 64;
    let is_lost =
        |stream, index, page: &[u8]| stream == 0 && index > 1 && has_data(page) && index < 5;
    without(&folder, "lost", |stream, index, page| !is_lost(stream, index, page));
    let line = "decode --input lost.pages --sector 0 --digits x.csv";
    folder.bench(line).exits(0).says("missing, the first behind byte");
    let strict = folder.bench(format!("{line} --strict")).exits(1);
    strict.says("missing, the first behind byte").says("without --strict");
    assert!(!strict.stderr.contains("generate it again"), "{}", strict.story());
    folder.bench(format!("{line} --strict")).exits(1).says("missing");
    let line = "process cluster-finder --input lost.pages --sector 0 --out x.csv";
    folder.bench(line).exits(1).says("1 of 591 pages are damaged");
    for task in ["noisy-pads", "tpc"] {
        let line = format!("process {task} --input lost.pages --sector 0 --out x.csv");
        folder.bench(&line).exits(0).says("missing, the first behind byte");
        folder.bench(format!("{line} --strict")).exits(1).says("missing");
    }

    fs::remove_file(folder.join("a.index.csv")).expect("removed");
    assert_eq!(digits("a.pages"), right, "pages need no index");
}

const TABLE: &str = "time_ns,module,side,channel,adc,event\n\
                     10500001230.0,0,n,5,7.0,1\n10500001235.5,0,p,6,12.0,1\n";

/// A pipe that is opened a second time has lost its writer.
#[test]
fn digis_are_read_from_a_named_pipe() {
    let folder = folder();
    let pipe = folder.join("d.pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let writer = Builder::new().spawn(move || fs::write(pipe, TABLE)).expect("a thread");
    let run = folder.bench("sort --input d.pipe --dry-run").exits(0);
    run.says("note: times are relative to the earliest, 10500001230 ns");
    writer.join().expect("no panic").expect("written to its end");
}

#[test]
fn tables_of_digis_are_read_with_notes() {
    let folder = folder();
    folder.write("d.csv", TABLE);
    let run = folder.bench("sort --input d.csv --dry-run").exits(0);
    run.says("note: columns that were ignored: \"event\"");
    run.says("note: times are relative to the earliest, 10500001230 ns");
    run.says("note: 1 time with a fraction of a ns, rounded down");
    folder.bench("sort --input d.csv --time-origin 10500000000 --dry-run").exits(0);
    folder.bench("events --input d.csv --dry-run").exits(0).says("the earliest, 10500001230 ns");
    folder.write("other.txt", "a,b\n1,2\n");
    folder.write("missing.txt", "module,side,channel,time,adc\n0,0,1,1,1\n");
    folder.bench(format!("generate sts-raw {SMALL} --out raw.tsa")).exits(0);
    folder.check(
        "
            1 | sort --input d.csv --time-origin 10500001231 --dry-run | line 2: time_ns 10500001230 is before
            1 | sort --input d.csv --time-origin -5 --dry-run | specify a later --time-origin
            1 | sort --input missing.txt --dry-run | without the columns time_ns
            2 | sort --input other.txt --dry-run | unknown file type
            2 | sort --time-origin 5 --dry-run | --input
            2 | sort --input d.csv --time-origin x --dry-run | not a time in ns
            2 | sts --input raw.tsa --setup raw.setup.json --time-origin 5 --dry-run | leave out --time-origin
            2 | events --input raw.tsa --setup raw.setup.json --time-origin 5 --dry-run | leave out --time-origin
        ",
    );
}

#[test]
fn parquet_is_written_and_read_like_csv() {
    let folder = folder();
    for name in ["d.csv", "d.parquet", "d.parquet.gz"] {
        folder.bench(format!("generate sts-physics {SMALL} --out {name}")).exits(0);
    }
    let hits = |name: &str| {
        folder.bench(format!("sts --input {name} --hits h.csv")).exits(0);
        folder.read("h.csv")
    };
    let expected = hits("d.csv");
    assert!(expected.lines().count() > 10);
    assert_eq!(hits("d.parquet"), expected);
    assert_eq!(hits("d.parquet.gz"), expected);
}

#[test]
fn standard_input_is_read_once() {
    let folder = folder();
    let piped = |name: &str, line: &str| {
        let file = fs::File::open(folder.join(name)).expect("a file");
        Run::from_command(folder.command(line).stdin(file))
    };
    folder.bench(format!("generate sts-raw {SMALL} --out d.tsa --zstd")).exits(0);
    let line = "unpack --input - --setup d.setup.json --digis o.bin";
    piped("d.tsa", line).exits(0);
    let unpacked = fs::read(folder.join("o.bin")).expect("written");
    assert!(unpacked == digis(&folder, "--input d.tsa"));
    piped("d.tsa", "unpack --input - --digis o.bin").exits(2).says("specify --setup FILE");
    piped("d.tsa", "sts --input - --hits h.csv").exits(2).says("specify --setup FILE");
    piped("d.tsa", &format!("{line} --input -"))
        .exits(1)
        .says("standard input: it was read before");

    folder.bench("generate tpc --sectors 1 --orbits 1 --framing recorded --out d.pages").exits(0);
    piped("d.pages", "decode --input - --sector 0 --digits a.csv").exits(0);
    folder.bench("decode --input d.pages --sector 0 --digits b.csv").exits(0);
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    piped("d.pages", "cluster-finder --input - --sector 0 --clusters a.csv").exits(0);
    folder.bench("cluster-finder --input d.pages --sector 0 --clusters b.csv").exits(0);
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));

    folder.write("d.csv", TABLE);
    piped("d.csv", "sort --input - --dry-run").exits(0).says("the earliest, 10500001230 ns");
    folder.write("bad.csv", TABLE.replace(",n,", ",left,"));
    piped("bad.csv", "sort --input - --dry-run").exits(1).says("standard input, line 2: side");
    for command in ["throughput sort", "stream --timeslice 1ms --duration 1s"] {
        piped("d.csv", &format!("{command} --input -")).exits(2).says("write it to a file");
    }
}
