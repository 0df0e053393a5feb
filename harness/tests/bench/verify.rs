//! Verification from the command line, on the emulator too.

use algorithms::device::emulator;

use crate::common::folder;
use serde_json::Value;

#[test]
fn kernels_are_verified_on_an_input_of_ones_own() {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    let folder = folder();
    let generate = "generate sts --segments 4 --digis 700 --order time --out digis.bin";
    folder.bench(generate).exits(0);
    let line = "verify sort --device emulator --input digis.bin --schedules";
    for flags in ["4", "2 --lanes 64", "2 --races"] {
        let run = folder.bench(format!("{line} {flags}")).exits(0);
        run.prints(" 0 wrong, 0 not run");
    }
}

#[test]
fn a_device_is_verified_by_its_own_variants() {
    let folder = folder();
    let line = "verify sort --device cpu --variant block-merge-256x11 --seeds 1";
    folder.bench(line).exits(5).says("nothing was verified");
}

#[test]
fn the_list_has_all_variants_and_why_some_can_not_run_here() {
    let folder = folder();
    let table = folder.bench("list").exits(0);
    let list: Value = folder.bench("list --format json").json();
    let variants = list[0]["variants"].as_array().expect("variants");
    for variant in variants {
        table.prints(variant["name"].as_str().expect("a name"));
    }
    let of_backend =
        |backend: &'static str| variants.iter().filter(move |v| v["backend"] == backend);
    assert!(of_backend("cpu").all(|variant| variant["available"] == true));
    assert!(of_backend("cuda").count() >= 4);
    for variant in of_backend("cuda") {
        let available = variant["available"] == true;
        let reason = variant["reason"].is_string();
        assert_ne!(available, reason, "{variant}");
    }
    let emulator = &list[0]["emulator"];
    assert_eq!(emulator["available"] == true, emulator["reason"].is_null());
}
