//! Parameters of the detector that reconstruction needs in addition to digis.
//!
//! | module | content |
//! |---|---|
//! | `asic` | conversion of charge and time into digis |
//! | `module` | positions of modules, and directions of their strips |
//!
//! A [`Setup`] is always valid: constructors and readers report invalid values.

mod asic;
mod module;

pub use asic::Asic;
pub use module::Module;

use serde::{Deserialize, Serialize};

use super::MAX_SEGMENTS;

/// The parameters of a detector.
///
/// As JSON it has the keys `asic`, `cuts`, `landau` and `modules`; see `docs/data.md`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Unchecked")]
pub struct Setup {
    asic: Asic,
    cuts: Cuts,
    landau: LandauTable,
    modules: Vec<Module>,
}

/// An invalid parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct SetupError {
    /// Its key in the JSON of a setup.
    field: String,
    /// The invalid value, and valid ones.
    problem: String,
}

impl Setup {
    /// A setup of these parts; module `m` of the digis is `modules[m]`.
    ///
    /// # Errors
    /// The first invalid parameter.
    pub fn new(
        asic: Asic,
        cuts: Cuts,
        landau: LandauTable,
        modules: Vec<Module>,
    ) -> Result<Self, SetupError> {
        asic.validate()?;
        cuts.validate()?;
        landau.validate()?;
        for (index, module) in modules.iter().enumerate() {
            module.validate().map_err(|error| error.within(&format!("modules[{index}]")))?;
        }
        check_count(modules.len())?;
        Ok(Setup { asic, cuts, landau, modules })
    }

    /// Modules of one kind in a row, for digis that no particle made: any number of modules up to
    /// the 2^17 addresses.
    ///
    /// # Errors
    /// If there are none or more than that.
    pub fn regular(modules: usize) -> Result<Self, SetupError> {
        check_count(modules)?;
        let modules = (0..modules).map(Module::regular).collect();
        let asic = Asic::default();
        let cuts = Cuts::default();
        Self::new(asic, cuts, LandauTable::default(), modules)
    }

    /// Replaces the cuts on time differences.
    ///
    /// # Errors
    /// The first invalid cut.
    pub fn with_cuts(self, cuts: Cuts) -> Result<Self, SetupError> {
        cuts.validate()?;
        Ok(Setup { cuts, ..self })
    }

    /// Conversion of charge and time into digis.
    pub fn asic(&self) -> &Asic {
        &self.asic
    }

    /// Cuts on time differences.
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// Uncertainty of charges.
    pub fn landau(&self) -> &LandauTable {
        &self.landau
    }

    /// All modules, by their numbers.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }
}

fn check_count(modules: usize) -> Result<(), SetupError> {
    let max = MAX_SEGMENTS / 2;
    if (1..=max).contains(&modules) {
        return Ok(());
    }
    Err(SetupError::new("modules", format!("has {modules} modules; 1 to {max} are possible")))
}

/// Content of a file, each part validated by itself.
#[derive(Deserialize)]
struct Unchecked {
    asic: Checked<Asic>,
    cuts: Checked<Cuts>,
    landau: Checked<LandauTable>,
    modules: Vec<Checked<Module>>,
}

impl TryFrom<Unchecked> for Setup {
    type Error = SetupError;

    fn try_from(parts: Unchecked) -> Result<Self, SetupError> {
        check_count(parts.modules.len())?;
        Ok(Setup {
            asic: parts.asic.0,
            cuts: parts.cuts.0,
            landau: parts.landau.0,
            modules: parts.modules.into_iter().map(|module| module.0).collect(),
        })
    }
}

/// A part that is validated as soon as it is read, so that the reader can still report the line.
struct Checked<T>(T);

impl<'de, T: Deserialize<'de> + Validate> Deserialize<'de> for Checked<T> {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let part = T::deserialize(reader)?;
        part.validate().map_err(serde::de::Error::custom)?;
        Ok(Checked(part))
    }
}

/// Validation of a part.
trait Validate {
    fn validate(&self) -> Result<(), SetupError>;
}

impl SetupError {
    fn new(field: &str, problem: impl Into<String>) -> Self {
        SetupError { field: field.to_owned(), problem: problem.into() }
    }

    fn within(self, part: &str) -> Self {
        SetupError { field: format!("{part}.{}", self.field), ..self }
    }
}

/// Allowed values of a parameter.
#[derive(Clone, Copy)]
enum Allowed {
    Finite,
    Positive,
    NotNegative,
}

/// Refuses a number that a parameter can't be.
fn require(field: &str, value: f64, allowed: Allowed) -> Result<(), SetupError> {
    let (sensible, words) = match allowed {
        Allowed::Finite => (true, "a finite number"),
        Allowed::Positive => (value > 0.0, "above 0"),
        Allowed::NotNegative => (value >= 0.0, "0 or more"),
    };
    if sensible && value.is_finite() {
        return Ok(());
    }
    Err(SetupError::new(field, format!("is {value}; it must be {words}")))
}

/// Cuts in time. An absolute cut applies if it is above 0; otherwise the cut is in standard
/// deviations.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cuts {
    /// Between neighbouring digis of a cluster, in ns.
    pub time_cut_digi_abs: f64,
    /// Cut on the time difference of two digis in its standard deviations.
    pub time_cut_digi_sig: f64,
    /// Between the two clusters of a hit, in ns.
    pub time_cut_cluster_abs: f64,
    /// Cut on the time difference of two clusters in its standard deviations; without it and
    /// without an absolute cut there are no hits.
    pub time_cut_cluster_sig: f64,
}

impl Default for Cuts {
    /// Three standard deviations for digis, four for clusters.
    fn default() -> Self {
        Cuts {
            time_cut_digi_abs: -1.0,
            time_cut_digi_sig: 3.0,
            time_cut_cluster_abs: -1.0,
            time_cut_cluster_sig: 4.0,
        }
    }
}

impl Validate for Cuts {
    fn validate(&self) -> Result<(), SetupError> {
        require("timeCutDigiAbs", self.time_cut_digi_abs, Allowed::Finite)?;
        require("timeCutDigiSig", self.time_cut_digi_sig, Allowed::Finite)?;
        require("timeCutClusterAbs", self.time_cut_cluster_abs, Allowed::Finite)?;
        require("timeCutClusterSig", self.time_cut_cluster_sig, Allowed::Finite)
    }
}

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
    fn a_regular_setup_is_sensible() {
        let setup = Setup::regular(896).expect("sensible");
        assert_eq!(setup.modules().len(), 896);
        assert!(Setup::regular(0).is_err());
        assert!(Setup::regular(MAX_SEGMENTS).is_err());
    }

    #[test]
    fn a_problem_names_the_module() {
        let mut modules = vec![Module::regular(0), Module::regular(1)];
        modules[1].pitch = 0.0;
        let setup = Setup::new(Asic::default(), Cuts::default(), LandauTable::default(), modules);
        let error = setup.expect_err("no pitch").to_string();
        assert_eq!(error, "modules[1].pitch is 0; it must be above 0");
    }

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
