//! The hits of a pair of clusters.

use generators_sts::Address;
use generators_sts::setup::{Cuts, Setup};

use crate::sts::formulas::{Local, Real, Sensor, Side, pair_time_error, time_cut};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, Hit};

/// The formulas for one module.
pub(in crate::sts) struct ModuleFormulas<R> {
    pub(super) sensor: Sensor<R>,
    cuts: Cuts,
    pub(super) address: u32,
}

impl<R: Real> ModuleFormulas<R> {
    /// Formulas of all modules.
    pub(in crate::sts) fn of_all(setup: &Setup) -> Vec<Self> {
        let modules = setup.modules().iter().enumerate();
        let of_module = |(index, module)| ModuleFormulas {
            sensor: Sensor::new(module),
            cuts: setup.cuts().clone(),
            address: Address::of_module(index).full(),
        };
        modules.map(of_module).collect()
    }

    /// The time cut of two clusters with these errors, in ns, where `latest` is the largest error
    /// of the back's clusters.
    #[inline]
    pub(super) fn time_cut(&self, front: R, back: R, latest: R) -> R {
        time_cut(&self.cuts, front, back, latest)
    }
}

impl ModuleFormulas<f32> {
    /// All hits of a pair that is near enough in time.
    #[inline]
    pub(super) fn pair<P: Rules>(
        &self,
        front: &Cluster,
        back: &Cluster,
        mut found: impl FnMut(Hit),
    ) {
        let sensor = &self.sensor;
        let Some(x_front) = sensor.edge(Side::Front, front.position) else { return };
        let Some(x_back) = sensor.edge(Side::Back, back.position) else { return };
        for i in sensor.lines(Side::Front, x_front, P::widths) {
            for j in sensor.lines(Side::Back, x_back, P::widths) {
                let front_line = x_front - i as f32 * sensor.width;
                let back_line = x_back - j as f32 * sensor.width;
                if let Some(local) = sensor.crossing(front_line, back_line) {
                    found(self.hit::<P>(front, back, local));
                }
            }
        }
    }

    /// The hit of a pair whose strips cross at `local`. Not inlined, because most pairs that are
    /// near in time do not cross, and inlining would compute the divisions and roots for all of
    /// them.
    #[inline(never)]
    fn hit<P: Rules>(&self, front: &Cluster, back: &Cluster, local: Local<f32>) -> Hit {
        let sensor = &self.sensor;
        let [x, y, z] = sensor.global(local);
        let front_error = sensor.edge_error(front.position_error);
        let back_error = sensor.edge_error(back.position_error);
        let spread = sensor.spread(front_error, back_error);
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
            time_error: pair_time_error(front.time_error, back.time_error),
            du: sensor.across(Side::Front, front_error),
            dv: sensor.across(Side::Back, back_error),
            address: self.address,
        }
    }
}
