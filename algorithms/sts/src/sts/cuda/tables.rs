//! Lookup tables of kernels, made by the formulas of the host.

use std::array;

use generators_sts::Address;
use generators_sts::setup::{Cuts, Setup};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::batch::Batch;
use crate::kernels::sts_cuda_formulas_clusters_h as clusters;
use crate::kernels::sts_cuda_formulas_pairs_h as cuts;
use crate::kernels::sts_cuda_formulas_rules_h as rules;
use crate::kernels::sts_cuda_formulas_rules_h as sensor;
use crate::sts::formulas::{BelowFirstStep, ChargeModel, Charges, Sensor, Shape, Shapes};
use crate::sts::presort::LookupTable;
use crate::sts::rules::{Exact, Window};
use tasks::device::{CachedPerInput, Execution, buffers};

/// All tables of a batch on the device.
pub(super) struct DeviceTables {
    /// The module of each address: see `formulas/stream.h`.
    pub(super) modules: DeviceBuffer<u32>,
    /// [`cluster_tables`].
    pub(super) clusters: DeviceBuffer<clusters::ClusterTables>,
    /// [`sensors`], one set for each timeslice.
    pub(super) sensors: DeviceBuffer<sensor::Sensor>,
}

buffers!(DeviceTables: modules, clusters, sensors);

impl DeviceTables {
    /// The tables of a batch, which all candidates on it share.
    pub(super) fn cached<'a>(
        execution: Execution<'_, 'a>,
        batch: Batch<'_>,
    ) -> Result<CachedPerInput<'a, Self>, DeviceError> {
        let Execution { gpu, arena, .. } = execution;
        let make = |gpu: &Gpu| {
            Ok(DeviceTables {
                modules: gpu
                    .table(&LookupTable::new(batch.setup().modules().len()).by_position())?,
                clusters: gpu.table(&[cluster_tables(batch.setup())])?,
                sensors: gpu.table(&sensors(batch.setup()).repeat(batch.count()))?,
            })
        };
        CachedPerInput::get_or_make("tables", batch.timeslices(), arena, gpu, make)
    }
}

/// Values by the charges of digis, and by their number.
fn cluster_tables(setup: &Setup) -> clusters::ClusterTables {
    let charges = Charges::new(setup.asic(), setup.landau(), BelowFirstStep::Flat);
    let shapes = Shapes::<f32>::new(setup, BelowFirstStep::Flat);
    let of_pair = |left: usize, right: usize| {
        let shape: Shape<f32> = shapes.behind_middle(left as u8, right as u8);
        clusters::Shape {
            charge: shape.charge,
            position: shape.position,
            position_error: shape.position_error,
        }
    };
    clusters::ClusterTables {
        charges: array::from_fn(|adc| charges.charge(adc as u8)),
        variances: array::from_fn(|adc| charges.variance(adc as u8)),
        single_error: shapes.shape(0, &[0]).position_error,
        pairs: array::from_fn(|left| array::from_fn(|right| of_pair(left, right))),
        time_errors: array::from_fn(|size| shapes.time_error(size)),
    }
}

/// The sensors of all modules.
fn sensors(setup: &Setup) -> Vec<sensor::Sensor> {
    let modules = setup.modules().iter().enumerate();
    let sensor = |(index, module)| sensor::Sensor {
        address: Address::of_module(index).full(),
        ..Sensor::<f32>::new(module).for_kernels()
    };
    modules.map(sensor).collect()
}

/// The window between digis.
pub(super) fn window(setup: &Setup) -> rules::Window {
    let window = Window::new(setup);
    // Times have 31 bits, so no difference is beyond 32.
    let whole = window.whole_ns.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    // If digis choose one after the other, times are integers.
    let crowd_ns = window.crowd_ns::<Exact>(0);
    rules::Window { ns: window.ns, whole_ns: whole as i32, crowd_ns }
}

/// The time cut of two clusters.
pub(super) fn time_cut(set: &Cuts) -> cuts::TimeCut {
    let cut = |kind, value: f64| cuts::TimeCut { kind, value: value as f32 };
    if set.time_cut_cluster_abs > 0.0 {
        cut(cuts::ABSOLUTE, set.time_cut_cluster_abs)
    } else if set.time_cut_cluster_sig > 0.0 {
        cut(cuts::DEVIATIONS, set.time_cut_cluster_sig)
    } else {
        cut(cuts::NOTHING, 0.0)
    }
}
