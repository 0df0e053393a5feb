//! GPUs by AMD: without one, and with a library that does what the HIP runtime would do.

use std::fs;
use std::process::Command;

use crate::common::{Folder, Run, folder, in_repository, measuring};
use reports::record::{CeilingsRecord, YesNo};

/// The code objects that the stub takes, of the kernels that it knows.
const KERNELS: [&str; 2] = ["ceilings-streams", "memory_kinds-change"];

/// A folder with the stub and its kernels; `None` without a compiler.
fn with_stub(folder: Folder) -> Option<Folder> {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-std=gnu17"]);
    compiler.arg("-DSTUB_VERSION=60232830").arg("-o").arg(folder.join("libamdhip64.so"));
    compiler.arg(in_repository("gpu/src/hip/stub.c"));
    let Ok(status) = compiler.status() else {
        eprintln!("skipped: no compiler (cc)");
        return None;
    };
    assert!(status.success());
    fs::create_dir(folder.join("kernels")).expect("made");
    for kernel in KERNELS {
        folder.write(format!("kernels/{kernel}.hsaco"), "stub");
    }
    Some(folder)
}

/// `bench` with the stub.
fn bench(folder: &Folder, arguments: &str, more: &[(&str, &str)]) -> Run {
    let mut command = folder.command(arguments);
    command.env("LD_LIBRARY_PATH", folder.join("."));
    command.env("RECOBENCH_KERNELS", folder.join("kernels"));
    command.envs(more.iter().copied());
    Run::from_command(&mut command)
}

#[test]
fn gpus_by_amd_are_described() {
    let Some(folder) = with_stub(folder()) else { return };
    let run = bench(&folder, "devices", &[]).exits(0);
    for words in [
        "gpu: hip:0, Stub with 64 lanes",
        "gfx90a, 104 compute units",
        "of 64 lanes; 64 KiB of shared memory for a block",
        "HIP 6.2",
        "gpu: hip:1, Stub with 32 lanes",
    ] {
        run.prints(words);
    }
    let without = bench(&folder, "devices", &[("RECOBENCH_KERNELS", "nowhere")]).exits(0);
    without.prints("there are no kernels for GPUs by AMD in");
}

#[test]
fn a_run_goes_through_on_a_gpu_by_amd() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let run = "memory-kinds --device hip:0 --bytes 64k --samples 3 --max-time 1s --out out";
    bench(&folder, run, &[]).exits(0);
    let record = folder.record("out");
    assert_eq!(record.hip.len(), 1);
    let gpu = &record.hip[0];
    assert_eq!((gpu.device.as_str(), gpu.architecture.as_str()), ("hip:0", "gfx90a"));
    assert_eq!((gpu.runtime.as_str(), gpu.lanes), ("HIP 6.2", 64));
    assert!(record.ceilings["hip:0"].copy_bytes_per_s > 0.0);
    let rows = folder.rows("out");
    let all: Vec<_> = rows.iter().filter(|row| row.stage == "total").collect();
    assert_eq!(all.len(), 6, "kinds of memory");
    for row in all {
        assert_eq!((row.backend.as_str(), row.device.as_str()), ("cuda", "hip:0"));
        assert_eq!(row.valid, YesNo::Yes, "{row:?}");
    }
    assert!(rows.iter().any(|row| row.stage == "change_words"));
}

#[test]
fn kernels_that_are_missing_end_their_variants_only() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let run = "sort --device hip:1 --digis 100k --variant channel-bucket --samples 3 --no-charts";
    bench(&folder, run, &[]).exits(5).prints("there is no sts_sort-channel_bucket.hsaco in");
}

#[test]
fn a_gpu_that_can_not_be_used_has_a_reason() {
    let Some(folder) = with_stub(folder()) else { return };
    let measure = |device: &str, (name, value): (&str, &str)| {
        bench(&folder, &format!("sort --device {device}"), &[(name, value)])
    };
    measure("hip:7", ("HIP_STUB_FAIL", ""))
        .exits(5)
        .says("the GPUs that HIP knows here are hip:0 to hip:1");
    for code in ["100", "101"] {
        let run = measure("hip:0", ("HIP_STUB_FAIL", &format!("hipInit:{code}")));
        run.exits(5).says("no GPU that it may use");
    }
    measure("hip:0", ("RECOBENCH_KERNELS", "nowhere"))
        .exits(5)
        .says("there are no kernels for GPUs by AMD in");
}

#[test]
fn ceilings_of_gpus_by_amd_are_measured_too() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let no_room = [("HIP_STUB_FAIL", "hipHostMalloc:2")];
    let run = bench(&folder, "devices --measure --format json", &no_room).exits(0);
    let record: CeilingsRecord = run.json();
    let is_told = |note: &String| note.contains("hip:0") && note.contains("page-locked");
    assert!(record.notes.iter().any(is_told), "{:?}", record.notes);
    let of_both = |note: &String| note.contains("hip:0+hip:1 could not be measured at once");
    assert!(record.notes.iter().any(of_both), "{:?}", record.notes);
}

/// Copies of large blocks, each link alone and both at once.
#[test]
#[ignore = "takes long; .ci/nightly runs it"]
fn links_of_two_gpus_are_measured_alone_and_at_once() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let record: CeilingsRecord =
        bench(&folder, "devices --measure --format json", &[]).exits(0).json();
    let directions: Vec<&str> =
        record.links_at_once.iter().map(|links| links.direction.as_str()).collect();
    assert_eq!(directions, ["h2d", "d2h", "both"]);
    for links in &record.links_at_once {
        let devices: Vec<&str> = links.links.iter().map(|link| link.device.as_str()).collect();
        assert_eq!(devices, ["hip:0", "hip:1"]);
        assert!(links.share() > 0.0 && links.bytes_per_s() > 0.0, "{links:?}");
    }
}

const APART: &str = "throughput memory-kinds --bytes 64k --variant pinned --batch 1 --streams 2 \
    --device hip:0,hip:0+hip:1 --processes 1,per-gpu --duration 50ms --out out";

#[test]
fn each_gpu_can_have_a_process_of_its_own() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let run = bench(&folder, &format!("{APART} --format json"), &[]).exits(0);
    let reported: serde_json::Value = run.json();
    let rows = reported["rows"].as_array().expect("rows");
    let points: Vec<(&str, u64)> = rows
        .iter()
        .map(|row| {
            assert_eq!(row["valid"], true, "{row}");
            assert!(row["link_share"].is_number() && row["kernels_share"].is_number(), "{row}");
            (row["device"].as_str().expect("a name"), row["processes"].as_u64().expect("a number"))
        })
        .collect();
    assert_eq!(points, [("hip:0", 1), ("hip:0+hip:1", 1), ("hip:0+hip:1", 2)]);
    let at_once = &folder.record("out").ceilings["hip:0+hip:1"];
    assert!(at_once.link.is_some_and(|link| link.both_bytes_per_s > 0.0), "{at_once:?}");
    folder.has("out/throughput-over-gpus.png");
}

#[test]
fn what_fails_in_a_process_is_reported_by_the_first_one() {
    let Some(folder) = measuring().and_then(with_stub) else { return };
    let line = APART.replace("--processes 1,per-gpu", "--processes per-gpu");
    let line = line.replace("hip:0,hip:0+hip:1", "hip:0+hip:1");
    // Of both processes, whichever was the first to fail.
    for (fails, code, words) in [
        ("hipModuleLaunchKernel:719", 3, "(change_words): hipErrorUnknown (719)"),
        ("hipHostMalloc:2", 5, "not run: the host has no memory for a page-locked buffer"),
    ] {
        let run = line.replace("--out out", &format!("--out out-{code}"));
        bench(&folder, &run, &[("HIP_STUB_FAIL", fails)]).exits(code).prints(words);
    }
}
