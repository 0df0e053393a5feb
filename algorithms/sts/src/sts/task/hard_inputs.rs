//! Small timeslices that are hard in some respect.

use std::sync::Arc;

use generators_common::random::hash;
use generators_sts::io::Remarks;
use generators_sts::physics::Preset;
use generators_sts::raw::{EpochOrder, RawShape, generate as generate_raw};
use generators_sts::setup::{Cuts, Module, Setup};
use generators_sts::{
    Address, CHANNELS_PER_SIDE, Digi, DigiShape, MAX_TIME_NS, Order, SegmentedDigis, Skew, generate,
};

use super::Timeslices;
use super::source::{MAX_DIGI_WINDOW, raw_timeslices};
use crate::sts::{ChainStage, Timeslice};
use tasks::algorithm::Semantics;

/// Inputs for a stage, or for the whole chain. Parts of large sides take long: they are for the
/// chain, which distributes all work, and for the stage whose order spans the parts.
pub(super) fn all(stage: Option<ChainStage>, seed: u64) -> Vec<(String, Timeslices)> {
    let large = match stage {
        None | Some(ChainStage::ClusterSort) => large(seed),
        Some(_) => Vec::new(),
    };
    let mut inputs = Vec::new();
    for online in [Semantics::Exact, Semantics::Published] {
        let named = |name: &str| match online {
            Semantics::Published => format!("{name}, as published"),
            _ => name.to_owned(),
        };
        let digis = patterns(seed).into_iter().chain(shapes(seed));
        for (name, digis) in digis.chain(large.iter().cloned()) {
            inputs.push((named(&name), Timeslices(vec![regular(digis, online)])));
        }
        for (name, setup) in setups() {
            let digis = tracks(seed, setup.modules().len(), 500, 1000);
            let timeslice = Timeslice::new(digis, Arc::new(setup), online);
            inputs.push((named(&name), Timeslices(vec![timeslice])));
        }
        inputs.push((named("two timeslices"), two_timeslices(seed, online)));
        if stage.is_none() {
            inputs.push((named("raw data"), raw(seed, 0.0, online)));
            inputs.push((named("damaged raw data"), raw(seed, 0.02, online)));
        }
    }
    inputs
}

fn two_timeslices(seed: u64, online: Semantics) -> Timeslices {
    let timeslice = |seed| regular(tracks(seed, 2, 300, 500), online);
    Timeslices(vec![timeslice(seed), timeslice(seed.wrapping_add(1))])
}

/// Raw data of several boards, in several timeslices.
fn raw(seed: u64, damage: f64, online: Semantics) -> Timeslices {
    let shape = RawShape {
        scenario: Preset::Mcbm2024.scenario().scaled(3e-4),
        microslice_ns: 100_000,
        overlap: 1,
        order: EpochOrder::Random,
        with_end: true,
        masked: 0.02,
        with_walk: true,
        damage,
    };
    let (data, readout) = generate_raw(&shape, seed).unwrap_or_else(|error| panic!("{error}"));
    let setup = Setup::regular(shape.scenario.detector.modules());
    let setup = setup.unwrap_or_else(|error| panic!("{error}"));
    raw_timeslices(&data, &readout, Remarks::default(), Arc::new(setup), online)
}

fn regular(digis: SegmentedDigis, online: Semantics) -> Timeslice {
    let modules = digis.partition().segments().div_ceil(2);
    // A segment or two of digis always have a setup.
    let setup = Setup::regular(modules).unwrap_or_else(|error| panic!("{error}"));
    Timeslice::new(digis, Arc::new(setup), online)
}

/// Digis of a single module, made one by one.
fn patterns(seed: u64) -> Vec<(String, SegmentedDigis)> {
    type Pattern = (&'static str, fn(u64, u64) -> (u16, u32));
    const LAST: u16 = CHANNELS_PER_SIDE - 1;
    let patterns: [Pattern; 9] = [
        ("a single digi", |_, _| (5, 7)),
        ("one long cluster after the other", |_, i| {
            ((i % 1024) as u16, 100 + (i / 1024) as u32 * 1000)
        }),
        ("one channel without dead time", |_, i| (77, i as u32 * 3)),
        ("two channels without dead time", |random, i| (500 + (random % 2) as u16, i as u32 * 5)),
        ("everything at the same time", |random, _| ((random % 1024) as u16, 4000)),
        ("crowds without dead time", |random, i| ((random % 20) as u16, (i / 8) as u32 * 9)),
        ("the ends of a side", |random, i| {
            let channel = if random % 2 == 0 { LAST } else { random as u16 / 2 % 2 };
            (channel, i as u32 * 10)
        }),
        ("late in a long timeslice", |random, i| {
            ((random % 1024) as u16, MAX_TIME_NS - 40_000 + i as u32 * 10)
        }),
        ("in no order", |random, _| ((random % 1024) as u16, (random >> 32) as u32 % 50_000)),
    ];
    let input = |(name, digi_at): Pattern| {
        let count = if name == "a single digi" { 1 } else { 800 };
        let digi = |side: u64, i: u64| {
            let random = hash(seed, [side, i]);
            let (channel, time) = digi_at(random, i);
            let adc = (random >> 20) as u8 % 32;
            Digi::new(Address::of_module(0), channel, time, adc)
        };
        let side = |side| (0..count).map(|i| digi(side, i)).collect::<Vec<_>>();
        (name.to_owned(), SegmentedDigis::from_segments(&[side(0), side(1)]))
    };
    patterns.into_iter().map(input).collect()
}

/// Generated digis, in modules that are alike or not.
fn shapes(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let base = base();
    let shapes = [
        base.clone(),
        DigiShape { segments: 7, ..base.clone() },
        DigiShape { duplicates: 0.3, order: Order::Random, ..base.clone() },
        DigiShape { order: Order::Jitter(16), timeslice_ns: 5_000_000, ..base.clone() },
        DigiShape { segments: 400, digis: 100, ..base },
    ];
    let shapes = shapes.iter().map(|shape| generated(shape, seed));
    let tracks = ("tracks in two modules".to_owned(), tracks(seed, 2, 1000, 400));
    shapes.chain([tracks]).collect()
}

fn base() -> DigiShape {
    DigiShape {
        segments: 8,
        digis: 5000,
        order: Order::Time,
        skew: Skew::Ratio(1.0),
        duplicates: 0.0,
        timeslice_ns: 25_000,
    }
}

fn generated(shape: &DigiShape, seed: u64) -> (String, SegmentedDigis) {
    let name = format!(
        "{} digis in {} segments, order {}, skew {}, duplicates {}, timeslice {} ns",
        shape.digis, shape.segments, shape.order, shape.skew, shape.duplicates, shape.timeslice_ns
    );
    // All shapes here are sensible; an empty input would be noticed.
    let empty = |_| SegmentedDigis::from_segments::<Vec<Digi>>(&[vec![], vec![]]);
    (name, generate(shape, seed).unwrap_or_else(empty))
}

/// Sides whose number of digis is large enough for them to be split into parts.
fn large(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let noise =
        DigiShape { skew: Skew::Hot(0.9), digis: 30_000, timeslice_ns: 20_000_000, ..base() };
    let hot = ("a hot module".to_owned(), hot_module(seed));
    vec![generated(&noise, seed), hot]
}

/// One module with nearly all tracks.
fn hot_module(seed: u64) -> SegmentedDigis {
    let hot = tracks(seed, 1, 7000, 300);
    let front = hot.segment(0).to_vec();
    let back = hot.segment(1).to_vec();
    SegmentedDigis::from_segments(&[front, vec![], vec![], back, vec![], vec![]])
}

/// Detectors with other strip directions, and other cuts.
fn setups() -> Vec<(String, Setup)> {
    let angles = [(0.0, -7.5), (7.5, 0.0), (-7.5, 7.5), (-5.0, -12.0), (0.0, 0.3), (0.0, 30.0)];
    let mut setups: Vec<_> = angles
        .into_iter()
        .map(|(front, back)| {
            let turn = |module: &mut Module| {
                (module.stereo_front, module.stereo_back) = (front, back);
            };
            (format!("strips at {front} and {back} degrees"), changed(turn))
        })
        .collect();
    let (sin, cos) = 0.4_f64.sin_cos();
    let turned = changed(|module| {
        module.rotation = [cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0];
        module.lorentz_front = 0.03;
        module.lorentz_back = -0.02;
    });
    setups.push(("sensors that are turned, in a field".to_owned(), turned));
    let tilted =
        changed(|module| module.rotation = [-1.0, 0.0, 0.0, 0.0, cos, sin, 0.0, sin, -cos]);
    setups.push(("sensors that are flipped and tilted".to_owned(), tilted));
    setups.extend(cuts());
    setups
}

/// A regular setup with other modules.
fn changed(change: impl Fn(&mut Module)) -> Setup {
    with_cuts(|_| (), change)
}

fn with_cuts(change_cuts: impl Fn(&mut Cuts), change: impl Fn(&mut Module)) -> Setup {
    let regular = sensible(Setup::regular(2));
    let mut cuts = regular.cuts().clone();
    let mut modules = regular.modules().to_vec();
    change_cuts(&mut cuts);
    modules.iter_mut().for_each(change);
    let asic = regular.asic().clone();
    let landau = regular.landau().clone();
    sensible(Setup::new(asic, cuts, landau, modules))
}

fn cuts() -> Vec<(String, Setup)> {
    let cut = |name: &str, digis: f64, clusters: f64, deviations: f64| {
        let change = |cuts: &mut Cuts| {
            cuts.time_cut_digi_abs = digis;
            cuts.time_cut_cluster_abs = clusters;
            cuts.time_cut_cluster_sig = deviations;
        };
        (name.to_owned(), with_cuts(change, |_| ()))
    };
    let long = with_cuts(|cuts| cuts.time_cut_digi_sig = MAX_DIGI_WINDOW, |_| ());
    vec![
        ("a long window of digis".to_owned(), long),
        cut("wide cuts", 100.5, 1000.0, 4.0),
        cut("narrow cuts", 0.5, 3.0, 4.0),
        cut("cuts by deviations", -1.0, -1.0, 1.5),
        cut("cuts that nothing passes", -1.0, -1.0, -1.0),
    ]
}

/// The setups above are all sensible.
fn sensible<E: std::fmt::Display>(setup: Result<Setup, E>) -> Setup {
    setup.unwrap_or_else(|error| panic!("{error}"))
}

/// Digis of particles: both sides of a module at about the same time, one to five strips each, in
/// order of time and without dead time.
fn tracks(seed: u64, modules: usize, tracks: u64, spacing_ns: u32) -> SegmentedDigis {
    let mut sides = vec![Vec::new(); 2 * modules];
    for track in 0..tracks {
        let module = (hash(seed, [track, 0]) % modules as u64) as usize;
        let time = 100 + track as u32 * spacing_ns / modules as u32;
        let channels = hash(seed, [track, 1]);
        for (side, channel) in [(module, channels % 1024), (modules + module, channels >> 32)] {
            let strips = 1 + hash(seed, [track, side as u64, 2]) % 5;
            for strip in 0..strips {
                let random = hash(seed, [track, side as u64, 3 + strip]);
                let channel = (channel % 1020 + strip) as u16;
                let time = time + (random % 21) as u32;
                let adc = (random >> 16) as u8 % 32;
                sides[side].push(Digi::new(Address::of_module(module), channel, time, adc));
            }
        }
    }
    for digis in &mut sides {
        digis.sort_by_key(|digi| digi.time_ns());
    }
    SegmentedDigis::from_segments(&sides)
}
