//! The detector, as plugins are shown it.

use bytemuck::Zeroable;
use generators_sts::setup::{self, Setup as Detector};
use generators_sts::{Address, MAX_ADC};

use super::ShownSts;
use super::abi::{Module, Setup, Side};
use crate::sts::formulas::{BelowFirstStep, ChargeModel, Charges, Sensor, Side as Which};
use crate::sts::task::Timeslices;
use tasks::plugin_session::Layout;

/// Shows the setup common to all timeslices, and adds its two arrays to `layout`.
pub(super) fn show(input: &Timeslices, layout: &mut Layout<'_, ShownSts>) -> Setup {
    let detector = input.0.first().map(|timeslice| timeslice.setup());
    let modules = detector.map_or(&[][..], Detector::modules);
    let modules = modules.iter().enumerate();
    let modules: Vec<_> = modules.map(|(index, described)| module(index, described)).collect();
    let widths = detector.map_or(&[][..], |detector| &detector.landau().values);
    layout.array("the widths of its setup", widths.to_vec(), |shown| &mut shown.setup.width);
    layout.array("the modules of its setup", modules, |shown| &mut shown.setup.module);
    detector.map_or_else(no_setup, without_arrays)
}

/// Without timeslices there is no detector.
fn no_setup() -> Setup {
    Setup { size: size_of::<Setup>(), ..Zeroable::zeroed() }
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
