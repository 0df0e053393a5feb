//! What kernels look up, made by the formulas of the host.

use std::sync::Arc;

use generators::sts::setup::{Cuts, Setup};
use generators::sts::{Address, CHANNELS_PER_SIDE, MAX_ADC};

use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Lent};
use crate::device::{Arena, buffers};
use crate::sts::Timeslice;
use crate::sts::formulas::{
    BelowFirstStep, ChargeModel, Charges, SENSOR_WORDS, Sensor, Shape, Shapes,
};
use crate::sts::presort::LookupTable;
use crate::sts::rules::{Exact, Window};

/// A sensor and its address: `Sensor` in `formulas/sensor.h`.
pub(super) type SensorWords = [u32; SENSOR_WORDS + 1];

/// All tables of a timeslice on the device.
pub(super) struct DeviceTables {
    /// The module of each address.
    pub(super) modules: DeviceBuffer<u32>,
    /// [`cluster_tables`].
    pub(super) clusters: DeviceBuffer<f32>,
    /// [`sensors`].
    pub(super) sensors: DeviceBuffer<SensorWords>,
}

buffers!(DeviceTables: modules, clusters, sensors);

impl DeviceTables {
    /// The tables of a timeslice, which all candidates on it share.
    pub(super) fn lent<'a>(
        gpu: &Arc<Gpu>,
        (input, arena): (&Timeslice, &'a Arena),
    ) -> Result<Lent<'a, Arc<Self>>, DeviceError> {
        Lent::of(input, arena, gpu, |gpu| {
            Ok(Arc::new(Self::new(gpu, input)?))
        })
    }

    fn new(gpu: &Gpu, input: &Timeslice) -> Result<Self, DeviceError> {
        Ok(DeviceTables {
            modules: gpu.table(LookupTable::new(input.modules()).modules())?,
            clusters: gpu.table(&cluster_tables(input.setup()))?,
            sensors: gpu.table(&sensors(input.setup()))?,
        })
    }
}

/// `ClusterTables` in `formulas/clusters.h`.
fn cluster_tables(setup: &Setup) -> Vec<f32> {
    let charges = Charges::new(setup.asic(), setup.landau(), BelowFirstStep::Flat);
    let shapes = Shapes::<f32>::new(setup, BelowFirstStep::Flat);
    let mut table: Vec<f32> = (0..=MAX_ADC).map(|adc| charges.charge(adc)).collect();
    table.extend((0..=MAX_ADC).map(|adc| charges.variance(adc)));
    table.push(shapes.of(0, &[0]).position_error);
    let pairs = (0..=MAX_ADC).flat_map(|left| (0..=MAX_ADC).map(move |right| (left, right)));
    table.extend(pairs.flat_map(|(left, right)| {
        let shape: Shape<f32> = shapes.behind_middle(left, right);
        [shape.charge, shape.position, shape.position_error]
    }));
    table.extend((0..=usize::from(CHANNELS_PER_SIDE)).map(|size| shapes.time_error(size)));
    table
}

/// The sensors of all modules.
fn sensors(setup: &Setup) -> Vec<SensorWords> {
    let modules = setup.modules().iter().enumerate();
    let words = |(number, module)| {
        let mut words = [Address::of_module(number).full(); SENSOR_WORDS + 1];
        words[..SENSOR_WORDS].copy_from_slice(&Sensor::<f32>::new(module).words());
        words
    };
    modules.map(words).collect()
}

/// The window between digis: see `window_of` in `formulas/rules.h`.
pub(super) fn window(setup: &Setup) -> [u32; 3] {
    let window = Window::new(setup);
    // Times have 31 bits, so no difference is beyond 32.
    let whole = window
        .whole_ns
        .clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    // Where digis choose in turn, times are whole numbers.
    let crowd = window.crowd_ns::<Exact>(0);
    [window.ns.to_bits(), whole as i32 as u32, crowd]
}

/// The cut on the time between clusters: see `time_cut` in `formulas/pairs.h`.
pub(super) fn time_cut(cuts: &Cuts) -> [u32; 2] {
    const NOTHING: u32 = 0;
    const ABSOLUTE: u32 = 1;
    const DEVIATIONS: u32 = 2;
    let bits = |value: f64| (value as f32).to_bits();
    if cuts.time_cut_cluster_abs > 0.0 {
        [ABSOLUTE, bits(cuts.time_cut_cluster_abs)]
    } else if cuts.time_cut_cluster_sig > 0.0 {
        [DEVIATIONS, bits(cuts.time_cut_cluster_sig)]
    } else {
        [NOTHING, 0]
    }
}
