//! Selection of variants and devices.

use std::fmt;

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::{Backend, Device};
use algorithms::registry;
use algorithms::task::VariantInfo;
use text::Untrusted;

use crate::failure::Failure;
use crate::plan::{device_names, select_variants};
use crate::platform::gpus::{problem_of, usable_devices};
use crate::request::Settings;

/// Variants to run.
#[derive(Clone, Copy)]
pub(in crate::commands) enum VariantChoice {
    /// One variant; without `--variant` the one that each backend has by default.
    One(fn(Backend) -> &'static str),
    /// All variants, because they have to agree.
    All,
}

/// A variant and the device that it runs on.
pub(super) struct Run<A: Algorithm> {
    pub(super) device: Device,
    pub(super) variant: Variant<A>,
}

impl<A: Algorithm> fmt::Display for Run<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.variant.name, self.device)
    }
}

/// Selects the variants to run, each with its device.
///
/// Named devices are used and no others. Without `--device`, a named variant runs on the first
/// device that has it, and the default is the CPU's.
pub(super) fn select<A: Algorithm>(
    algorithm: &A,
    settings: &Settings,
    wanted: VariantChoice,
    flags: &str,
) -> Result<Vec<Run<A>>, Failure> {
    let task = registry::task(algorithm.info().name).expect("tasks with outputs are registered");
    let infos = task.variants();
    let devices = devices(settings)?;
    let mut chosen = matching(&infos, &devices, settings, wanted)?;
    if settings.devices.is_empty() {
        keep_first_of_each_name(&mut chosen, &infos);
    }
    if chosen.is_empty() {
        return Err(Failure::Usage(mismatch(&infos, &devices, settings, wanted)?));
    }
    if let VariantChoice::One(_) = wanted {
        keep_first_of_each_name(&mut chosen, &infos);
        if chosen.len() > 1 {
            return Err(Failure::Usage(several(&chosen, &infos, flags)));
        }
    }
    let variants = algorithm.variants();
    let run = |(device, index): (Device, usize)| Run { device, variant: variants[index] };
    Ok(chosen.into_iter().map(run).collect())
}

/// The devices that were named, all of which have to be there, or those to choose from.
fn devices(settings: &Settings) -> Result<Vec<Device>, Failure> {
    for &device in &settings.devices {
        if let Some(reason) = problem_of(device) {
            return Err(Failure::NothingMeasured(format!("{device} can't be used: {reason}")));
        }
    }
    Ok(match (settings.devices.is_empty(), settings.variants.is_empty()) {
        (false, _) => settings.devices.clone(),
        (true, true) => vec![Device::Cpu],
        (true, false) => usable_devices(),
    })
}

/// Returns the indices of the requested variants, each with every device that has it.
fn matching(
    infos: &[VariantInfo],
    devices: &[Device],
    settings: &Settings,
    wanted: VariantChoice,
) -> Result<Vec<(Device, usize)>, Failure> {
    let mut chosen = Vec::new();
    for &device in devices {
        let selected = selected(infos, device, settings, wanted)?.into_iter();
        let here = selected.filter(|&index| infos[index].backend == device.backend());
        chosen.extend(here.map(|index| (device, index)));
    }
    Ok(chosen)
}

/// Returns the indices of the requested variants, of any backend.
fn selected(
    infos: &[VariantInfo],
    device: Device,
    settings: &Settings,
    wanted: VariantChoice,
) -> Result<Vec<usize>, Failure> {
    let names = match (settings.variants.as_slice(), wanted) {
        ([], VariantChoice::One(default)) => &[default(device.backend()).to_owned()],
        (names, _) => names,
    };
    select_variants(infos, names).map_err(Failure::Usage)
}

fn keep_first_of_each_name(chosen: &mut Vec<(Device, usize)>, infos: &[VariantInfo]) {
    let mut names = Vec::new();
    chosen.retain(|&(_, index)| {
        let name = infos[index].name;
        let is_new = !names.contains(&name);
        names.push(name);
        is_new
    });
}

fn several(chosen: &[(Device, usize)], infos: &[VariantInfo], flags: &str) -> String {
    let runs: Vec<_> = chosen
        .iter()
        .map(|&(device, index)| format!("{} on {device}", infos[index].name))
        .collect();
    format!("{flags}: results are written by one variant; --variant names {}", runs.join(", "))
}

/// Describes that no selected device has a requested variant, and which devices have it.
fn mismatch(
    infos: &[VariantInfo],
    devices: &[Device],
    settings: &Settings,
    wanted: VariantChoice,
) -> Result<String, Failure> {
    let mut devices_of: Vec<(&str, Vec<&str>)> = Vec::new();
    for index in selected(infos, devices[0], settings, wanted)? {
        let info = &infos[index];
        let mut names = device_names(info.backend).to_vec();
        if info.backend == Backend::Cuda {
            names.push("emulator");
        }
        match devices_of.iter_mut().find(|(name, _)| *name == info.name) {
            Some((_, devices)) => devices.append(&mut names),
            None => devices_of.push((info.name, names)),
        }
    }
    let devices_of: Vec<_> = devices_of
        .into_iter()
        .map(|(name, devices)| format!("{name} runs on {}", devices.join(", ")))
        .collect();
    let devices: Vec<_> = devices.iter().map(Device::to_string).collect();
    Ok(format!(
        "no requested variant runs on {}: {}; choose with --device and --variant",
        devices.join(", "),
        devices_of.join("; ").escaped()
    ))
}
