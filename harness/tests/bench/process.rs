//! `bench process`: outputs of single variants as files.

use std::fs;

use crate::common::{Folder, folder};

const STS: &str = "--preset mcbm-2024 --scale 0.0005";
const TPC: &str = "--sectors 1 --orbits 1";

/// Lines of a CSV file, in any order, without its header.
fn rows(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read(name);
    let mut rows: Vec<_> = text.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    rows
}

/// Header of a CSV file.
fn header(folder: &Folder, name: &str) -> String {
    folder.read(name).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn each_task_writes_its_output_as_text_binary_and_parquet() {
    let folder = folder();
    let digis = "module,side,channel,time_ns,adc";
    let hits = "module,x,y,z,time_ns,dx,dy,dz,dxy,time_error,du,dv";
    let clusters = "row,pad,time,sigma_pad,sigma_time,q_max,q_tot,flags";
    let tasks = [
        (format!("unpack {STS}"), format!("{digis},address,timeslice"), "STSDIGX1"),
        (format!("sts {STS}"), hits.to_owned(), "RECOTAB1"),
        (format!("presort {STS}"), digis.to_owned(), "STSDIGI1"),
        ("sort --segments 24 --digis 1000".to_owned(), digis.to_owned(), "STSDIGI1"),
        (format!("events {STS}"), "event,trigger_ns,first_digi,digis".to_owned(), "RECOTAB1"),
        (format!("decode {TPC}"), "row,pad,time_bin,adc".to_owned(), "RECOTAB1"),
        (format!("cluster-finder {TPC}"), format!("case,{clusters},labels"), "RECOTAB1"),
        (format!("tpc {TPC}"), format!("sector,{clusters}"), "RECOTAB1"),
        (
            format!("noisy-pads {TPC}"),
            "sector,row,pad,charges,longest_run,largest_adc,noisy".to_owned(),
            "RECOTAB1",
        ),
        (
            "merge --tracks 1k".to_owned(),
            "track,segment_prev,segment_next,neighbour_lower,neighbour_upper".to_owned(),
            "RECOTAB1",
        ),
        ("gather --scale 0.001".to_owned(), "array,index,value".to_owned(), "RECOTAB1"),
    ];
    for (task, columns, magic) in tasks {
        let line = format!("process {task} --threads 2");
        folder.bench(format!("{line} --out o.csv")).exits(0).says("written to o.csv");
        assert_eq!(header(&folder, "o.csv"), columns, "{task}");
        assert!(!rows(&folder, "o.csv").is_empty(), "{task}");
        folder.bench(format!("{line} --out o.bin")).exits(0);
        assert!(fs::read(folder.join("o.bin")).expect("written").starts_with(magic.as_bytes()));
        folder.bench(format!("{line} --out o.parquet")).exits(0);
        let parquet = fs::read(folder.join("o.parquet")).expect("written");
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{task}");
    }
}

#[test]
fn variants_and_devices_agree() {
    let folder = folder();
    for (task, variant) in [
        (format!("unpack {STS}"), "epoch-parallel"),
        (format!("sts {STS}"), "balanced"),
        (format!("decode {TPC}"), "fused"),
        (format!("tpc {TPC}"), "fused"),
        ("sort --segments 24 --digis 1000".to_owned(), "channel-bucket-stable"),
    ] {
        let line = format!("process {task} --threads 2");
        folder.bench(format!("{line} --out cpu.csv")).exits(0);
        let run =
            folder.bench(format!("{line} --device emulator --variant {variant} --out gpu.csv"));
        run.exits(0).says(format!("found by {variant} on emulator"));
        assert!(rows(&folder, "cpu.csv") == rows(&folder, "gpu.csv"), "{task}");
    }
}

#[test]
fn flags_of_tasks_write_the_same_files() {
    let folder = folder();
    folder.bench(format!("generate sts-physics {STS} --out d.csv")).exits(0);
    folder.bench("process sts --input d.csv --out h.csv --clusters c.csv").exits(0);
    folder.bench("sts --input d.csv --hits h2.csv --clusters c2.csv").exits(0);
    assert_eq!(folder.read("h.csv"), folder.read("h2.csv"));
    assert_eq!(folder.read("c.csv"), folder.read("c2.csv"));
    folder.bench(format!("process decode {TPC} --out d.csv")).exits(0);
    folder.bench(format!("decode {TPC} --digits d2.csv")).exits(0);
    assert_eq!(folder.read("d.csv"), folder.read("d2.csv"));
}

#[test]
fn sorted_digis_are_input_again() {
    let folder = folder();
    let line = "process sort --segments 24 --digis 1000";
    for name in ["s.csv", "s.bin", "s.csv.gz", "s.bin.gz"] {
        folder.bench(format!("{line} --out {name}")).exits(0);
        folder.bench(format!("process sort --input {name} --out again.csv")).exits(0);
        folder.bench(format!("process sort --input {name} --variant rdst --out rdst.csv")).exits(0);
        assert_eq!(rows(&folder, "again.csv"), rows(&folder, "rdst.csv"), "{name}");
    }
}

#[test]
fn senseless_requests_leave_no_file() {
    let folder = folder();
    folder.bench("generate sts --segments 24 --digis 100 --out d.csv").exits(0);
    folder.check(
        "
            2 | process sort --input d.csv | --out
            2 | process sort --input d.csv --out o.txt | unknown file type
            2 | process calibrate --out o.csv | the output of calibrate is not written to files
            2 | process collect --preset cbm-auau --out o.csv | the output of collect is not written
            2 | process sort --input d.csv --variant std-stable,rdst --out o.csv | one variant
            2 | process sort --input d.csv --variant none --out o.csv | none
            2 | process sort --segments 24,48 --digis 1000 --out o.csv | of one input
            2 | process decode --orbits 1 --sectors 2 --out o.csv | --sectors 1
            2 | process sort --input d.csv --variant std-stable --device emulator --out o.csv | std-stable runs on cpu
            5 | process sort --input d.csv --device cuda:0 --out o.csv | cuda:0 can't be used
            1 | process sort --input none.csv --out o.csv | none.csv
        ",
    );
    for name in ["o.csv", "o.txt"] {
        assert!(!folder.join(name).exists(), "{name}");
    }
}
