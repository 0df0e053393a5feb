//! Output that commands write to files, by the requested variant on the requested device.

use std::fs;

use algorithms::device::emulator;

use crate::common::{Folder, folder};

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

const STS_SMALL: &str = "--preset mcbm-2024 --scale 0.0005";
const TPC_SMALL: &str = "--sectors 1 --orbits 1 --occupancy 0.01";

const WRITERS: [Writer; 4] = [
    Writer {
        command: "sts --clusters c.csv --hits h.csv",
        files: &["c.csv", "h.csv"],
        file: ("generate sts-physics --preset mcbm-2024 --scale 0.0005 --out d.csv", "d.csv"),
        generated: STS_SMALL,
        on_gpus: "balanced",
        on_cpu: "time-sweep",
    },
    Writer {
        command: "unpack --digis u.bin",
        files: &["u.bin"],
        file: ("generate sts-raw --preset mcbm-2024 --scale 0.0005 --out d.ts.bin", "d.ts.bin"),
        generated: STS_SMALL,
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
        generated: TPC_SMALL,
        on_gpus: "ballot-scan",
        on_cpu: "simd",
    },
    Writer {
        command: "cluster-finder --clusters f.csv",
        files: &["f.csv"],
        file: ("generate charges --sectors 1 --orbits 1 --occupancy 0.01 --out d.cases", "d.cases"),
        generated: TPC_SMALL,
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
    let run = folder().bench(format!("decode --digits d.csv {TPC_SMALL}")).exits(0);
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
