//! Values of a task's axes.

use tasks::axis::{Axis, Kind, Params};

use super::is_only_tried;
use super::values::each_once;

/// Limit of inputs: more would take weeks, and are probably a mistake.
const MAX_INPUTS: usize = 10_000;

/// Given values of each axis, in plain form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisValues(Vec<(&'static str, Vec<String>)>);

impl AxisValues {
    /// Creates the values of axes in plain form, as returned by [`Axis::parse`].
    pub fn new(values: Vec<(&'static str, Vec<String>)>) -> Self {
        AxisValues(values)
    }

    /// Completes the values for generated data with defaults; with small defaults in smoke mode.
    pub fn to_generate<'a>(self, axes: impl IntoIterator<Item = &'a Axis>) -> Self {
        if is_only_tried() { self.with_small_defaults(axes) } else { self }
    }

    fn with_small_defaults<'a>(mut self, axes: impl IntoIterator<Item = &'a Axis>) -> Self {
        for axis in axes {
            // Other axes are derived from those with a default.
            let sources = axis.derived_from;
            let is_given = |name: &&str| !self.values(name).is_empty();
            let is_decided_by_default =
                axis.default.is_some() || (!sources.is_empty() && !sources.iter().any(is_given));
            if let Some(small) = axis.small
                && is_decided_by_default
                && self.values(axis.name).is_empty()
            {
                self.0.push((axis.name, vec![small.to_string()]));
            }
        }
        self
    }

    /// Adds the values of an axis, each once.
    ///
    /// # Errors
    /// With its name if it has values already.
    pub(crate) fn insert(
        &mut self,
        name: &'static str,
        mut values: Vec<String>,
    ) -> Result<(), &'static str> {
        if self.0.iter().any(|(axis, _)| *axis == name) {
            return Err(name);
        }
        each_once(&mut values);
        self.0.push((name, values));
        Ok(())
    }

    /// Returns the values of an axis; empty if it was not given.
    pub fn values(&self, name: &str) -> &[String] {
        let axis = self.0.iter().find(|(axis, _)| *axis == name);
        axis.map_or(&[], |(_, values)| values)
    }

    /// Returns the values of `axes` only.
    pub fn only(&self, axes: &[Axis]) -> Self {
        let is_one = |name: &str| axes.iter().any(|axis| axis.name == name);
        let given = self.0.iter().filter(|(name, _)| is_one(name));
        AxisValues(given.cloned().collect())
    }

    /// Returns the values as flags.
    pub fn flags(&self) -> impl Iterator<Item = String> {
        let flag = |(name, values): &(&str, Vec<String>)| format!("--{name} {}", values.join(","));
        self.0.iter().map(flag)
    }

    /// Returns the number of combinations of values.
    pub fn count(&self) -> usize {
        let values = self.0.iter().map(|(_, values)| values.len());
        values.fold(1, usize::saturating_mul)
    }

    /// Rejects too many combinations, before any is generated.
    pub(crate) fn check_count(&self) -> Result<(), String> {
        let count = self.count();
        if count <= MAX_INPUTS {
            return Ok(());
        }
        Err(format!("{count} combinations of axes; {MAX_INPUTS} at most"))
    }

    /// Returns all combinations of values, the last axis varying fastest.
    pub fn combinations(&self) -> Vec<Params> {
        let mut combinations = vec![Params::default()];
        for (name, values) in &self.0 {
            combinations = combinations
                .iter()
                .flat_map(|params| {
                    values.iter().map(|value| {
                        let mut params = params.clone();
                        params.set(name, value);
                        params
                    })
                })
                .collect();
        }
        combinations
    }
}

/// Returns the value of an axis to measure: a small one in smoke mode.
pub(crate) fn as_tried(axis: &Axis, plain: String) -> String {
    if is_only_tried() { small(axis, plain) } else { plain }
}

/// Reduces a value of an axis that determines the size of inputs: to the axis' small value plus a
/// tenth of it per decade above, so that different values stay different.
fn small(axis: &Axis, plain: String) -> String {
    let Some((most, value)) = axis.small.zip(plain.parse::<f64>().ok()) else {
        return plain;
    };
    if value <= most {
        return plain;
    }
    let value = most * (1.0 + (value / most).log10() / 10.0);
    match axis.kind {
        Kind::Count => value.round().to_string(),
        _ => value.to_string(),
    }
}

/// The default as a user would type it: `10M` rather than `10000000`.
pub(crate) fn typed_default(axis: &Axis) -> Option<String> {
    let plain = axis.default?;
    let prefixed = |(zeros, prefix): (&str, &str)| {
        let digits = plain.strip_suffix(zeros).filter(|it| !it.is_empty())?;
        Some(format!("{digits}{prefix}"))
    };
    let mut short =
        [("000000000", "G"), ("000000", "M"), ("000", "k")].into_iter().filter_map(prefixed);
    let short = short.find(|_| axis.kind == Kind::Count);
    Some(short.unwrap_or_else(|| plain.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_shown_as_they_are_typed_and_mean_the_same() {
        let merge = crate::registry::task("merge").expect("a task");
        let tracks = merge.axes().iter().find(|axis| axis.name == "tracks");
        let tracks = tracks.and_then(typed_default);
        assert_eq!(tracks.as_deref(), Some("10M"));
        for axis in crate::registry::tasks().iter().flat_map(|task| task.axes()) {
            let typed = typed_default(axis).map(|text| axis.parse(&text));
            assert_eq!(typed, axis.default.map(|text| axis.parse(text)), "{}", axis.name);
        }
    }

    #[test]
    fn values_are_made_small_and_stay_apart() {
        let sort = crate::registry::task("sort").expect("a task");
        let digis = sort.axes().iter().find(|axis| axis.name == "digis").expect("an axis");
        let small = |plain: &str| small(digis, plain.to_owned());
        assert_eq!(["1000", "2000000", "20000000"].map(small), ["1000", "2600", "2800"]);
    }

    #[test]
    fn data_are_small_by_default() {
        let sort = crate::registry::task("sort").expect("a task");
        let digis = |name, value: &str| {
            let given = AxisValues(vec![(name, vec![value.to_owned()])]);
            given.with_small_defaults(sort.axes()).values("digis").to_vec()
        };
        assert_eq!(digis("segments", "24"), ["2000"]);
        assert_eq!(digis("digis", "1000"), ["1000"]);
        assert!(digis("rate", "10000").is_empty());
    }

    #[test]
    fn combinations_cover_the_product() {
        let values = AxisValues(vec![
            ("segments", vec!["24".into(), "1792".into()]),
            ("order", vec!["random".into(), "time".into(), "jitter:64".into()]),
        ]);
        let combinations = values.combinations();
        assert_eq!((combinations.len(), values.count()), (6, 6));
        assert_eq!(combinations[1].get("segments"), Some("24"));
        assert_eq!(combinations[1].get("order"), Some("time"));
        assert_eq!(AxisValues::default().combinations(), [Params::default()]);
        assert_eq!(values.check_count(), Ok(()));
    }

    #[test]
    fn too_many_combinations_are_refused_with_their_number() {
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect();
        let values = AxisValues(vec![("digis", numbers(101)), ("segments", numbers(100))]);
        let refusal = values.check_count().expect_err("too many");
        assert_eq!(refusal, "10100 combinations of axes; 10000 at most");
    }
}
