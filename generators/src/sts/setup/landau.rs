//! Uncertainty of charges.

use serde::{Deserialize, Serialize};

use super::{Allowed, SetupError, Validate, require};

/// Half the width of the distribution of charges (after Landau) that a particle
/// leaves, at charges of 0, `step_size`, 2 `step_size` and so on, all in electrons.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LandauTable {
    /// From one charge to the next.
    pub step_size: f64,
    /// The width at each charge.
    pub values: Vec<f64>,
}

impl Default for LandauTable {
    /// An assumed table: a straggling that grows with the root of the charge, and a tail in
    /// proportion to it. The experiment's table is not public.
    fn default() -> Self {
        const STEP: f64 = 1000.0;
        const ENTRIES: u32 = 80;
        let width = |i| {
            let charge = STEP * f64::from(i);
            libm::round(50.0 + 11.0 * charge.sqrt() + 0.05 * charge)
        };
        LandauTable { step_size: STEP, values: (0..ENTRIES).map(width).collect() }
    }
}

impl Validate for LandauTable {
    fn validate(&self) -> Result<(), SetupError> {
        require("stepSize", self.step_size, Allowed::Positive)?;
        if self.values.len() < 2 {
            let problem = format!(
                "has {} entries; widths can only be interpolated between two or more",
                self.values.len()
            );
            return Err(SetupError::new("values", problem));
        }
        for (index, &value) in self.values.iter().enumerate() {
            require(&format!("values[{index}]"), value, Allowed::NotNegative)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_needs_two_entries() {
        let mut table = LandauTable::default();
        table.validate().expect("sensible");
        table.values.truncate(1);
        let error = table.validate().expect_err("too short").to_string();
        assert!(error.starts_with("values has 1 entries"), "{error}");
        table.values = vec![1.0, -2.0];
        let error = table.validate().expect_err("negative").to_string();
        assert_eq!(error, "values[1] is -2; it must be 0 or more");
    }
}
