use std::ops::Deref;
use std::sync::Arc;

use super::*;
use crate::sts::task::STS;
use tasks::device::Backend;
use tasks::open_loop::{Frames, Lendable, OpenLoop};
use tasks::task::TypedTask;

const STREAMED: &dyn OpenLoop = &TypedTask(STS);

fn params(given: &[(&'static str, &str)]) -> Params {
    STS.plan(given.iter().copied().collect()).expect("sensible").params
}

fn frames(params: &Params, rates: &[RelativeRate]) -> Box<dyn Frames> {
    let plan = STREAMED.frame(params).expect("sensible");
    STREAMED.generate_frames(&plan, rates, 1).expect("made")
}

/// Timeslices with these seeds, as another process would see them.
fn seen(made: &[Timeslices]) -> Vec<Timeslices> {
    let arrays = |frame| {
        let lent = |bytes: &[u8]| {
            // Aligned as digis are.
            let words: Vec<u64> = bytes
                .chunks(8)
                .map(|chunk| {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    u64::from_ne_bytes(word)
                })
                .collect();
            LentBytes::new(&Arc::new(Words(words)), 0..bytes.len()).expect("within bounds")
        };
        STS.arrays(frame).into_iter().map(lent).collect()
    };
    let description = STS.describe(made).expect("one detector");
    STS.attach(&description, made.iter().map(arrays).collect()).expect("timeslices")
}

struct Words(Vec<u64>);

impl Deref for Words {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

// SAFETY: a vector that is only referenced neither moves nor changes its items.
unsafe impl Lendable for Words {}

#[test]
fn frames_are_as_long_as_those_of_the_preset_and_differ() {
    let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
    let plan = STREAMED.frame(&params).expect("sensible");
    assert_eq!((plan.frames, plan.frame_ns), (1, 1_250_000));
    let frame = |seed| STS.generate_frame(&plan, None, seed).expect("made");
    let [first, second] = [frame(1), frame(2)];
    assert_eq!((first.0.len(), second.0.len()), (1, 1));
    assert_ne!(first.0[0].stream(), second.0[0].stream());
    let works = frames(&params, &[None, None]).works();
    assert_eq!(works[0].items, first.0[0].stream().len() as u64);
    assert_eq!(works[0].input_bytes, 8 * works[0].items);
}

#[test]
fn several_timeslices_become_single_frames() {
    for (scale, frame_ns) in
        [("1", 125_000_000), ("0.1", 125_000_000), ("0.06", 75_000_000), ("0.02", 50_000_000)]
    {
        let several = params(&[("preset", "mcbm-2024"), ("scale", scale)]);
        let plan = STREAMED.frame(&several).expect("sensible");
        let single = scenario(&plan.params).expect("sensible");
        assert_eq!((single.timeslices, plan.frame_ns), (1, frame_ns), "{scale}");
        assert_eq!(plan.frames, scenario(&several).expect("sensible").timeslices, "{scale}");
    }
}

#[test]
fn rates_are_relative_and_pauses_have_noise_only() {
    let params = params(&[("preset", "cbm-auau"), ("scale", "0.002")]);
    let rates = [Some(0.4), Some(0.8), Some(1.2), Some(1.6), Some(0.0)];
    let digis: Vec<u64> = frames(&params, &rates).works().iter().map(|it| it.items).collect();
    // At low rates the number of collisions fluctuates, too.
    assert!(2 * digis[0] < digis[3], "{digis:?}");
    assert!(4 * digis[4] < digis[0], "{digis:?}");
}

#[test]
fn attached_timeslices_have_identical_data() {
    for from in ["digis", "raw"] {
        let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005"), ("from", from)]);
        let plan = STREAMED.frame(&params).expect("sensible");
        let made = [1, 2].map(|seed| STS.generate_frame(&plan, None, seed).expect("made"));
        let seen = seen(&made);
        assert_eq!(seen.len(), 2);
        for (made, seen) in made.iter().zip(&seen) {
            let [made, seen] = [made, seen].map(|timeslices| &timeslices.0[0]);
            assert_eq!((made.stream(), made.partition()), (seen.stream(), seen.partition()));
            assert_eq!((made.setup(), made.online()), (seen.setup(), seen.online()));
            let data = |timeslice: &Timeslice| {
                timeslice.raw().map(|raw| (raw.data().clone(), raw.readout().clone()))
            };
            assert_eq!(data(made).is_some(), from == "raw");
            assert_eq!(data(made), data(seen));
        }
    }
}

#[test]
fn descriptions_that_do_not_fit_are_refused() {
    let refused = |text: &[u8]| STREAMED.attach_frames(text, Vec::new()).err().expect("refused");
    assert!(refused(b"{}").contains("missing field"));
    let params = params(&[("preset", "mcbm-2024"), ("scale", "0.0005")]);
    let description = frames(&params, &[None]).describe().expect("one detector");
    assert!(refused(&description).contains("1 timeslices, but arrays of 0"));
}

#[test]
fn recommended_variants_exist() {
    let info = STREAMED.open_loop();
    for backend in [Backend::Cpu, Backend::Cuda, Backend::Wgpu] {
        let name = info.recommended(backend);
        let mut variants = STS.variants().into_iter();
        assert!(variants.any(|it| (it.backend, it.name) == (backend, name)), "{name}");
    }
}
