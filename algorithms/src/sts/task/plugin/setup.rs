//! The detector, as plugins are shown it.

use generators::sts::setup::{self, Setup as Detector};
use generators::sts::{Address, MAX_ADC};

use super::abi::{Module, Setup, Side};
use crate::plugin_session::{Addresses, Layout};
use crate::sts::formulas::{BelowFirstStep, ChargeModel, Charges, Sensor, Side as Which};
use crate::sts::task::Timeslices;

/// The setup, which points to two arrays.
pub(super) struct ShownSetup {
    setup: Setup,
    widths: usize,
    modules: usize,
}

impl ShownSetup {
    /// The setup common to all timeslices; adds its arrays to `layout`.
    pub(super) fn new(input: &Timeslices, layout: &mut Layout<'_>) -> Self {
        let detector = input.0.first().map(|timeslice| timeslice.setup());
        let modules = detector.map_or(&[][..], Detector::modules);
        let modules = modules.iter().enumerate();
        let modules: Vec<_> = modules.map(|(index, described)| module(index, described)).collect();
        let widths = detector.map_or(&[][..], |detector| &detector.landau().values);
        ShownSetup {
            setup: detector.map_or_else(no_setup, without_arrays),
            widths: layout.array("the widths of its setup", widths.to_vec()),
            modules: layout.array("the modules of its setup", modules),
        }
    }

    /// Has it point to its arrays.
    pub(super) fn point(&mut self, at: &Addresses) {
        self.setup.width = at.array(self.widths);
        self.setup.module = at.array(self.modules);
    }

    /// For a call.
    pub(super) fn as_ptr(&self) -> *const Setup {
        &raw const self.setup
    }
}

/// Without timeslices there is no detector.
fn no_setup() -> Setup {
    // SAFETY: all of its fields are numbers and pointers, for which all-zero bytes (0 and NULL) are
    // valid.
    let setup = unsafe { std::mem::zeroed() };
    Setup { size: size_of::<Setup>(), ..setup }
}

fn without_arrays(detector: &Detector) -> Setup {
    let asic = detector.asic();
    let cuts = detector.cuts();
    let landau = detector.landau();
    let charges = Charges::<f32>::new(asic, landau, BelowFirstStep::Flat);
    const { assert!(MAX_ADC == 31) };
    Setup {
        steps: asic.n_adc.into(),
        dynamic_range: asic.dynamic_range,
        threshold: asic.threshold,
        noise: asic.noise,
        time_resolution: asic.time_resolution,
        dead_time: asic.dead_time,
        digi_cut: cuts.time_cut_digi_abs,
        digi_cut_deviations: cuts.time_cut_digi_sig,
        cluster_cut: cuts.time_cut_cluster_abs,
        cluster_cut_deviations: cuts.time_cut_cluster_sig,
        width_step: landau.step_size,
        widths: landau.values.len() as u64,
        charges: std::array::from_fn(|adc| charges.charge(adc as u8)),
        variances: std::array::from_fn(|adc| charges.variance(adc as u8)),
        ..no_setup()
    }
}

fn module(index: usize, module: &setup::Module) -> Module {
    let single = Sensor::<f32>::new(module);
    let double = Sensor::<f64>::new(module);
    let side = |which, stereo, lorentz| {
        let [tangent, cosine] = double.angle(which);
        let [tangent_single, cosine_single] = single.angle(which);
        Side { stereo, lorentz, tangent, cosine, tangent_single, cosine_single }
    };
    Module {
        height: module.height,
        pitch: module.pitch,
        front: side(Which::Front, module.stereo_front, module.lorentz_front),
        back: side(Which::Back, module.stereo_back, module.lorentz_back),
        rotation: module.rotation,
        translation: module.translation,
        address: Address::of_module(index).full().into(),
    }
}
