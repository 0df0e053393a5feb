//! Verification from the command line, on the emulator too.

use algorithms::device::emulator;

use crate::common::folder;
use serde_json::Value;

fn has_emulator() -> bool {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return false;
    }
    true
}

#[test]
fn kernels_are_verified_on_an_input_of_ones_own() {
    if !has_emulator() {
        return;
    }
    let folder = folder();
    let generate = "generate sts --segments 4 --digis 700 --out digis.bin";
    folder.bench(generate).exits(0);
    for flags in [
        "--schedules 4",
        "--lanes 64 --schedules 2",
        "--races --schedules 2",
    ] {
        let line = format!("verify sort --device emulator --input digis.bin {flags}");
        let run = folder.bench(line).exits(0);
        run.prints(" 0 wrong, 0 not run");
    }
}

#[test]
fn a_device_is_verified_by_its_own_variants() {
    let folder = folder();
    let line = "verify sort --device cpu --variant segmented-radix-pairs --seeds 1";
    folder.bench(line).exits(5).says("nothing was verified");
}

#[test]
fn the_list_says_what_can_run_here_and_why_not() {
    let folder = folder();
    let run = folder.bench("list --format json");
    let list: Value = run.json();
    let variants = list[0]["variants"].as_array().expect("variants");
    let of_backend =
        |backend: &'static str| variants.iter().filter(move |v| v["backend"] == backend);
    assert!(of_backend("cpu").all(|variant| variant["available"] == true));
    assert!(of_backend("cuda").count() >= 4);
    for variant in of_backend("cuda") {
        let (available, reason) = (variant["available"] == true, variant["reason"].is_string());
        assert_ne!(available, reason, "{variant}");
    }
    let emulator = &list[0]["emulator"];
    assert_eq!(emulator["available"] == true, emulator["reason"].is_null());
}
