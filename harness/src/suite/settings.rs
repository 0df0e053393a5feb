//! Where to run and how to sample: the keys that are named as the flags are.

use std::time::Duration;

use algorithms::device::Device;

use crate::document::{Entry, Section};
use crate::platform::placement::{BindLevels, PlacesSpec};
use crate::platform::usable_threads;
use crate::request::{CacheMode, SampleRange, values};

/// What the flags of a measuring command say beside the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Globs of variants; all if empty.
    pub variants: Vec<String>,
    /// Where to run.
    pub devices: Vec<Device>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Places of the threads; empty for no placement.
    pub places: Vec<PlacesSpec>,
    /// Bindings of threads to places; empty for the default.
    pub binds: Vec<BindLevels>,
    /// States of the cache.
    pub caches: Vec<CacheMode>,
    /// Seed of the data and of the sampling order.
    pub seed: u64,
    /// How many samples to take.
    pub samples: SampleRange,
    /// Wall-clock budget for a point.
    pub max_time: Duration,
    /// Width of the interval of the median, relative to it, that is enough.
    pub precision: f64,
}

impl Default for Settings {
    /// What the flags mean if none is given.
    fn default() -> Self {
        Settings {
            variants: Vec::new(),
            devices: vec![Device::Cpu],
            threads: vec![usable_threads()],
            places: Vec::new(),
            binds: Vec::new(),
            caches: vec![CacheMode::Hot],
            seed: 1,
            samples: SampleRange::default(),
            max_time: Duration::from_secs(10),
            precision: 0.01,
        }
    }
}

impl Settings {
    /// The keys, but for `variants`, which are those of a task.
    pub(super) const KEYS: [&str; 9] = [
        "seed",
        "samples",
        "max-time",
        "precision",
        "threads",
        "places",
        "bind",
        "cache",
        "device",
    ];

    /// Those of `[defaults]`.
    pub(super) fn defaults(section: Section<'_>) -> Self {
        let mut settings = Settings::default();
        for entry in section.entries() {
            if !settings.read_key(entry) {
                entry.unknown("in the defaults", &Settings::KEYS);
            }
        }
        settings
    }

    /// Reads the value of one of the [keys](Self::KEYS); whether it is one.
    pub(super) fn read_key(&mut self, entry: Entry<'_>) -> bool {
        match entry.key {
            "seed" => set(&mut self.seed, entry.value(values::seed)),
            "samples" => set(&mut self.samples, entry.value(values::sample_range)),
            "max-time" => set(&mut self.max_time, entry.value(values::duration)),
            "precision" => set(&mut self.precision, entry.value(values::percentage)),
            "threads" => {
                let counts = entry.values(values::thread_counts);
                self.threads = distinct(counts.into_iter().flatten());
            }
            "places" => self.places = distinct(entry.values(str::parse)),
            "bind" => self.binds = distinct(entry.values(str::parse)),
            "cache" => self.caches = distinct(entry.values(values::cache)),
            "device" => self.devices = distinct(entry.values(device)),
            _ => return false,
        }
        true
    }
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

/// The values, each once.
pub(super) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

fn device(text: &str) -> Result<Device, String> {
    match values::device(text)? {
        Device::Emulator => Err(
            "the emulator shows whether kernels are right, not how fast they are; \
             use `bench verify --device emulator`"
                .to_owned(),
        ),
        device => Ok(device),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::cli::{Request, TaskRequest, parse};

    #[test]
    fn what_is_not_set_means_what_a_flag_means_that_is_not_given() {
        let line = ["bench", "sort"].map(OsString::from);
        let Ok(Request::Task(TaskRequest::Measure(flags))) = parse(line) else {
            panic!("not a request");
        };
        let flags = Settings {
            variants: flags.variants,
            devices: flags.devices,
            threads: flags.threads,
            places: flags.places,
            binds: flags.binds,
            caches: flags.caches,
            seed: flags.seed,
            samples: flags.samples,
            max_time: flags.max_time,
            precision: flags.precision,
        };
        assert_eq!(flags, Settings::default());
    }
}
