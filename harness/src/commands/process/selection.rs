//! Selection of variants and devices.

use std::fmt;

use algorithms::algorithm::OutputFiles;
use algorithms::device::{Backend, Device};
use algorithms::task::VariantInfo;
use text::Untrusted;

use crate::failure::Failure;
use crate::plan::{device_names, select_variants};
use crate::platform::gpus::{problem_of, usable_devices};
use crate::request::{ProcessRequest, Settings, VariantChoice};

/// A variant and the device that it runs on.
pub(super) struct Run {
    pub(super) device: Device,
    /// Index of the variant in its task.
    pub(super) variant: usize,
    name: &'static str,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.name, self.device)
    }
}

/// Variants of a task, and which of them are wanted.
struct Selection<'r> {
    infos: Vec<VariantInfo>,
    files: OutputFiles,
    settings: &'r Settings,
    choice: VariantChoice,
}

/// Selects the variants to run, each with its device.
///
/// Named devices are used and no others. Without `--device`, a named variant runs on the first
/// device that has it, and the default is the CPU's.
pub(super) fn select(request: &ProcessRequest, files: OutputFiles) -> Result<Vec<Run>, Failure> {
    let settings = &request.measuring.settings;
    let infos = request.measuring.task.variants();
    let selection = Selection { infos, files, settings, choice: request.outputs.choice };
    let devices = devices(settings)?;
    let mut chosen = selection.matching(&devices)?;
    if settings.devices.is_empty() {
        keep_first_of_each_name(&mut chosen);
    }
    if chosen.is_empty() {
        return Err(Failure::Usage(selection.mismatch(&devices)?));
    }
    if request.outputs.choice == VariantChoice::One {
        keep_first_of_each_name(&mut chosen);
        if chosen.len() > 1 {
            return Err(Failure::Usage(several(&chosen, &request.outputs.flags)));
        }
    }
    Ok(chosen)
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

impl Selection<'_> {
    /// The requested variants, each with every device that has it.
    fn matching(&self, devices: &[Device]) -> Result<Vec<Run>, Failure> {
        let mut chosen = Vec::new();
        for &device in devices {
            let selected = self.selected(device)?.into_iter();
            let here = selected.filter(|&index| self.infos[index].backend == device.backend());
            let run = |variant: usize| Run { device, variant, name: self.infos[variant].name };
            chosen.extend(here.map(run));
        }
        Ok(chosen)
    }

    /// The indices of the requested variants, of any backend.
    fn selected(&self, device: Device) -> Result<Vec<usize>, Failure> {
        let names = match (self.settings.variants.as_slice(), self.choice) {
            ([], VariantChoice::One) => &[self.files.default_variant(device.backend()).to_owned()],
            (names, _) => names,
        };
        select_variants(&self.infos, names).map_err(Failure::Usage)
    }

    /// Describes that no selected device has a requested variant, and which devices have it.
    fn mismatch(&self, devices: &[Device]) -> Result<String, Failure> {
        let mut devices_of: Vec<(&str, Vec<&str>)> = Vec::new();
        for index in self.selected(devices[0])? {
            let info = &self.infos[index];
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
}

fn keep_first_of_each_name(chosen: &mut Vec<Run>) {
    let mut names = Vec::new();
    chosen.retain(|run| {
        let is_new = !names.contains(&run.name);
        names.push(run.name);
        is_new
    });
}

fn several(chosen: &[Run], flags: &str) -> String {
    let runs: Vec<_> = chosen.iter().map(Run::to_string).collect();
    format!("{flags}: results are written by one variant; --variant names {}", runs.join(", "))
}
