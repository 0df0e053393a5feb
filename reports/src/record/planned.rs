//! Plan of a run: which points a complete one has.

use serde::{Deserialize, Serialize};

/// Variant of a plan on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedVariant {
    /// The subcommand's name.
    pub algorithm: String,
    /// The variant's name.
    pub variant: String,
    /// `cpu`, `cuda:0`.
    pub device: String,
    /// Number of its points: inputs, threads, placements and caches.
    pub points: usize,
    /// The machine code that runs, as in `summary.csv`.
    pub fingerprint: String,
}

impl PlannedVariant {
    /// Adds the points of another one to those of the same variant on the same device.
    pub fn add_to(self, all: &mut Vec<PlannedVariant>) {
        let name =
            |it: &PlannedVariant| [&it.algorithm, &it.variant, &it.device].map(String::clone);
        match all.iter_mut().find(|known| name(known) == name(&self)) {
            Some(known) => known.points += self.points,
            None => all.push(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_variant_on_a_device_are_added_up() {
        let planned = |variant: &str, device: &str| PlannedVariant {
            variant: variant.into(),
            device: device.into(),
            points: 2,
            ..PlannedVariant::default()
        };
        let mut all = Vec::new();
        for (variant, device) in [("a", "cpu"), ("b", "cpu"), ("a", "cpu"), ("a", "cuda:0")] {
            planned(variant, device).add_to(&mut all);
        }
        let points: Vec<usize> = all.iter().map(|it| it.points).collect();
        assert_eq!(points, [4, 2, 2]);
    }
}
