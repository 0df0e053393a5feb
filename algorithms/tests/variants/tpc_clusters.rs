//! Clusters that the experiment's own code has found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;

use algorithms::tpc_cluster_finder::{Cluster, Settings, clusters};
use flate2::read::GzDecoder;
use generators::tpc::PadId;
use generators::tpc::charges::Charge;
use generators::tpc::geometry::pads_in_row;

use crate::tpc_pages::root;

/// Time bins behind the last sample: nothing looks farther.
const BEHIND: usize = 4;

/// An input, and what was made of it: rows first in all places.
#[derive(Default)]
struct Case {
    name: String,
    settings: Settings,
    noisy: BTreeSet<(usize, usize)>,
    samples: BTreeMap<usize, Vec<Charge>>,
    /// Raw peaks, and whether they are kept.
    peaks: BTreeSet<[usize; 4]>,
    /// Samples with what is left of their charge, and flags.
    shares: BTreeSet<[usize; 5]>,
    clusters: Vec<(usize, Cluster)>,
}

impl Case {
    fn of(text: &str) -> Self {
        let mut lines = text.lines();
        let name = lines.next().expect("a name").to_owned();
        let mut case = Case { name, ..Case::default() };
        lines.for_each(|line| case.read(line));
        case
    }

    fn read(&mut self, line: &str) {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        if kind == "param" {
            return self.set(rest);
        }
        let numbers = || rest.split(' ').map(|word| word.parse::<usize>().expect("a number"));
        match kind {
            "noisy" => {
                let [row, pad] = first(numbers());
                self.noisy.insert((row, pad));
            }
            "r" => {
                let [row, pad, time] = first(numbers());
                let charges = numbers().skip(3).zip(time..);
                let sample = |(charge, time)| charge_at(pad, time, charge);
                self.samples.entry(row).or_default().extend(charges.map(sample));
            }
            "d" => {
                let [row, pad, time, charge] =
                    first(rest.split(' ').take(4).map(|word| word.parse().expect("a number")));
                let sample = charge_at(pad, time, charge);
                self.samples.entry(row).or_default().push(sample);
            }
            "p" => drop(self.peaks.insert(first(numbers()))),
            "s" => drop(self.shares.insert(first(numbers()))),
            "c" => self.clusters.push(cluster(rest)),
            "sector" | "frame" | "fragment" | "end" => {}
            other => panic!("who knows {other}?"),
        }
    }

    fn set(&mut self, words: &str) {
        let (name, value) = words.split_once(' ').expect("a name and a value");
        let settings = &mut self.settings;
        if name == "time_shift" {
            settings.time_shift = value.parse().expect("a number");
            return;
        }
        let setting = match name {
            "qmax_cutoff" => &mut settings.qmax_cutoff,
            "inner_threshold" => &mut settings.inner_threshold,
            "noise_eps" => &mut settings.noise_eps,
            "noise_eps_rel" => &mut settings.noise_eps_rel,
            "qtot_cutoff" => &mut settings.qtot_cutoff,
            "qmax_single_time" => &mut settings.qmax_single_time,
            "qmax_single_pad" => &mut settings.qmax_single_pad,
            "min_split" => &mut settings.min_split,
            other => panic!("who knows {other}?"),
        };
        *setting = value.parse().expect("a number");
    }

    fn check(&self) {
        let name = &self.name;
        let (mut peaks, mut shares, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for (&row, samples) in &self.samples {
            let pads = 0..pads_in_row(row);
            let is_noisy: Vec<_> = pads.map(|pad| self.noisy.contains(&(row, pad))).collect();
            let last = samples.iter().map(|sample| sample.time).max().unwrap_or(0);
            let made = clusters(samples, &is_noisy, last as usize + BEHIND, &self.settings);
            for ((pad, time), is_kept) in made.peaks {
                peaks.insert([row, pad as usize, time as usize, usize::from(is_kept)]);
            }
            for ((pad, time), share) in made.shares {
                let flags = usize::from(share.is_at_peak) + 2 * usize::from(share.is_divided);
                shares.insert([row, pad as usize, time as usize, share.charge as usize, flags]);
            }
            found.extend(made.clusters.into_iter().map(|cluster| (row, cluster)));
        }
        assert_eq!(found, self.clusters, "{name}");
        // Only some of the inputs tell them.
        assert!(self.peaks.is_empty() || self.peaks == peaks, "{name}: peaks");
        assert!(self.shares.is_empty() || self.shares == shares, "{name}: shares");
    }
}

fn charge_at(pad: usize, time: usize, charge: usize) -> Charge {
    Charge { time: time as u32, pad: PadId::new(0, pad as u8), charge: charge as u16 }
}

fn first<const N: usize>(mut numbers: impl Iterator<Item = usize>) -> [usize; N] {
    [0; N].map(|_| numbers.next().expect("a number"))
}

/// `ROW PAD TIME SIGMAPAD SIGMATIME QMAX QTOT FLAGS`, and labels.
fn cluster(line: &str) -> (usize, Cluster) {
    let numbers = line.split(' ').take(8).map(|word| word.parse().expect("a number"));
    let [row, pad, time, sigma_pad, sigma_time, qmax, qtot, flags] = first(numbers);
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

fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).expect("readable");
    let mut text = String::new();
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    };
    read.expect("a text");
    text
}

#[test]
fn the_reference_finds_the_clusters_of_the_experiment() {
    let folder = root().join("../shared/tpc/clusters");
    if !folder.is_dir() {
        eprintln!("skipped: no {}", folder.display());
        return;
    }
    let files = [
        "handmade.cases",
        "random.cases.gz",
        "pbpb-s3.cases.gz",
        "labels-s3.cases.gz",
        "gain-noisy-s21.cases.gz",
    ];
    for file in files {
        let text = text_of(&folder.join(file));
        let cases: Vec<_> = text.split("case ").skip(1).map(Case::of).collect();
        assert!(!cases.is_empty(), "{file}");
        cases.iter().for_each(Case::check);
    }
}
