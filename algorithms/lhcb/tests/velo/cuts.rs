//! Cuts of the search other than those of the experiment: all variants follow them, and change the
//! tracks as is to be expected.

use std::sync::Arc;

use algorithms_lhcb::velo::model::search::SearchCuts;
use algorithms_lhcb::velo::physics::{TrackQuality, quality};
use algorithms_lhcb::velo::{Stage, VeloInput, VeloTask};
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::{BankKind, Geometry};
use portable_gpu::emulator::{self, Config};
use tasks::algorithm::{Algorithm, Semantics};
use tasks::axis::Params;
use tasks::device::{Target, Team};

use crate::variants::check_input;

const NARROW: SearchCuts = SearchCuts { phi_tolerance: 50, max_scatter: 0.004 };
const WIDE: SearchCuts = SearchCuts { phi_tolerance: 2000, max_scatter: 2.0 };

fn simulated(events: u64, kind: BankKind, cuts: SearchCuts) -> VeloInput {
    let shape = EventShape::for_preset(Preset::MinBias, kind, events);
    let events = simulate(&shape, 11).expect("valid parameters");
    VeloInput::new(events, Arc::new(Geometry::nominal().clone()), 3).with_cuts(cuts)
}

/// Checks all variants at other cuts, whose tracks differ from those of the experiment's cuts.
fn check_on(target: &Target<'_>, events: u64) {
    for kind in [BankKind::SuperPixel, BankKind::Retina] {
        let usual = simulated(events, kind, SearchCuts::EXPERIMENT);
        let usual = usual.expected(Stage::Tracks, Semantics::Exact);
        for cuts in [NARROW, WIDE] {
            let input = simulated(events, kind, cuts);
            assert!(input.expected(Stage::Tracks, Semantics::Exact).tracks != usual.tracks);
            for stage in [Stage::Tracks, Stage::Chain] {
                check_input(stage, target, &input, &format!("{cuts:?}, {kind}"));
            }
        }
    }
}

/// Checks all variants with the hard inputs of both tasks with tracks.
fn check_hard_inputs(target: &Target<'_>) {
    for stage in [Stage::Tracks, Stage::Chain] {
        let others = { VeloTask { stage }.hard_inputs(2).into_iter() }
            .filter(|(_, input)| input.cuts != SearchCuts::EXPERIMENT);
        let mut inputs = 0;
        for (name, input) in others {
            check_input(stage, target, &input, &name);
            inputs += 1;
        }
        assert!(inputs >= 4, "{inputs} of {}", stage.name());
    }
}

#[test]
fn variants_on_a_cpu_follow_the_cuts() {
    let team = Team::new(2).expect("threads");
    check_on(&Target::host(&team), 10);
    check_hard_inputs(&Target::host(&team));
}

#[test]
fn variants_on_a_gpu_follow_the_cuts() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    let team = Team::new(2).expect("threads");
    let target = Target::emulated(gpu, &team);
    check_on(&target, 4);
    check_hard_inputs(&target);
}

fn quality_of(cuts: SearchCuts) -> TrackQuality {
    let input = simulated(100, BankKind::SuperPixel, cuts);
    let tracks = input.expected(Stage::Chain, Semantics::Exact).tracks;
    quality(&tracks, input.events.truth().expect("simulated"))
}

#[test]
fn wider_windows_find_more_particles_and_a_larger_scatter_more_ghosts() {
    let usual = SearchCuts::EXPERIMENT;
    let found = |quality: &TrackQuality| quality.categories[0].found;
    let narrow = quality_of(SearchCuts { phi_tolerance: NARROW.phi_tolerance, ..usual });
    let straight = quality_of(SearchCuts { max_scatter: NARROW.max_scatter, ..usual });
    let bent = quality_of(SearchCuts { max_scatter: WIDE.max_scatter, ..usual });
    let usual = quality_of(usual);
    assert!(found(&narrow) < found(&usual), "{narrow:?} {usual:?}");
    assert!(found(&straight) < found(&usual), "{straight:?} {usual:?}");
    let ghost_share = |quality: &TrackQuality| quality.ghosts as f64 / quality.tracks as f64;
    assert!(ghost_share(&bent) > 1.5 * ghost_share(&usual), "{bent:?} {usual:?}");
}

#[test]
fn flags_out_of_range_are_refused_when_a_run_is_planned() {
    let plan = |given: &[(&'static str, &str)]| {
        let params: Params = given.iter().copied().collect();
        VeloTask { stage: Stage::Chain }.plan(params).map_err(|error| error.to_string())
    };
    for (tolerance, scatter) in [("45", "0.08"), ("0", "0"), ("1570", "1e6")] {
        let planned = plan(&[("phi-tolerance", tolerance), ("max-scatter", scatter)]);
        assert!(planned.is_ok(), "{tolerance} {scatter}");
    }
    for (flag, value, problem) in [
        ("phi-tolerance", "1600", "--phi-tolerance 1600 is out of range; use 0 to 1570 mrad"),
        ("phi-tolerance", "-1", "--phi-tolerance -1 is out of range"),
        ("max-scatter", "-0.1", "--max-scatter -0.1 is out of range; use 0 or more mm²"),
        ("max-scatter", "inf", "--max-scatter inf is out of range"),
    ] {
        let error = plan(&[(flag, value)]).map(|_| ()).expect_err("refused");
        assert!(error.contains(problem), "{flag} {value}: {error}");
    }
}

/// Runs of earlier versions have no such parameters.
#[test]
fn points_with_default_cuts_have_the_parameters_of_earlier_versions() {
    let plan = VeloTask { stage: Stage::Chain }.plan(Params::default()).expect("defaults");
    assert_eq!(plan.params.get("phi-tolerance"), None);
    assert_eq!(plan.params.get("max-scatter"), None);
}
