//! The keys of a suite that are named as the flags of measuring commands are.

use std::time::Duration;

use tasks::device::Device;

use crate::document::{Entry, Section};
use crate::platform::gpus::only_verifies;
use crate::request::{Settings, values};

/// The keys, except `variants`, which is a key of tasks.
pub(super) const KEYS: [&str; 9] =
    ["seed", "samples", "max-time", "precision", "threads", "places", "bind", "cache", "device"];

/// Default time limit of suites: their runs are stored and compared, while those of single commands
/// give a first impression.
const MAX_TIME: Duration = Duration::from_secs(10);
/// Likewise the width of the interval that is enough.
const PRECISION: f64 = 0.01;

/// Returns the defaults of flags, but on the host and with more time, overridden by `[defaults]`.
pub(super) fn defaults(section: Option<Section<'_>>) -> Settings {
    let mut settings = Settings {
        devices: vec![Device::Cpu],
        max_time: MAX_TIME,
        precision: PRECISION,
        ..Settings::default()
    };
    for entry in section.into_iter().flat_map(Section::entries) {
        if !read_key(&mut settings, entry) {
            entry.unknown("in the defaults", &KEYS);
        }
    }
    settings
}

/// Reads the value of one of the [`KEYS`]; whether it is one.
pub(super) fn read_key(settings: &mut Settings, entry: Entry<'_>) -> bool {
    match entry.key {
        "seed" => set(&mut settings.seed, entry.value(values::seed)),
        "samples" => set(&mut settings.samples, entry.value(values::sample_range).map(Some)),
        "max-time" => set(&mut settings.max_time, entry.value(values::duration)),
        "precision" => set(&mut settings.precision, entry.value(values::percentage)),
        "threads" => settings.threads = entry.values(values::thread_counts),
        "places" => settings.cpu_sets = entry.values(str::parse),
        "bind" => settings.binds = entry.values(str::parse),
        "cache" => settings.caches = entry.values(values::cache),
        "device" => settings.devices = entry.values(measurable_device),
        _ => return false,
    }
    settings.tidy();
    true
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

/// A device that some machine can be measured on: whether that is this one is looked at when its
/// points are planned.
pub(crate) fn measurable_device(text: &str) -> Result<Device, String> {
    match values::device(text)? {
        Device::Emulator => {
            Err(only_verifies(Device::Emulator).expect("the emulator measures nothing"))
        }
        device => Ok(device),
    }
}
