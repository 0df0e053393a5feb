//! Comparison with clusters and fragments of the experiment's code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use algorithms_tpc::tpc_cluster_finder::{Charges, Cluster, Clusters, TpcClusterFinder, clusters};
use algorithms_tpc::tpc_decode::{FragmentOfFrame, Fragments};
use generators_tpc::PadId;
use generators_tpc::charges::{Charge, ChargeCase};
use generators_tpc::geometry::pads_in_row;
use generators_tpc::io::read_charges;
use tasks::algorithm::{Algorithm, Variant};
use tasks::device::{Backend, Target, Team};

use crate::common::text_of;
use crate::experiments::{fixtures, full_set};

/// Number of time bins after the last sample that algorithms may read.
const BEHIND: usize = 4;

/// Results for an input; in all coordinates the row is first.
#[derive(Debug, Default, PartialEq)]
struct Results {
    /// Raw peaks, and whether they are kept.
    peaks: BTreeSet<[usize; 4]>,
    /// Samples with the remaining fraction of their charge, and flags.
    shares: BTreeSet<[usize; 5]>,
    clusters: Vec<(usize, Cluster)>,
    /// Labels of each cluster.
    labels: Vec<Vec<u64>>,
}

impl Results {
    /// Parses the lines of a case.
    fn parse(lines: &str) -> Self {
        let mut results = Results::default();
        for line in lines.lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            match kind {
                "p" => drop(results.peaks.insert(first(numbers(rest)))),
                "s" => drop(results.shares.insert(first(numbers(rest)))),
                "c" => {
                    results.clusters.push(cluster(rest));
                    let labels = rest.split(' ').skip(8).map(|word| word.parse().expect("a label"));
                    results.labels.push(labels.collect());
                }
                // Other lines are parsed elsewhere.
                _ => {}
            }
        }
        results
    }

    /// Results of the reference.
    fn found(case: &ChargeCase) -> Self {
        let mut results = Results::default();
        for (row, samples) in samples_by_row(case) {
            results.find(row, &samples, case);
        }
        results
    }

    fn find(&mut self, row: u8, samples: &[Charge], case: &ChargeCase) {
        let pads = 0..pads_in_row(row.into());
        let is_noisy = |pad| case.noisy.contains(&PadId::new(row, pad as u8));
        let is_noisy: Vec<_> = pads.map(is_noisy).collect();
        let last = samples.iter().map(|sample| sample.time).max().unwrap_or(0);
        let made = clusters(samples, &is_noisy, last as usize + BEHIND, &case.settings);
        let row = row.into();
        for ((pad, time), is_kept) in made.peaks {
            self.peaks.insert([row, pad as usize, time as usize, usize::from(is_kept)]);
        }
        for ((pad, time), share) in made.shares {
            let flags = usize::from(share.is_at_peak) + 2 * usize::from(share.is_divided);
            self.shares.insert([row, pad as usize, time as usize, share.charge as usize, flags]);
        }
        self.clusters.extend(made.clusters.into_iter().map(|cluster| (row, cluster)));
    }

    fn check(&self, case: &ChargeCase) {
        let name = &case.name;
        let found = Results::found(case);
        assert_eq!(found.clusters, self.clusters, "{name}");
        // Only some of the files contain these.
        assert!(self.peaks.is_empty() || self.peaks == found.peaks, "{name}: peaks");
        assert!(self.shares.is_empty() || self.shares == found.shares, "{name}: shares");
    }
}

impl Results {
    /// Asserts that a variant has found these clusters and their labels in a case, in the order of
    /// collection if it keeps that.
    fn check_found(&self, found: &Clusters, case: usize, variant: &Variant<TpcClusterFinder>) {
        let own: Vec<_> = (0..found.len()).filter(|&it| found[it].case as usize == case).collect();
        let clusters = own.iter().map(|&it| (found[it].row.into(), found[it].cluster));
        assert_eq!(clusters.collect::<Vec<_>>(), self.clusters, "{}", variant.name);
        let labels =
            own.iter().map(|&it| found.labels.as_ref().map_or(&[][..], |all| all.list(it)));
        let comparable = |labels: &[u64]| {
            let mut labels = labels.to_vec();
            if !variant.stable {
                labels.iter_mut().for_each(|label| *label &= (1 << 58) - 1);
                labels.sort_unstable();
            }
            labels
        };
        let found: Vec<_> = labels.map(comparable).collect();
        let right: Vec<_> = self.labels.iter().map(|labels| comparable(labels)).collect();
        assert_eq!(found, right, "{}", variant.name);
    }
}

fn samples_by_row(case: &ChargeCase) -> BTreeMap<u8, Vec<Charge>> {
    let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for charge in &case.charges {
        rows.entry(charge.pad.row()).or_default().push(*charge);
    }
    rows
}

fn numbers(words: &str) -> impl Iterator<Item = usize> {
    words.split(' ').map(|word| word.parse().expect("a number"))
}

fn first<const N: usize>(mut numbers: impl Iterator<Item = usize>) -> [usize; N] {
    [0; N].map(|_| numbers.next().expect("a number"))
}

/// Parses `ROW PAD TIME SIGMAPAD SIGMATIME QMAX QTOT FLAGS`, and labels.
fn cluster(line: &str) -> (usize, Cluster) {
    let [row, pad, time, sigma_pad, sigma_time, qmax, qtot, flags] = first(numbers(line));
    let cluster = Cluster {
        time_and_flags: Cluster::with_flags(time as u32, flags as u8),
        pad: pad as u16,
        sigma_time: sigma_time as u8,
        sigma_pad: sigma_pad as u8,
        qmax: qmax as u16,
        qtot: qtot as u16,
    };
    (row, cluster)
}

/// The inputs of a file, and the results of the experiment's code.
type CasesWithResults = (Vec<ChargeCase>, Vec<Results>);

fn read(file: &Path) -> CasesWithResults {
    let cases = read_charges(file).expect("well-formed");
    let results: Vec<_> = text_of(file).split("case ").skip(1).map(Results::parse).collect();
    assert_eq!(results.len(), cases.len());
    (cases, results)
}

fn committed() -> Vec<CasesWithResults> {
    vec![read(&fixtures("tpc-clusters").join("random.cases.gz"))]
}

/// Empty without the full set.
fn full() -> Vec<CasesWithResults> {
    let names = [
        "handmade.cases",
        "random.cases.gz",
        "pbpb-s3.cases.gz",
        "labels-s3.cases.gz",
        "gain-noisy-s21.cases.gz",
    ];
    let folder = full_set("tpc/clusters");
    folder.map_or(Vec::new(), |folder| names.map(|name| read(&folder.join(name))).into())
}

fn the_reference_finds_the_clusters(files: Vec<CasesWithResults>) {
    for (cases, results) in files {
        results.iter().zip(&cases).for_each(|(results, case)| results.check(case));
    }
}

#[test]
fn the_reference_finds_the_clusters_of_the_experiment() {
    the_reference_finds_the_clusters(committed());
}

#[test]
fn the_reference_finds_the_clusters_of_the_experiment_in_full() {
    the_reference_finds_the_clusters(full());
}

/// Checks all CPU variants on each file; those with maps of full sectors on every `step`th of its
/// inputs.
fn variants_find_the_clusters(files: Vec<CasesWithResults>, step: usize) {
    let team = Team::new(2).expect("threads");
    for (cases, results) in files {
        let has_labels = cases.iter().any(|case| case.labels.is_some());
        let some = Charges::new(cases.iter().step_by(step).cloned().collect());
        let all = Charges::new(cases);
        for variant in TpcClusterFinder.variants() {
            let is_of_labels = variant.name == "unordered-set";
            if variant.backend != Backend::Cpu || is_of_labels && !has_labels {
                continue;
            }
            let (charges, step) = if variant.name == "rows" { (&all, 1) } else { (&some, step) };
            let found = variant.output(&TpcClusterFinder, charges, &Target::host(&team));
            let found = found.expect("no damage");
            for (index, results) in results.iter().step_by(step).enumerate() {
                results.check_found(&found, index, &variant);
            }
        }
    }
}

#[test]
fn variants_find_the_clusters_of_the_experiment() {
    variants_find_the_clusters(committed(), 9);
}

#[test]
fn variants_find_the_clusters_of_the_experiment_in_full() {
    variants_find_the_clusters(full(), 9);
}

#[test]
#[ignore = "maps of 200 sectors"]
fn variants_find_all_clusters_of_the_experiment() {
    variants_find_the_clusters(committed(), 1);
}

#[test]
#[ignore = "maps of 790 sectors"]
fn variants_find_all_clusters_of_the_experiment_in_full() {
    variants_find_the_clusters(full(), 1);
}

/// `FRAME,LENGTH,INDEX,START,TIME_BINS,HAS_ONE_BEFORE,HAS_ONE_BEHIND,FIRST_OWN,END_OF_OWN`
fn row(line: &str) -> [u32; 9] {
    let numbers: Vec<_> = line.split(',').map(|word| word.parse().expect("a number")).collect();
    numbers.try_into().expect("nine columns")
}

/// Checks the rows of a frame.
fn check(rows: &[[u32; 9]]) {
    let [frame, length, ..] = rows[0];
    let made: Vec<_> = Fragments::new(length).of_frame(frame).collect();
    assert_eq!(made.len(), rows.len(), "{frame} {length}");
    let last = rows.len() as u32 - 1;
    for (part, &row) in made.into_iter().zip(rows) {
        let [_, _, index, start, time_bins, before, after, first_own, end_of_own] = row;
        let expected =
            FragmentOfFrame { time_bins: start..start + time_bins, own: first_own..end_of_own };
        assert_eq!(part, expected, "{frame} {length}");
        assert_eq!([before, after], [index > 0, index < last].map(u32::from));
    }
}

#[test]
fn fragments_are_those_of_the_experiment() {
    let file = fixtures("tpc-clusters").join("fragments.csv");
    let table = fs::read_to_string(file).expect("a fixture");
    let rows: Vec<_> = table.lines().skip(1).map(row).collect();
    assert_eq!(rows.len(), 94);
    rows.chunk_by(|one, next| one[..2] == next[..2]).for_each(check);
}
