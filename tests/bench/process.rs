//! `bench process`, and flags of other commands that write output: files by the requested variant on
//! the requested device.

use std::fs;

use portable_gpu::emulator;

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

/// A command that writes what one variant finds, in data of a file and in generated data.
struct Writer {
    /// Task and the flags of the output.
    command: &'static str,
    /// Files that are written.
    files: &'static [&'static str],
    /// A command that makes the file of the input, and the flags that describe that input.
    file: (&'static str, &'static str),
    /// Flags that describe generated data.
    generated: &'static str,
    /// A variant that GPUs alone have.
    on_gpus: &'static str,
    /// A variant that the CPU alone has, with the same output.
    on_cpu: &'static str,
}

const TPC_WITH_PULSES: &str = "--sectors 1 --orbits 1 --occupancy 0.01";

const WRITERS: [Writer; 4] = [
    Writer {
        command: "sts --clusters c.csv --hits h.csv",
        files: &["c.csv", "h.csv"],
        file: ("generate sts-physics --preset mcbm-2024 --scale 0.0005 --out d.csv", "d.csv"),
        generated: STS,
        on_gpus: "balanced",
        on_cpu: "time-sweep",
    },
    Writer {
        command: "unpack --digis u.bin",
        files: &["u.bin"],
        file: ("generate sts-raw --preset mcbm-2024 --scale 0.0005 --out d.ts.bin", "d.ts.bin"),
        generated: STS,
        on_gpus: "tiles",
        on_cpu: "simd",
    },
    Writer {
        command: "decode --digits g.csv",
        files: &["g.csv"],
        file: (
            "generate tpc --sectors 1 --orbits 1 --occupancy 0.01 --out d.pages",
            "d.pages --sector 0",
        ),
        generated: TPC_WITH_PULSES,
        on_gpus: "ballot-scan",
        on_cpu: "simd",
    },
    Writer {
        command: "cluster-finder --clusters f.csv",
        files: &["f.csv"],
        file: ("generate charges --sectors 1 --orbits 1 --occupancy 0.01 --out d.cases", "d.cases"),
        generated: TPC_WITH_PULSES,
        on_gpus: "fused",
        on_cpu: "rows",
    },
];

impl Writer {
    /// Flags for data of a file, which is made, and for generated data.
    fn inputs(&self, folder: &Folder) -> [String; 2] {
        let (make, input) = self.file;
        folder.bench(make).exits(0);
        [format!("--input {input}"), self.generated.to_owned()]
    }

    /// Returns the output of a variant on a device.
    #[track_caller]
    fn written(&self, folder: &Folder, input: &str, run: &str) -> Vec<Vec<u8>> {
        let (variant, device) = run.split_once(" on ").expect("a variant and a device");
        let flags = format!("--variant {variant} --device {device} --threads 1");
        let run_of_bench = folder.bench(format!("{} {input} {flags}", self.command)).exits(0);
        run_of_bench.says(format!("found by {run}"));
        let content = |file: &&str| {
            let content = fs::read(folder.join(file)).expect("written");
            fs::remove_file(folder.join(file)).expect("removable");
            content
        };
        self.files.iter().map(content).collect()
    }

    #[track_caller]
    fn wrote_nothing(&self, folder: &Folder) {
        for file in self.files {
            assert!(!folder.join(file).exists(), "{}: {file}", self.command);
        }
    }
}

#[test]
fn kernels_write_what_the_cpu_writes_of_files_and_of_presets() {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    for writer in WRITERS {
        let folder = folder();
        for input in writer.inputs(&folder) {
            let on_cpu = writer.written(&folder, &input, &format!("{} on cpu", writer.on_cpu));
            assert!(on_cpu.iter().all(|file| file.len() > 1000), "{}", writer.command);
            let on_gpus = format!("{} on emulator", writer.on_gpus);
            let on_gpus = writer.written(&folder, &input, &on_gpus);
            assert!(on_gpus == on_cpu, "{} {input}", writer.command);
        }
    }
}

#[test]
fn a_gpu_that_is_not_there_is_named_and_no_file_is_written() {
    for writer in WRITERS {
        let folder = folder();
        for input in writer.inputs(&folder) {
            for device in ["cuda:9999", "cpu,cuda:9999", "hip:9999", "wgpu:9999"] {
                let named = device.trim_start_matches("cpu,");
                for variant in ["", "--variant simd,*"] {
                    let line = format!("{} {input} --device {device} {variant}", writer.command);
                    let run = folder.bench(line.replace("simd,*", writer.on_cpu)).exits(5);
                    run.says(format!("{named} can't be used"));
                    writer.wrote_nothing(&folder);
                }
            }
        }
    }
}

#[test]
fn a_device_without_the_variant_is_distinguished_from_others() {
    for writer in WRITERS {
        let folder = folder();
        let Writer { command, generated, on_gpus, on_cpu, .. } = writer;
        let line = format!("{command} {generated} --variant {on_gpus} --device cpu");
        let run = folder.bench(line).exits(2);
        run.says("runs on cpu: ").says(format!("{on_gpus} runs on cuda:N, hip:N, emulator"));
        if emulator::unavailable().is_none() {
            let line = format!("{command} {generated} --variant {on_cpu} --device emulator");
            folder.bench(line).exits(2).says(format!("{on_cpu} runs on cpu"));
        }
        writer.wrote_nothing(&folder);
    }
}

#[test]
fn defaults_run_on_the_cpu_and_on_each_device_that_is_named() {
    for (line, variant) in [
        ("sts --hits h.csv --preset mcbm-2024 --scale 0.0005", ["online", "online"]),
        (
            "unpack --digis h.csv.bin --preset mcbm-2024 --scale 0.0005",
            ["published", "epoch-parallel"],
        ),
        (
            "cluster-finder --clusters h.csv --sectors 1 --orbits 1 --occupancy 0.005",
            ["published"; 2],
        ),
    ] {
        let folder = folder();
        let [on_cpu, on_gpus] = variant;
        folder.bench(line).exits(0).says(format!("found by {on_cpu} on cpu"));
        if emulator::unavailable().is_none() {
            let run = folder.bench(format!("{line} --device emulator")).exits(0);
            run.says(format!("found by {on_gpus} on emulator"));
        }
    }
    let run = folder().bench(format!("decode --digits d.csv {TPC_WITH_PULSES}")).exits(0);
    run.says("found by reference on cpu, scalar on cpu, simd on cpu");
}

#[test]
fn generated_data_are_one_input_too() {
    folder().check(
        "
            2 | sts --hits h.csv --scale 0.0005,0.001 | of one input, but 2 are described
            2 | unpack --digis u.bin --damage 0,0.1 | of one input, but 2 are described
            2 | decode --digits d.csv --sectors 1 --orbits 1,2 | of one input, but 2 are described
            2 | decode --digits d.csv --sectors 2 | --sectors 1
            2 | decode --digits d.csv | --sectors 1
            2 | sts --hits h.csv --rate 1GHz | of memory, but
            2 | sts --hits h.csv --scale 0.0005 --variant onlin | online
        ",
    );
}
