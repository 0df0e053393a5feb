//! recobench: terms that depend on one cluster are computed once, and large modules are split.
//!
//! The clusters of a module's front and the near clusters of its back are converted to the form
//! that pairs need, in order of time: a line each, or several if they cross the sensor's edge
//! (`lines`). Then a window moves over the lines of the back as those of the front advance, and
//! lines that cross are listed (`near`). Only for these are hits computed, in batches
//! (`crossings`). There are few different time errors, so cuts are looked up.
//!
//! The code is compiled for several instruction sets, and the widest that the machine supports is
//! used. Operations are the same in each, and so are hits, to the last bit.

use std::ops::Range;

use super::crossings::{Crossings, TimeErrors};
use super::lines::{Clusters, ErrorClasses, Lines, MAX_CLASSES};
use super::near::{Isa, Limits, Pairs, Scalar};
use super::outgoing::HitSink;
use super::{ModuleFormulas, SortedClusters};
use crate::sts::Hit;
use crate::sts::formulas::{Side, pair_time_error};
use crate::sts::rules::Rules;

/// Clusters of a module's front, as a range of their order in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sts) struct WindowJob {
    pub(in crate::sts) module: usize,
    pub(in crate::sts) fronts: Range<usize>,
}

/// All modules, those with more than `max` clusters in front in parts.
pub(in crate::sts) fn window_jobs(fronts: &[usize], max: usize) -> Vec<WindowJob> {
    let parts = |(module, &count): (usize, &usize)| {
        let starts = (0..count).step_by(max.max(1));
        starts.map(move |start| WindowJob { module, fronts: start..count.min(start + max) })
    };
    fronts.iter().enumerate().flat_map(parts).collect()
}

/// Input of a job.
#[derive(Clone, Copy)]
pub(in crate::sts) struct WindowInput<'a> {
    pub(in crate::sts) job: &'a WindowJob,
    pub(in crate::sts) clusters: SortedClusters<'a>,
    pub(in crate::sts) formulas: &'a ModuleFormulas<f32>,
    /// The largest error of the times of the back.
    pub(in crate::sts) latest: f32,
}

/// Scratch buffers for finding hits.
#[derive(Default)]
pub(in crate::sts) struct Windows {
    fronts: Lines,
    backs: Lines,
    classes: ErrorClasses,
    /// The cuts on times between any two of the different errors, and the errors of hits.
    cuts: Vec<f32>,
    hit_errors: Vec<f32>,
    pairs: Pairs,
    crossings: Box<Crossings>,
}

impl Windows {
    /// Appends the hits of a job.
    pub(in crate::sts) fn find<P: Rules>(&mut self, input: WindowInput<'_>, hits: &mut Vec<Hit>) {
        HitSink::with(hits, |to| best::<P>()(self, input, to));
    }

    /// Finds hits with the instructions of `isa`.
    #[inline(always)]
    fn find_by<P: Rules>(&mut self, isa: impl Isa, input: WindowInput<'_>, to: HitSink<'_>) {
        let WindowInput { job, clusters, formulas, .. } = input;
        let back_side = clusters.counts.len() / 2 + job.module;
        let fronts = &clusters.entries(job.module)[job.fronts.clone()];
        let Some((first, last)) = fronts.first().zip(fronts.last()) else {
            return;
        };
        self.classes.clear();
        let of_front = Clusters {
            side: Side::Front,
            entries: fronts,
            clusters: clusters.clusters(job.module),
        };
        self.fronts.gather::<P>(of_front, formulas, &mut self.classes);
        let max = self.largest_cut(input);
        let mut near = clusters.entries(back_side);
        // For all of the front, all of the back is taken without a search.
        if fronts.len() < clusters.counts[job.module] {
            let start = near.partition_point(|back| P::delay(first.time, back.time) > max);
            let end = near.partition_point(|back| -P::delay(last.time, back.time) <= max);
            near = &near[start..end.max(start)];
        }
        let of_back =
            Clusters { side: Side::Back, entries: near, clusters: clusters.clusters(back_side) };
        self.backs.gather::<P>(of_back, formulas, &mut self.classes);
        self.look_up(input);
        self.pair::<P>(isa, formulas, max, to);
    }

    /// Largest time difference of pairs of these fronts.
    fn largest_cut(&self, WindowInput { formulas, latest, .. }: WindowInput<'_>) -> f32 {
        let cut = |&front: &f32| formulas.time_cut(front, latest, latest);
        self.classes.errors.iter().map(cut).fold(-1.0, f32::max)
    }

    fn look_up(&mut self, WindowInput { formulas, latest, .. }: WindowInput<'_>) {
        let errors = &self.classes.errors;
        self.cuts.clear();
        self.hit_errors.clear();
        for &front in errors {
            self.cuts.extend(errors.iter().map(|&back| formulas.time_cut(front, back, latest)));
            self.hit_errors.extend(errors.iter().map(|&back| pair_time_error(front, back)));
            let row = self.cuts.len().next_multiple_of(self.classes.stride());
            self.cuts.resize(row, 0.0);
            self.hit_errors.resize(row, 0.0);
        }
    }

    #[inline(always)]
    fn pair<P: Rules>(
        &mut self,
        isa: impl Isa,
        formulas: &ModuleFormulas<f32>,
        max: f32,
        mut to: HitSink<'_>,
    ) {
        let lines = [&self.fronts, &self.backs];
        let range = formulas.sensor.crossing_range();
        let limits = Limits {
            cuts: &self.cuts,
            stride: self.classes.stride(),
            max,
            range: [*range.start(), *range.end()],
        };
        let time_errors = TimeErrors { table: &self.hit_errors, stride: limits.stride };
        self.pairs.begin();
        loop {
            let any = if self.classes.errors.len() <= MAX_CLASSES {
                self.pairs.list::<P, _>(isa, lines, &limits)
            } else {
                self.pairs.list::<P, _>(Scalar, lines, &limits)
            };
            if !any {
                return self.crossings.finish(&mut to);
            }
            let [fronts, backs] = self.pairs.listed();
            self.crossings.append::<P>(fronts, backs, lines, formulas, time_errors, &mut to);
        }
    }
}

/// Finds the hits of a job: see [`Windows::find`].
type Find = fn(&mut Windows, WindowInput<'_>, HitSink<'_>);

/// The widest that this machine has.
fn best<P: Rules>() -> Find {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available::<P>().or_else(avx2::if_available::<P>) {
        return widest;
    }
    find_scalar::<P>
}

fn find_scalar<P: Rules>(windows: &mut Windows, input: WindowInput<'_>, to: HitSink<'_>) {
    windows.find_by::<P>(Scalar, input, to);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Find, HitSink, Rules, WindowInput, Windows};
    use tasks::device::cpu_features::{Avx2, with_instructions};

    with_instructions! {
        /// Eight lanes, on machines with AVX2.
        ["avx2", "popcnt"]
        Find: fn find<P: Rules>(
            windows: &mut Windows, input: WindowInput<'_>, to: HitSink<'_>
        ) {
            windows.find_by::<P>(Avx2::enabled(), input, to);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Find, HitSink, Rules, WindowInput, Windows};
    use tasks::device::cpu_features::{Avx512, with_instructions};

    with_instructions! {
        /// Sixteen lanes, on machines with AVX-512.
        ["avx512f", "avx512vl", "avx512dq", "popcnt"]
        Find: fn find<P: Rules>(
            windows: &mut Windows, input: WindowInput<'_>, to: HitSink<'_>
        ) {
            windows.find_by::<P>(Avx512::enabled(), input, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use generators_common::partition::Partition;
    use generators_common::random::mix;
    use generators_sts::setup::Setup;

    use super::*;
    use crate::sts::hits::pairs::Pairs as OnlinePairs;
    use crate::sts::rules::{Exact, Published};
    use crate::sts::{Cluster, ClusterEntry};

    /// All that this machine has.
    fn find_functions<P: Rules>() -> Vec<Find> {
        let mut find_functions: Vec<Find> = vec![find_scalar::<P>];
        #[cfg(target_arch = "x86_64")]
        {
            find_functions.extend(avx2::if_available::<P>());
            find_functions.extend(avx512::if_available::<P>());
        }
        find_functions
    }

    /// `count` clusters of a side in order of time, of `sizes` sizes, some of them beyond the edge.
    fn clusters(count: usize, sizes: u64, first: f32) -> Vec<Cluster> {
        let cluster = |i: usize| {
            let random = |of: u64| mix(first as u64 + 8 * i as u64 + of);
            let size = 1 + random(0) % sizes;
            Cluster {
                size: size as i32,
                position: first + (random(1) % 103_000) as f32 / 100.0 - 3.0,
                position_error: 0.01 * size as f32,
                time: 1000 + i as u32 / 3 * 4,
                time_error: 5.0 / (size as f32).sqrt(),
                ..Cluster::default()
            }
        };
        (0..count).map(cluster).collect()
    }

    fn in_order(mut hits: Vec<Hit>) -> Vec<[u32; 12]> {
        hits.sort_by_key(Hit::order);
        hits.iter().map(Hit::order).collect()
    }

    fn check<P: Rules>(counts: [usize; 2], sizes: u64) {
        let setup = Setup::regular(1).expect("sensible");
        let [fronts, backs] = counts;
        let all = [clusters(fronts, sizes, 0.0), clusters(backs, sizes, 1024.0)];
        let entries = all.each_ref().map(|clusters| {
            let entry =
                |(index, cluster): (u32, &Cluster)| ClusterEntry { time: cluster.time, index };
            (0..).zip(clusters).map(entry).collect::<Vec<_>>()
        });
        let clusters = all.concat();
        let entries = entries.concat();
        let sides = Partition::from_lengths(counts);
        let sorted = SortedClusters {
            clusters: &clusters,
            entries: &entries,
            sides: &sides,
            counts: &counts,
        };
        let formulas = &ModuleFormulas::of_all(&setup)[0];
        let latest = 5.0;
        let mut expected = Vec::new();
        let online =
            OnlinePairs { clusters: sorted, formulas, module: 0, latest_errors: [latest; 2] };
        online.find_all::<P>(|hit| expected.push(hit));
        let expected = in_order(expected);
        for find in find_functions::<P>() {
            let mut windows = Windows::default();
            let mut hits = Vec::new();
            for job in window_jobs(&[fronts], 300) {
                let input = WindowInput { job: &job, clusters: sorted, formulas, latest };
                HitSink::with(&mut hits, |to| find(&mut windows, input, to));
            }
            assert_eq!(in_order(hits), expected, "{counts:?}, {sizes} sizes");
        }
    }

    #[test]
    fn all_instruction_sets_find_the_hits_of_all_pairs() {
        // With 40 sizes there are more errors than vectors can look up.
        for sizes in [1, 5, 40] {
            for counts in [[1, 1], [7, 100], [100, 7], [1000, 900]] {
                check::<Exact>(counts, sizes);
                check::<Published>(counts, sizes);
            }
        }
    }
}
