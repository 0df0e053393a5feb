//! A plugin in C, on the host and, as if it were for a GPU, on the emulator.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use generators::sts::SegmentedDigis;

use super::*;
use crate::algorithm::{Promise, Semantics, Stages};
use crate::device::Team;
use crate::device::emulator::Config;
use crate::device::gpu::Gpu;
use crate::plugin::load;
use crate::sts_sort::hard_inputs;

/// The variants, compiled and loaded once; none without a C compiler.
fn sorts() -> Option<Vec<&'static LoadedVariant>> {
    static LOADED: OnceLock<bool> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("libsorts.so");
        let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut compiler = Command::new("cc");
        compiler
            .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I"])
            .arg(crate_root.join("../docs/plugin"))
            .arg("-o")
            .arg(&library)
            .arg(crate_root.join("src/sts_sort/plugin/tests/sorts.c"));
        let Ok(status) = compiler.status() else {
            return false;
        };
        assert!(status.success());
        load(&library, "plugin:0".to_owned()).expect("a plugin");
        true
    });
    if !loaded {
        eprintln!("skipped: no C compiler (cc)");
        return None;
    }
    Some(variants_of("sort"))
}

/// The emulator takes its time, and sizes make no difference here.
const MOST_DIGIS: usize = 12_000;

/// What came of a run: the stages, or what is wrong.
type Outcome = Result<Stages, String>;

fn measure(prepared: &mut dyn Prepared<StsSort>, input: &SegmentedDigis) -> Outcome {
    let ran = prepared
        .reset()
        .and_then(|()| prepared.poison())
        .and_then(|()| prepared.run());
    ran.map_err(|error| error.to_string())?;
    let stages = prepared.stages().map_err(|error| error.to_string())?;
    prepared.inspect().map_err(|error| error.to_string())?;
    let promise = Promise {
        stable: false,
        content: Content::Whole,
        semantics: Semantics::Exact,
    };
    let reference = StsSort::reference(input, promise.semantics);
    let output = prepared.output();
    let checked = StsSort::check(input, reference.as_ref(), &output, promise);
    prepared.release();
    checked.map_err(|error| error.to_string())?;
    Ok(stages)
}

/// Runs a variant on the host; twice, as it is when it is measured.
fn on_host(variant: &LoadedVariant, input: &SegmentedDigis) -> Outcome {
    let (team, arena) = (Team::new(2).expect("threads"), Arena::default());
    let place = Place::host(&team);
    let prepared = Variant::<StsSort>::prepare(variant, input, &arena, &place);
    let mut prepared = prepared.expect("it can run here");
    measure(prepared.as_mut(), input)?;
    measure(prepared.as_mut(), input)
}

/// The same on the emulator, in the place of a GPU.
fn on_emulator(variant: &LoadedVariant, input: &SegmentedDigis) -> Outcome {
    let gpu = Arc::new(Gpu::emulated(Config::default()).expect("an emulator"));
    let prepared = SortOnGpu::prepare(variant.functions, input, 1, &gpu, 0);
    let mut prepared = prepared.unwrap_or_else(|error| panic!("{error:?}"));
    measure(&mut prepared, input)?;
    measure(&mut prepared, input)
}

fn run(variant: &LoadedVariant, input: &SegmentedDigis) -> Option<Outcome> {
    match variant.backend {
        Backend::Cpu => Some(on_host(variant, input)),
        Backend::Cuda if crate::device::emulator::unavailable().is_some() => None,
        Backend::Cuda => Some(on_emulator(variant, input)),
    }
}

fn named(variants: &[&'static LoadedVariant], name: &str) -> Vec<&'static LoadedVariant> {
    let found = variants.iter().copied();
    let found: Vec<_> = found
        .filter(|variant| variant.name.ends_with(name))
        .collect();
    assert_eq!(found.len(), 2, "{name} on two backends");
    found
}

fn input() -> SegmentedDigis {
    let inputs = hard_inputs::all(1);
    let together = inputs
        .into_iter()
        .find(|(name, _)| name == "segments of all sizes");
    together.expect("there is one").1
}

#[test]
fn whichever_buffers_a_variant_uses_it_is_right() {
    let Some(sorts) = sorts() else { return };
    for name in ["-separate", "-output", "-input", "-place"] {
        for variant in named(&sorts, name) {
            let small = |(_, input): &(String, SegmentedDigis)| input.digis().len() <= MOST_DIGIS;
            for (input_name, input) in hard_inputs::all(1).into_iter().filter(small) {
                if let Some(outcome) = run(variant, &input) {
                    assert!(
                        outcome.is_ok(),
                        "{} on {input_name}: {outcome:?}",
                        variant.name
                    );
                }
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_told() {
    let Some(sorts) = sorts() else { return };
    for (name, expected) in [
        ("-beyond", "it wrote beyond the end of its output"),
        ("-scratch", "it wrote beyond the end of its scratch memory"),
        ("-changed", "it changed its input, at position 0"),
        ("-nowhere", "libsorts.so answered 7 in output"),
        ("-stage", "libsorts.so called a stage \"total\""),
        ("-refuses", "libsorts.so failed in run: out of luck"),
    ] {
        for variant in named(&sorts, name) {
            if let Some(outcome) = run(variant, &input()) {
                let problem = outcome.expect_err(variant.name);
                assert!(problem.starts_with(expected), "{}: {problem}", variant.name);
            }
        }
    }
}

#[test]
fn stages_on_the_host_have_times() {
    let Some(sorts) = sorts() else { return };
    let variant = named(&sorts, "-separate")
        .into_iter()
        .find(|variant| variant.backend == Backend::Cpu);
    let stages = on_host(variant.expect("one of them"), &input()).expect("right");
    let names: Vec<_> = stages
        .iter()
        .map(|stage| (stage.name.as_ref(), stage.calls))
        .collect();
    assert_eq!(names, [("copy", 1), ("sort", 1)]);
    assert!(stages.iter().all(|stage| stage.seconds > 0.0));
}

#[test]
fn memory_is_what_is_lent() {
    let Some(sorts) = sorts() else { return };
    let (team, arena, input) = (Team::new(1).expect("a thread"), Arena::default(), input());
    let bytes = size_of_val(input.digis()) as u64;
    for (name, arrays) in [("cpu-separate", 3), ("cpu-place", 2)] {
        let variant = sorts.iter().find(|variant| variant.name == name);
        let place = Place::host(&team);
        let prepared = variant.expect("there").prepare(&input, &arena, &place);
        let prepared = prepared.expect("it can run here");
        assert_eq!(prepared.buffer_bytes(), arrays * bytes, "{name}");
    }
}

#[test]
fn whoever_is_condemned_is_not_called() {
    let Some(sorts) = sorts() else { return };
    let variant = named(&sorts, "-output")[0];
    let elsewhere = Device::Cuda(7);
    let problem = crate::plugin::Condemnation::Failed("crashed in run".to_owned());
    let name = (variant.task, variant.name);
    crate::plugin::condemn(name, variant.functions.plugin, elsewhere, problem);
    assert!(variant.condemned_on(Device::Cpu).is_none());
    let (team, arena, input) = (Team::new(1).expect("a thread"), Arena::default(), input());
    let place = Place {
        device: elsewhere,
        gpu: None,
        team: &team,
    };
    let mut prepared = variant
        .prepare(&input, &arena, &place)
        .expect("it fails later");
    let told = prepared.reset().map_err(|error| error.to_string());
    assert_eq!(told, Err("libsorts.so crashed in run".to_owned()));
}
