//! Ours: what depends on one cluster is computed once, and large modules are split.
//!
//! The clusters of a module's front and the clusters of its back that are near to them
//! are brought into a form that pairs need, in order of time: a line each, or several
//! if they run across the sensor's edge. Then a window moves over the lines of the back
//! as those of the front go on. Two numbers decide whether lines cross: how far apart
//! in time they are, and how far apart at the edge. Nobody could predict the answer, so
//! it is counted rather than branched on; only lines that cross are worth the rest. They
//! are listed for many of the front together, so that their hits are computed in one go.
//! Times have few different errors, so cuts are looked up.

use std::ops::Range;

use super::{ModuleFormulas, SortedClusters};
use crate::sts::formulas::{Local, Side, pair_time_error};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry, Hit};

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
        starts.map(move |start| WindowJob { module, fronts: start..count.min(start + most) })
    };
    fronts.iter().enumerate().flat_map(parts).collect()
}

/// A line of a cluster, as far as it decides about crossings.
#[derive(Clone, Copy, Default)]
struct Line {
    time: u32,
    /// Which of the errors of times it has.
    class: u32,
    /// Where it leaves the edge, in cm.
    edge: f32,
    /// The error of that, in cm.
    edge_error: f32,
}

/// What finding hits takes beside clusters and hits.
#[derive(Default)]
pub(in crate::sts) struct Windows {
    fronts: Vec<Line>,
    backs: Vec<Line>,
    /// The different errors of times, and the cuts between any two of them.
    errors: Vec<f32>,
    cuts: Vec<f32>,
    /// The errors of hits of any two of them.
    hit_errors: Vec<f32>,
    /// Lines of the front, each with one of the back that it crosses.
    crossing: Vec<[u32; 2]>,
    /// The class of the last error of each cluster size.
    classes: [u32; KNOWN_SIZES],
}

/// Cluster sizes whose class is remembered: a power of two.
const KNOWN_SIZES: usize = 16;
/// Hits of so many pairs of lines or more are computed in one go.
const MOST_CROSSING: usize = 1024;

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
        self.errors.clear();
        let mut lines = std::mem::take(&mut self.fronts);
        self.gather::<P>(Side::Front, fronts, clusters.clusters(job.module), formulas, &mut lines);
        self.fronts = lines;
        let most = self.largest_cut(formulas, latest);
        let backs = clusters.entries(back_side);
        let start = backs.partition_point(|back| P::delay(first.time, back.time) > most);
        let end = backs.partition_point(|back| -P::delay(last.time, back.time) <= most);
        let near = &backs[start..end.max(start)];
        let mut lines = std::mem::take(&mut self.backs);
        self.gather::<P>(Side::Back, near, clusters.clusters(back_side), formulas, &mut lines);
        self.backs = lines;
        self.look_up(formulas, latest);
        self.pair::<P>(formulas, most, hits);
    }

    /// Brings clusters into the form that pairs need, but for those that leave the edge
    /// outside the active area.
    fn gather<P: Rules>(
        &mut self,
        side: Side,
        entries: &[ClusterEntry],
        clusters: &[Cluster],
        formulas: &ModuleFormulas<f32>,
        lines: &mut Vec<Line>,
    ) {
        let sensor = &formulas.sensor;
        lines.clear();
        for entry in entries {
            let cluster = &clusters[entry.index as usize];
            let class = self.class(cluster);
            let Some(edge) = sensor.edge(side, cluster.position) else {
                continue;
            };
            let widths = sensor.lines(side, edge, P::widths);
            for width in *widths.start()..widths.end() + 1 {
                lines.push(Line {
                    time: cluster.time,
                    class,
                    edge: edge - width as f32 * sensor.width,
                    edge_error: sensor.edge_error(cluster.position_error),
                });
            }
        }
    }

    /// The number of a cluster's error. There are as many as cluster sizes, so few; a size has
    /// the same again and again.
    #[inline]
    fn class(&mut self, cluster: &Cluster) -> u32 {
        let last = &mut self.classes[cluster.size as usize % KNOWN_SIZES];
        let error = cluster.time_error;
        if self.errors.get(*last as usize) != Some(&error) {
            let known = self.errors.iter().position(|&known| known == error);
            *last = known.unwrap_or(self.errors.len()) as u32;
            if known.is_none() {
                self.errors.push(error);
            }
        }
        *last
    }

    /// No pair of these fronts is further apart in time.
    fn largest_cut(&self, formulas: &ModuleFormulas<f32>, latest: f32) -> f32 {
        let cut = |&front: &f32| formulas.time_cut(front, latest, latest);
        self.errors.iter().map(cut).fold(-1.0, f32::max)
    }

    fn look_up(&mut self, formulas: &ModuleFormulas<f32>, latest: f32) {
        self.cuts.clear();
        self.hit_errors.clear();
        for &front in &self.errors {
            for &back in &self.errors {
                self.cuts.push(formulas.time_cut(front, back, latest));
                self.hit_errors.push(pair_time_error(front, back));
            }
        }
    }

    fn pair<P: Rules>(&mut self, formulas: &ModuleFormulas<f32>, most: f32, hits: &mut Vec<Hit>) {
        let range = formulas.sensor.crossing_range();
        let classes = self.errors.len();
        let room = MOST_CROSSING + self.backs.len();
        if self.crossing.len() < room {
            self.crossing.resize(room, [0; 2]);
        }
        let (mut start, mut found) = (0, 0);
        for (number, front) in self.fronts.iter().enumerate() {
            let late = |back: &Line| P::delay(front.time, back.time) > most;
            while self.backs.get(start).is_some_and(late) {
                start += 1;
            }
            let cuts = &self.cuts[front.class as usize * classes..][..classes];
            for (place, back) in self.backs.iter().enumerate().skip(start) {
                let delay = P::delay(front.time, back.time);
                if -delay > most {
                    break;
                }
                let in_time = delay.abs() <= cuts[back.class as usize];
                let difference = front.edge - back.edge;
                let crosses = difference >= *range.start() && difference <= *range.end();
                self.crossing[found] = [number as u32, place as u32];
                found += usize::from(in_time & crosses);
            }
            if found >= MOST_CROSSING {
                self.append_hits::<P>(found, formulas, hits);
                found = 0;
            }
        }
        self.append_hits::<P>(found, formulas, hits);
    }

    /// Appends the hits of the first lines that cross, or nearly so.
    fn append_hits<P: Rules>(
        &self,
        count: usize,
        formulas: &ModuleFormulas<f32>,
        hits: &mut Vec<Hit>,
    ) {
        let classes = self.errors.len();
        for [front, back] in &self.crossing[..count] {
            let (front, back) = (&self.fronts[*front as usize], &self.backs[*back as usize]);
            if let Some(local) = formulas.sensor.crossing(front.edge, back.edge) {
                let pair = front.class as usize * classes + back.class as usize;
                hits.push(hit::<P>(formulas, front, back, local, self.hit_errors[pair]));
            }
        }
    }
}

#[inline]
fn hit<P: Rules>(
    formulas: &ModuleFormulas<f32>,
    front: &Line,
    back: &Line,
    local: Local<f32>,
    time_error: f32,
) -> Hit {
    let sensor = &formulas.sensor;
    let [x, y, z] = sensor.global(local);
    let spread = sensor.spread(front.edge_error, back.edge_error);
    let ([dx, dy, dz], dxy) = P::spread(sensor, spread);
    Hit {
        x,
        y,
        z,
        time: P::hit_time(front.time, back.time),
        dx,
        dy,
        dz,
        dxy,
        time_error,
        du: sensor.across(Side::Front, front.edge_error),
        dv: sensor.across(Side::Back, back.edge_error),
        address: formulas.address,
    }
}
