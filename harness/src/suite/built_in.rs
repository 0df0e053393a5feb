//! The suites that come with the binary.

use std::path::Path;

use files::{LARGEST_DOCUMENT, read_text};
use tasks::registry::BuiltInSuite;

use super::SuiteError;
use crate::document::{self, Entry};
use crate::registry::suites;
use crate::request::values::instead_of;

/// Header of a built-in suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// Purpose, in one line.
    pub description: String,
    /// True if its defaults need a GPU.
    pub needs_gpu: bool,
}

/// The names of the suites.
pub fn names() -> Vec<&'static str> {
    suites().iter().map(|suite| suite.name).collect()
}

/// Returns the headers of all built-in suites, those for CPUs first, without parsing the rest.
pub fn list() -> Vec<Listed> {
    let mut list: Vec<_> =
        suites().iter().filter_map(|suite| listed(suite.name, suite.text)).collect();
    list.sort_by_key(|suite| suite.needs_gpu);
    list
}

fn listed(name: &'static str, text: &str) -> Option<Listed> {
    let listed = document::read(name, text, |root| {
        let description = root.entry("description").map(Entry::texts);
        let defaults = root.entry("defaults").and_then(Entry::section);
        let devices = defaults.and_then(|section| section.entry("device"));
        let devices = devices.map(Entry::texts).unwrap_or_default();
        Listed {
            name,
            description: description.unwrap_or_default().concat(),
            needs_gpu: devices.iter().any(|device| device.starts_with("cuda")),
        }
    });
    listed.ok()
}

/// Formats the suites as text, with descriptions wrapped at `width` characters.
pub fn table(width: usize) -> String {
    let suites = list();
    let names = suites.iter().map(|suite| suite.name.len()).max();
    let names = names.unwrap_or(0);
    let line = |suite: &Listed| {
        let gpu = if suite.needs_gpu { "gpu" } else { "cpu" };
        let indent = format!("\n{:names$}       ", "");
        let description = wrapped(&suite.description, width).join(&indent);
        format!("\n  {:<names$}  {gpu}  {description}", suite.name)
    };
    let lines: String = suites.iter().map(line).collect();
    format!("Suites:{lines}")
}

/// Wraps a text at `width` characters; longer words stay whole.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text of a suite: of a file, or else of a built-in suite of that name.
pub(super) fn text(suite: &Path) -> Result<String, SuiteError> {
    match built_in(suite) {
        Some(built_in) if !suite.is_file() => Ok(built_in.text.to_owned()),
        _ if !suite.exists() => Err(unknown(suite)),
        _ => read_text(suite, LARGEST_DOCUMENT)
            .map_err(|source| SuiteError::Unreadable { path: suite.to_owned(), source }),
    }
}

/// The file of a suite; `None` for one that comes with the binary.
pub fn file_of(suite: &Path) -> Option<&Path> {
    (built_in(suite).is_none() || suite.is_file()).then_some(suite)
}

/// The built-in suite that is named so.
fn built_in(suite: &Path) -> Option<&'static BuiltInSuite> {
    suites().iter().find(|built_in| Path::new(built_in.name) == suite)
}

fn unknown(suite: &Path) -> SuiteError {
    let name = suite.to_string_lossy().into_owned();
    let instead = instead_of(&name, &names());
    SuiteError::Unknown { name, instead }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::registry::tasks;
    use tasks::device::{Backend, Team};
    use tasks::task::Task;

    use super::*;
    use crate::plan::Origin;
    use crate::platform::gpus::Gpus;
    use crate::platform::usable_threads;
    use crate::suite::*;

    #[test]
    fn suites_are_valid_and_the_list_says_what_they_say() {
        let list = list();
        let short = table(70);
        assert_eq!(list.len(), suites().len());
        assert!(short.lines().all(|line| line.len() <= 95), "{short}");
        for listed in &list {
            let BuiltInSuite { name, text } =
                super::built_in(Path::new(listed.name)).expect("known");
            let suite = Suite::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((suite.name.as_str(), listed.name), (*name, *name));
            assert!(!suite.description.is_empty(), "{name}");
            assert_eq!(listed.description, suite.description, "{name}");
            assert_eq!(listed.needs_gpu, name.starts_with("gpu-"), "{name}");
            let line = format!("  {}", listed.description);
            assert!(table(usize::MAX).contains(&line), "{name}");
        }
    }

    #[test]
    fn an_unknown_suite_gets_a_suggestion() {
        let error = text(Path::new("smok")).expect_err("unknown").to_string();
        assert!(error.contains("did you mean \"smoke\"?"), "{error}");
        let error = text(Path::new("/dev/zero")).expect_err("endless").to_string();
        assert!(error.contains("larger than the 1048576 bytes"), "{error}");
        let error = text(Path::new("/")).expect_err("a folder");
        assert!(matches!(error, SuiteError::Unreadable { .. }), "{error}");
    }

    fn built_in(name: &str) -> Suite {
        let text = text(Path::new(name)).expect("a suite");
        Suite::parse(name, &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Tasks with their variants that `bench` has itself, on a backend.
    fn registered(backend: Backend) -> BTreeSet<(&'static str, &'static str)> {
        let of_task = |task: &&'static dyn Task| {
            let name = task.name();
            let infos = task.variants().into_iter();
            let own = infos.filter(move |info| {
                info.backend == backend
                    && info.plugin.is_none()
                    && info.unavailable_reason.is_none()
            });
            own.map(move |info| (name, info.name)).collect::<Vec<_>>()
        };
        tasks().iter().flat_map(of_task).collect()
    }

    /// Returns what no suite covers.
    fn missing(
        suite: &Suite,
        backend: Backend,
        counts: impl Fn(&Point) -> bool,
    ) -> BTreeSet<(&'static str, &'static str)> {
        let device = |point: &&Point| point.device.starts_with(&backend.to_string());
        let points = suite.points().filter(device).filter(|point| counts(point));
        let there: BTreeSet<_> =
            points.map(|point| (point.algorithm.as_str(), point.variant.as_str())).collect();
        let mut all = registered(backend);
        all.retain(|pair| !there.contains(pair));
        all
    }

    #[test]
    fn smoke_and_nightly_have_every_variant_of_the_host() {
        let by_one = |point: &Point| point.threads == 1;
        for name in ["smoke", "nightly"] {
            let missing = missing(&built_in(name), Backend::Cpu, by_one);
            assert_eq!(missing, BTreeSet::new(), "{name} lacks them");
        }
        assert!(built_in("smoke").points().all(by_one));
    }

    #[test]
    fn the_nightly_suite_of_a_gpu_has_every_kernel() {
        let suite = built_in("gpu-nightly");
        let missing = missing(&suite, Backend::Cuda, |_| true);
        assert_eq!(missing, BTreeSet::new());
        assert!(suite.points().all(|point| point.device == "cuda:0"));
    }

    #[test]
    fn suites_are_as_short_as_they_should_be() {
        let points = |name| built_in(name).points().count();
        assert!(points("smoke") <= 80, "{} points", points("smoke"));
        // On a single core all threads are one.
        let min = if usable_threads() > 1 { 64 } else { 45 };
        let nightly = points("nightly");
        assert!((min..=190).contains(&nightly), "{nightly} points");
    }

    #[test]
    fn every_point_of_smoke_takes_its_input() {
        let suite = built_in("smoke");
        let requests = suite.requests(&[]);
        let plans = suite.plans(&requests).expect("plans");
        let team = Team::new(1).expect("a thread");
        let gpus = Gpus::default();
        let mut ready = 0;
        for plan in &plans {
            for input in &plan.inputs {
                let Origin::Generated(params) = &input.origin else {
                    panic!("suites read no files");
                };
                let case = plan.task().generate(params, 1).expect("an input");
                for spec in &input.candidates {
                    let target = gpus.target(spec.device, &team).expect("the host");
                    let prepared = case.prepare(spec.variant, &target).err();
                    assert_eq!(prepared, None, "{}", plan.variant(spec).name);
                    ready += 1;
                }
            }
        }
        assert_eq!(ready, suite.points().count());
    }
}
