//! What was given on the command line, by the names of flags.

use algorithms::device::Device;
use clap::ArgMatches;

use crate::platform::gpus::usable_devices;
use crate::platform::usable_threads;

pub(super) fn seed(matches: &ArgMatches) -> u64 {
    one(matches, "seed").unwrap_or(1)
}

pub(super) fn variants(matches: &ArgMatches) -> Vec<String> {
    many(matches, "variant")
}

pub(super) fn devices(matches: &ArgMatches) -> Vec<Device> {
    let given = many(matches, "device");
    if given.is_empty() {
        usable_devices()
    } else {
        given
    }
}

pub(super) fn threads(matches: &ArgMatches) -> Vec<usize> {
    let mut given: Vec<usize> = Vec::new();
    for counts in many::<Vec<usize>>(matches, "threads") {
        let new = |threads: &usize| !given.contains(threads);
        given.extend(counts.into_iter().filter(new).collect::<Vec<_>>());
    }
    if given.is_empty() {
        vec![usable_threads()]
    } else {
        given
    }
}

pub(super) fn one<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.get_one::<T>(name).cloned()
}

/// The values of a list, each once.
pub(super) fn many<T: Clone + PartialEq + Send + Sync + 'static>(
    matches: &ArgMatches,
    name: &str,
) -> Vec<T> {
    let mut values = Vec::new();
    for value in matches.get_many::<T>(name).into_iter().flatten() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}
