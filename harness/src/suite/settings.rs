//! Where to run and how to sample: the keys that are named as the flags are.

use std::time::Duration;

use algorithms::device::Device;

use super::document::Entry;
use super::problems::Problems;
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

    /// Takes over the value of one of the [keys](Self::KEYS); whether it is one.
    pub(super) fn set(&mut self, entry: Entry<'_>, problems: &mut Problems) -> bool {
        match entry.key {
            "seed" => one(entry, problems, values::seed, &mut self.seed),
            "samples" => one(entry, problems, values::sample_range, &mut self.samples),
            "max-time" => one(entry, problems, values::duration, &mut self.max_time),
            "precision" => one(entry, problems, values::percentage, &mut self.precision),
            "threads" => lists(entry, problems, values::thread_counts, &mut self.threads),
            "places" => many(entry, problems, str::parse, &mut self.places),
            "bind" => many(entry, problems, str::parse, &mut self.binds),
            "cache" => many(entry, problems, values::cache, &mut self.caches),
            "device" => many(entry, problems, device, &mut self.devices),
            _ => return false,
        }
        true
    }
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

fn one<T>(
    entry: Entry<'_>,
    problems: &mut Problems,
    parse: impl Fn(&str) -> Result<T, String>,
    setting: &mut T,
) {
    if let Some(word) = entry.word(problems)
        && let Some(value) = problems.note(word.at, parsed(entry.key, &word.text, parse))
    {
        *setting = value;
    }
}

/// The values, each once.
fn many<T: PartialEq>(
    entry: Entry<'_>,
    problems: &mut Problems,
    parse: impl Fn(&str) -> Result<T, String>,
    setting: &mut Vec<T>,
) {
    let one = |text: &str| parse(text).map(|value| vec![value]);
    lists(entry, problems, one, setting);
}

/// The same of words that may mean several values.
fn lists<T: PartialEq>(
    entry: Entry<'_>,
    problems: &mut Problems,
    parse: impl Fn(&str) -> Result<Vec<T>, String>,
    setting: &mut Vec<T>,
) {
    setting.clear();
    for word in entry.words(problems) {
        let values = problems.note(word.at, parsed(entry.key, &word.text, &parse));
        for value in values.into_iter().flatten() {
            if !setting.contains(&value) {
                setting.push(value);
            }
        }
    }
}

/// A value, or the problem with the key and the text in front.
pub(super) fn parsed<T>(
    key: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, String> {
    parse(text).map_err(|problem| format!("{key} \"{text}\": {problem}"))
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
