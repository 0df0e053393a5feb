//! A worker for each module, in double precision: the offline reconstruction.

use super::ModuleFormulas;
use crate::sts::formulas::{Real, Side, pair_time_error};
use crate::sts::{OfflineCluster, OfflineHit};

/// The hits of a module by the clusters of its sides, each in order of time.
pub(in crate::sts) fn hits_of_module(
    fronts: &[OfflineCluster],
    backs: &[OfflineCluster],
    formulas: &ModuleFormulas<f64>,
) -> Vec<OfflineHit> {
    let largest = |clusters: &[OfflineCluster]| {
        let errors = clusters.iter().map(|cluster| cluster.time_error);
        errors.fold(0.0, f64::max)
    };
    let front_latest = largest(fronts);
    let latest = largest(backs);
    let max = formulas.time_cut(front_latest, latest, latest);
    let mut hits = Vec::new();
    let mut start = 0;
    for (front_index, front) in fronts.iter().enumerate() {
        let cut = formulas.time_cut(front.time_error, latest, latest);
        for (index, back) in backs.iter().enumerate().skip(start) {
            let delay = front.time - back.time;
            if delay > max {
                start = index + 1;
                continue;
            }
            if -delay > cut {
                break;
            }
            if delay.abs() <= formulas.time_cut(front.time_error, back.time_error, latest) {
                let pair =
                    Pair { formulas, front, back, indices: [front_index as u32, index as u32] };
                pair.find(&mut hits);
            }
        }
    }
    hits
}

/// Two clusters that are near in time.
struct Pair<'a> {
    formulas: &'a ModuleFormulas<f64>,
    front: &'a OfflineCluster,
    back: &'a OfflineCluster,
    indices: [u32; 2],
}

impl Pair<'_> {
    fn find(&self, hits: &mut Vec<OfflineHit>) {
        let sensor = &self.formulas.sensor;
        let x_front = sensor.edge_anywhere(Side::Front, self.front.position);
        let x_back = sensor.edge_anywhere(Side::Back, self.back.position);
        for i in sensor.lines(Side::Front, x_front, Real::truncated) {
            for j in sensor.lines(Side::Back, x_back, Real::truncated) {
                let front_line = x_front - f64::from(i) * sensor.width;
                let back_line = x_back - f64::from(j) * sensor.width;
                hits.extend(self.hit(front_line, back_line));
            }
        }
    }

    fn hit(&self, front_line: f64, back_line: f64) -> Option<OfflineHit> {
        let front = self.front;
        let back = self.back;
        let sensor = &self.formulas.sensor;
        let [x, y, z] = sensor.global(sensor.crossing(front_line, back_line)?);
        let front_error = sensor.edge_error(front.position_error);
        let back_error = sensor.edge_error(back.position_error);
        let spread = sensor.spread(front_error, back_error);
        Some(OfflineHit {
            x,
            y,
            z,
            dx: spread.xx.sqrt(),
            dy: spread.yy.sqrt(),
            dxy: spread.xy,
            time: 0.5 * (front.time + back.time),
            time_error: pair_time_error(front.time_error, back.time_error),
            du: sensor.across(Side::Front, front_error),
            dv: sensor.across(Side::Back, back_error),
            address: self.formulas.address,
            front: self.indices[0],
            back: self.indices[1],
            ..OfflineHit::default()
        })
    }
}
