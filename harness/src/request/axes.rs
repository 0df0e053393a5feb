//! Values of a task's axes.

use algorithms::axis::{Axis, Kind, Params};

/// The values that were given for each axis, in plain form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisValues(Vec<(&'static str, Vec<String>)>);

impl AxisValues {
    /// The values of each axis in plain form, as [`Axis::parse`] makes them.
    pub fn new(values: Vec<(&'static str, Vec<String>)>) -> Self {
        AxisValues(values)
    }

    /// The values of an axis; none if it was not given.
    pub fn values(&self, name: &str) -> &[String] {
        let axis = self.0.iter().find(|(axis, _)| *axis == name);
        axis.map_or(&[], |(_, values)| values)
    }

    /// The values of some axes only.
    pub fn only(&self, axes: &[Axis]) -> Self {
        let is_one = |name: &str| axes.iter().any(|axis| axis.name == name);
        let given = self.0.iter().filter(|(name, _)| is_one(name));
        AxisValues(given.cloned().collect())
    }

    /// The flags that say them.
    pub fn flags(&self) -> impl Iterator<Item = String> {
        let flag = |(name, values): &(&str, Vec<String>)| format!("--{name} {}", values.join(","));
        self.0.iter().map(flag)
    }

    /// How many combinations of values there are.
    pub fn count(&self) -> usize {
        let values = self.0.iter().map(|(_, values)| values.len());
        values.fold(1, usize::saturating_mul)
    }

    /// Every combination of values, the last axis varying fastest.
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
        let merge = algorithms::registry::task("merge").expect("a task");
        let tracks = merge.axes().iter().find(|axis| axis.name == "tracks");
        let tracks = tracks.and_then(typed_default);
        assert_eq!(tracks.as_deref(), Some("10M"));
        for axis in algorithms::registry::tasks().iter().flat_map(|task| task.axes()) {
            let typed = typed_default(axis).map(|text| axis.parse(&text));
            assert_eq!(typed, axis.default.map(|text| axis.parse(text)), "{}", axis.name);
        }
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
    }
}
