//! A suite of single points, to measure them again.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::registry::task;
use reports::compare::Key;
use reports::shape;

/// A visit a round: for a given time, many short rounds tell most.
const SETTINGS: &str = "samples = \"5\"\nmax-time = \"2s\"\n";

/// What variants must have in common to be measured interleaved.
type Group<'a> = (&'a str, String, usize, &'a str, &'a str, &'a str, &'a str);

/// The suite in TOML, of points that [are measurable](is_measurable).
pub(super) fn of(keys: &[&Key], seed: u64) -> String {
    let mut groups: BTreeMap<Group<'_>, BTreeSet<&str>> = BTreeMap::new();
    for key in keys {
        let variants = groups.entry(group(key)).or_default();
        variants.insert(&key.point.variant);
    }
    let tasks = groups
        .iter()
        .map(|(group, variants)| task_table(group, variants));
    let tasks: Vec<_> = tasks.collect();
    let head = format!("name = \"confirm\"\n\n[defaults]\nseed = {seed}\n{SETTINGS}");
    format!("{head}\n{}", tasks.join("\n"))
}

fn group<'a>(key: &'a Key) -> Group<'a> {
    (
        &key.point.algorithm,
        axes(key),
        key.point.threads,
        &key.point.places,
        &key.point.bind,
        &key.point.cache,
        &key.point.device,
    )
}

/// Whether the task, the variant and all axes are known here.
pub(super) fn is_measurable(key: &Key) -> bool {
    task(&key.point.algorithm).is_some_and(|task| {
        let is_axis = |name: &str| task.axes().iter().any(|axis| axis.name == name);
        let known = task
            .variants()
            .iter()
            .any(|info| info.name == key.point.variant);
        known && key.point.params.iter().all(|(name, _)| is_axis(name))
    })
}

fn task_table(group: &Group<'_>, variants: &BTreeSet<&str>) -> String {
    let (name, axes, threads, places, bind, cache, device) = group;
    let variants: Vec<_> = variants.iter().map(|variant| quoted(variant)).collect();
    let placement = match ["", "none"].contains(places) {
        true => String::new(),
        false => format!("places = {}\nbind = {}\n", quoted(places), quoted(bind)),
    };
    format!(
        "[[task]]\nname = {}\nvariants = [{}]\nthreads = {threads}\n{placement}cache = {}\n\
         device = {}\n[task.axes]\n{axes}",
        quoted(name),
        variants.join(", "),
        quoted(cache),
        quoted(device),
    )
}

fn axes(key: &Key) -> String {
    let line = |(name, value): (&str, &str)| {
        let unit = shape::unit(name).filter(|_| value.parse::<f64>().is_ok());
        format!(
            "{name} = {}\n",
            quoted(&format!("{value}{}", unit.unwrap_or_default()))
        )
    };
    key.point.params.iter().map(line).collect()
}

/// As a basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use reports::record::Point;

    use super::*;
    use crate::suite::Suite;

    fn key(variant: &str, params: &str) -> Key {
        let point = Point {
            algorithm: "sort".into(),
            variant: variant.into(),
            device: "cpu".into(),
            threads: 2,
            places: "cores".into(),
            bind: "close".into(),
            cache: "hot".into(),
            params: params.parse().expect("well formed"),
        };
        Key::new(point, "total")
    }

    #[test]
    fn the_suite_has_just_these_points() {
        let plain = Suite::parse(
            "plain",
            "name=\"p\"\n[[task]]\nname=\"sort\"\nvariants=[\"rdst\",\"std-*\"]\nthreads=2\n\
             places=\"cores\"\nbind=\"close\"\naxes={digis=\"1M\",order=\"time\"}\n",
        );
        let plain = plain.unwrap_or_else(|error| panic!("{error}"));
        let points: Vec<_> = plain.points().collect();
        assert_eq!(points.len(), 3);
        let keys: Vec<_> = points
            .iter()
            .map(|point| Key::new((*point).clone(), "total"))
            .collect();
        assert!(keys.iter().all(is_measurable));
        let text = of(&keys.iter().collect::<Vec<_>>(), 7);
        let suite = Suite::parse("confirm", &text);
        let suite = suite.unwrap_or_else(|error| panic!("{error}"));
        let mut again: Vec<_> = suite.points().collect();
        again.sort_by_key(|point| point.id());
        let mut points = points;
        points.sort_by_key(|point| point.id());
        assert_eq!(again, points);
    }

    #[test]
    fn what_is_not_known_here_cannot_be_measured() {
        assert!(is_measurable(&key("rdst", "digis=1000;segments=24")));
        assert!(!is_measurable(&key("bogo", "digis=1000;segments=24")));
        assert!(!is_measurable(&key("rdst", "input=digis.csv")));
    }
}
