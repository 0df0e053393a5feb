//! Windows that are given as parameters: all variants follow them, and they change clusters and hits
//! as is to be expected.

use algorithms_sts::sts::task::{
    STS, STS_CLUSTER, STS_CLUSTER_SORT, STS_COLLECT, STS_HITS, STS_PRESORT, Timeslices,
};
use portable_gpu::emulator::{self, Config};
use tasks::algorithm::{Algorithm, Semantics};
use tasks::axis::Params;
use tasks::device::{Target, Team};

/// Parameters with their values.
type Given<'a> = &'a [(&'static str, &'static str)];

/// Two settings other than those of the experiment.
const OTHERS: [Given<'static>; 2] = [
    &[("digi-window", "0.6"), ("cluster-window", "1.5")],
    &[("digi-window", "12"), ("cluster-window", "2.5")],
];

const DIGIS: Given<'static> = &[("preset", "cbm-auau"), ("scale", "0.0005")];
const COMPAT: Given<'static> = &[("preset", "cbm-auau"), ("scale", "0.0005"), ("compat", "yes")];
const RAW: Given<'static> = &[("preset", "mcbm-2024"), ("scale", "0.0003"), ("from", "raw")];

fn input(data: Given<'_>, windows: Given<'_>) -> Timeslices {
    let params: Params = data.iter().chain(windows).copied().collect();
    let plan = STS.plan(params).expect("in range");
    STS.generate(&plan.params, 5).expect("simulated")
}

fn check_on(target: &Target<'_>, data: Given<'_>) {
    for windows in OTHERS {
        let input = input(data, windows);
        let variants = STS.variants().into_iter();
        for variant in variants.filter(|variant| variant.backend == target.device.backend()) {
            let checked = variant.checked_output(&STS, &input, target, None);
            if let Err(problem) = checked {
                panic!("{data:?}, {windows:?} by {}: {problem}", variant.name);
            }
        }
    }
}

#[test]
fn variants_on_a_cpu_follow_the_windows() {
    let team = Team::new(2).expect("threads");
    for data in [DIGIS, COMPAT, RAW] {
        check_on(&Target::host(&team), data);
    }
}

#[test]
fn variants_on_a_gpu_follow_the_windows() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    let team = Team::new(2).expect("threads");
    let target = Target::emulated(gpu, &team);
    for data in [DIGIS, COMPAT] {
        check_on(&target, data);
    }
}

/// Efficiency, ghosts and the number of clusters.
fn figures(windows: Given<'_>) -> [f64; 3] {
    let input = input(&[("preset", "cbm-auau"), ("scale", "0.002")], windows);
    let output = STS.reference(&input, Semantics::Exact).expect("a reference");
    let quality = STS.quality(&input, &output);
    ["efficiency", "ghosts", "clusters"].map(|name| {
        let figure = quality.iter().find(|figure| figure.metric.info.name == name);
        figure.unwrap_or_else(|| panic!("no {name}")).value()
    })
}

#[test]
fn windows_change_clusters_and_hits_as_expected() {
    let [efficiency, ghosts, clusters] = figures(&[]);
    let same = figures(&[("digi-window", "3"), ("cluster-window", "4")]);
    assert_eq!([efficiency, ghosts, clusters], same);
    let [narrow_efficiency, narrow_ghosts, same_clusters] = figures(&[("cluster-window", "1")]);
    assert!(narrow_efficiency < efficiency, "{narrow_efficiency} {efficiency}");
    assert!(narrow_ghosts < ghosts, "{narrow_ghosts} {ghosts}");
    assert_eq!(same_clusters, clusters);
    let [_, _, more_clusters] = figures(&[("digi-window", "0.5")]);
    let [_, _, fewer_clusters] = figures(&[("digi-window", "30")]);
    assert!(fewer_clusters < clusters && clusters < more_clusters);
}

/// Runs of earlier versions have no such parameters.
#[test]
fn points_with_default_windows_have_the_parameters_of_earlier_versions() {
    let plan = STS_HITS.plan(Params::default()).expect("defaults");
    assert_eq!(plan.params.get("digi-window"), None);
    assert_eq!(plan.params.get("cluster-window"), None);
}

#[test]
fn windows_out_of_range_are_refused_when_a_run_is_planned() {
    let refused: [Given<'_>; 3] = [
        &[("cluster-window", "5")],
        &[("digi-window", "-1")],
        &[("from", "raw"), ("cluster-window", "0")],
    ];
    for given in refused {
        let params: Params = given.iter().copied().collect();
        let refused = STS.plan(params).map(|_| ()).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.contains("is out of range")), "{given:?}");
    }
}

/// A parameter that is varied should change something.
#[test]
fn tasks_have_the_windows_that_change_them() {
    for (task, has_digi, has_cluster) in [
        (STS_PRESORT, false, false),
        (STS_CLUSTER, true, false),
        (STS_CLUSTER_SORT, true, false),
        (STS_HITS, true, true),
        (STS_COLLECT, true, true),
        (STS, true, true),
    ] {
        let info = task.info();
        for axes in [info.axes, info.file_axes] {
            let has = |name| axes.iter().any(|axis| axis.name == name);
            let windows = (has("digi-window"), has("cluster-window"));
            assert_eq!(windows, (has_digi, has_cluster), "{}", info.name);
        }
    }
}
