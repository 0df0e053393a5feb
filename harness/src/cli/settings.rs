//! Some of the settings of measuring commands as flags of other commands.

use clap::{Arg, ArgMatches, Args, Command};

use crate::request::Settings;

/// The flags of the settings with these ids.
pub(super) fn flags_of_settings(ids: &[&str]) -> Vec<Arg> {
    let all = Settings::augment_args(Command::new("bench"));
    all.get_arguments().filter(|flag| ids.contains(&flag.get_id().as_str())).cloned().collect()
}

/// The values of the settings with these ids; the others have their defaults.
pub(super) fn settings_among(ids: &[&str], matches: &ArgMatches) -> Settings {
    let given = Given { ids, matches };
    let defaults = Settings::default();
    Settings {
        seed: given.all("seed").pop().unwrap_or(defaults.seed),
        variants: given.all("variants"),
        plugins: given.all("plugins"),
        devices: given.all("devices"),
        threads: given.all("threads"),
        cpu_sets: given.all("places"),
        binds: given.all("binds"),
        checked: given.all("checked").pop().unwrap_or(defaults.checked),
        ..defaults
    }
}

/// Values of flags, among those with these ids.
struct Given<'m> {
    ids: &'m [&'m str],
    matches: &'m ArgMatches,
}

impl Given<'_> {
    fn all<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Vec<T> {
        if !self.ids.contains(&id) {
            return Vec::new();
        }
        self.matches.get_many(id).into_iter().flatten().cloned().collect()
    }
}
