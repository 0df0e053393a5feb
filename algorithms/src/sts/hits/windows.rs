//! Ours: what depends on one cluster is computed once, and large modules are split.
//!
//! The clusters of a module's front and the clusters of its back that are near to them
//! are brought into a form that pairs need, in order of time. Then a window moves over
//! the backs as the fronts go on. Two numbers decide whether a pair crosses at all: how
//! far apart in time, and how far apart at the edge; only those that do are worth the
//! rest. Times have few different errors, so cuts are looked up.

use std::ops::Range;

use generators::partition::Partition;

use super::ModuleFormulas;
use crate::sts::formulas::{Lines, Local, Side, pair_time_error};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry, Hit};

/// The clusters of all sides with their entries in order of time. Each side has a room
/// for clusters and one for entries, and so many of both.
#[derive(Clone, Copy)]
pub(in crate::sts) struct SortedClusters<'a> {
    pub(in crate::sts) clusters: &'a [Cluster],
    pub(in crate::sts) entries: &'a [ClusterEntry],
    pub(in crate::sts) rooms: &'a Partition,
    pub(in crate::sts) counts: &'a [usize],
}

impl<'a> SortedClusters<'a> {
    /// The entries of a side.
    #[inline]
    pub(in crate::sts) fn entries(&self, side: usize) -> &'a [ClusterEntry] {
        &self.entries[self.rooms.range(side)][..self.counts[side]]
    }

    /// A cluster by its number in order of time.
    #[inline]
    pub(in crate::sts) fn cluster(&self, side: usize, number: usize) -> &'a Cluster {
        self.of_entry(side, self.entries(side)[number])
    }

    /// The cluster of an entry.
    #[inline]
    pub(in crate::sts) fn of_entry(&self, side: usize, entry: ClusterEntry) -> &'a Cluster {
        &self.clusters[self.rooms.range(side).start + entry.index as usize]
    }
}

/// Clusters of a module's front, by their numbers in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sts) struct WindowJob {
    pub(in crate::sts) module: usize,
    pub(in crate::sts) fronts: Range<usize>,
}

/// All modules, those with more than `most` clusters in front in parts.
pub(in crate::sts) fn window_jobs(fronts: &[usize], most: usize) -> Vec<WindowJob> {
    let parts = |(module, &count): (usize, &usize)| {
        let starts = (0..count).step_by(most.max(1));
        starts.map(move |start| WindowJob {
            module,
            fronts: start..count.min(start + most),
        })
    };
    fronts.iter().enumerate().flat_map(parts).collect()
}

/// A cluster in the form that pairs need.
#[derive(Clone, Copy, Default)]
struct Strip {
    time: u32,
    /// Which of the errors of times it has.
    class: u32,
    /// Where it leaves the edge, in cm, and the error of that.
    edge: f32,
    edge_error: f32,
    /// The lines besides the first, by how many widths they are beside it.
    widths: i32,
}

/// The different errors of times, with the cuts between them.
#[derive(Default)]
struct Classes {
    errors: Vec<f32>,
}

/// What finding hits takes beside clusters and hits.
#[derive(Default)]
pub(in crate::sts) struct Windows {
    fronts: Vec<Strip>,
    backs: Vec<Strip>,
    classes: Classes,
    cuts: Vec<f32>,
}

impl Windows {
    /// Appends the hits of a job; `latest` is the largest error of the times of the back.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        job: &WindowJob,
        clusters: SortedClusters<'_>,
        formulas: &ModuleFormulas<f32>,
        latest: f32,
        hits: &mut Vec<Hit>,
    ) {
        let back_side = clusters.counts.len() / 2 + job.module;
        let fronts = &clusters.entries(job.module)[job.fronts.clone()];
        let (Some(first), Some(last)) = (fronts.first(), fronts.last()) else {
            return;
        };
        self.classes.errors.clear();
        self.fronts.clear();
        let strips = &mut self.fronts;
        self.classes.gather::<P>(
            Side::Front,
            fronts,
            |entry| clusters.of_entry(job.module, entry),
            formulas,
            strips,
        );
        let most = self.largest_cut(formulas, latest);
        let backs = clusters.entries(back_side);
        let start = backs.partition_point(|back| P::delay(first.time, back.time) > most);
        let end = backs.partition_point(|back| -P::delay(last.time, back.time) <= most);
        self.backs.clear();
        let near = &backs[start..end.max(start)];
        let strips = &mut self.backs;
        self.classes.gather::<P>(
            Side::Back,
            near,
            |entry| clusters.of_entry(back_side, entry),
            formulas,
            strips,
        );
        self.look_up_cuts(formulas, latest);
        self.pair::<P>(formulas, most, hits);
    }

    /// No pair of these fronts is further apart in time.
    fn largest_cut(&self, formulas: &ModuleFormulas<f32>, latest: f32) -> f32 {
        let cut = |&front: &f32| formulas.time_cut(front, latest, latest);
        self.classes.errors.iter().map(cut).fold(-1.0, f32::max)
    }

    fn look_up_cuts(&mut self, formulas: &ModuleFormulas<f32>, latest: f32) {
        let errors = &self.classes.errors;
        self.cuts.clear();
        for &front in errors {
            let cuts = errors
                .iter()
                .map(|&back| formulas.time_cut(front, back, latest));
            self.cuts.extend(cuts);
        }
    }

    fn pair<P: Rules>(&self, formulas: &ModuleFormulas<f32>, most: f32, hits: &mut Vec<Hit>) {
        let sensor = &formulas.sensor;
        let crossing = sensor.crossing_range();
        let classes = self.classes.errors.len();
        let mut start = 0;
        for front in &self.fronts {
            let late = |back: &Strip| P::delay(front.time, back.time) > most;
            while self.backs.get(start).is_some_and(late) {
                start += 1;
            }
            let cuts = &self.cuts[front.class as usize * classes..][..classes];
            for back in &self.backs[start..] {
                let delay = P::delay(front.time, back.time);
                if -delay > most {
                    break;
                }
                if delay.abs() > cuts[back.class as usize] {
                    continue;
                }
                for i in lines(front) {
                    let front_line = front.edge - i as f32 * sensor.width;
                    for j in lines(back) {
                        let back_line = back.edge - j as f32 * sensor.width;
                        if !crossing.contains(&(front_line - back_line)) {
                            continue;
                        }
                        if let Some(local) = sensor.crossing(front_line, back_line) {
                            hits.push(self.hit::<P>(formulas, front, back, local));
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn hit<P: Rules>(
        &self,
        formulas: &ModuleFormulas<f32>,
        front: &Strip,
        back: &Strip,
        local: Local<f32>,
    ) -> Hit {
        let sensor = &formulas.sensor;
        let [x, y, z] = sensor.global(local);
        let spread = sensor.spread(front.edge_error, back.edge_error);
        let ([dx, dy, dz], dxy) = P::spread(sensor, spread);
        let [front_error, back_error] =
            [front, back].map(|strip| self.classes.errors[strip.class as usize]);
        Hit {
            x,
            y,
            z,
            time: P::hit_time(front.time, back.time),
            dx,
            dy,
            dz,
            dxy,
            time_error: pair_time_error(front_error, back_error),
            du: sensor.across(Side::Front, front.edge_error),
            dv: sensor.across(Side::Back, back.edge_error),
            address: formulas.address,
        }
    }
}

#[inline]
fn lines(strip: &Strip) -> Lines {
    strip.widths.min(0)..=strip.widths.max(0)
}

impl Classes {
    /// Brings clusters into the form that pairs need, but for those that leave the edge
    /// outside the active area.
    fn gather<'a, P: Rules>(
        &mut self,
        side: Side,
        entries: &[ClusterEntry],
        cluster: impl Fn(ClusterEntry) -> &'a Cluster,
        formulas: &ModuleFormulas<f32>,
        strips: &mut Vec<Strip>,
    ) {
        let sensor = &formulas.sensor;
        for &entry in entries {
            let cluster = cluster(entry);
            let class = self.class(cluster.time_error);
            let Some(edge) = sensor.edge(side, cluster.position) else {
                continue;
            };
            let lines = sensor.lines(side, edge, P::widths);
            strips.push(Strip {
                time: cluster.time,
                class,
                edge,
                edge_error: sensor.edge_error(cluster.position_error),
                widths: lines.start() + lines.end(),
            });
        }
    }

    /// The number of an error. There are as many as cluster sizes, so few.
    #[inline]
    fn class(&mut self, error: f32) -> u32 {
        let known = self.errors.iter().position(|&known| known == error);
        known.unwrap_or_else(|| {
            self.errors.push(error);
            self.errors.len() - 1
        }) as u32
    }
}
