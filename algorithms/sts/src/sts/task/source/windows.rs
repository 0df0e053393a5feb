//! Windows in time of clusters and hits, as parameters: they replace cuts of the detector's setup,
//! which is where all variants read them.

use generators_common::DataError;
use generators_sts::setup::{Cuts, Setup};

use crate::sts::formulas::CLUSTER_PRUNING;
use tasks::axis::{Flag, Params, axes};

axes! {
    /// Windows in time. They have no default, so that runs of earlier versions have the same
    /// parameters, and files keep the cuts of their setup.
    pub(super) WINDOWS {
        pub(super) DIGI_WINDOW: f64 = Flag::number("digi-window").unit("σ").of_algorithm() =>
            "Time between neighbouring digis of a cluster, in its standard deviations (7.1 ns each), \
             0 to 100 [default: that of the setup, 3 if simulated]";
        CLUSTER_WINDOW: f64 = Flag::number("cluster-window").unit("σ").of_algorithm() =>
            "Time between the two clusters of a hit, in its standard deviations, above 0, 4 at most \
             [default: that of the setup, 4 if simulated]";
    }
}

/// Largest window of digis. A longer one comes near the dead time of channels.
pub(in crate::sts::task) const MAX_DIGI_WINDOW: f64 = 100.0;

/// Windows that replace those of a setup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Windows {
    digi: Option<f64>,
    cluster: Option<f64>,
}

impl Windows {
    /// The windows that parameters have.
    ///
    /// # Errors
    /// If one is out of range.
    pub(super) fn from_params(params: &Params) -> Result<Self, DataError> {
        let digi = DIGI_WINDOW.given(params)?;
        let cluster = CLUSTER_WINDOW.given(params)?;
        if let Some(digi) = digi.filter(|digi| !(0.0..=MAX_DIGI_WINDOW).contains(digi)) {
            let problem =
                format!("--digi-window {digi} is out of range; use 0 to {MAX_DIGI_WINDOW}");
            return Err(DataError::Shape(problem));
        }
        if let Some(cluster) = cluster.filter(|cut| !(*cut > 0.0 && *cut <= CLUSTER_PRUNING)) {
            return Err(DataError::Shape(format!(
                "--cluster-window {cluster} is out of range; use more than 0, up to \
                 {CLUSTER_PRUNING}: clusters that are further apart are never paired"
            )));
        }
        Ok(Windows { digi, cluster })
    }

    /// The setup with these windows.
    ///
    /// # Errors
    /// If a cut of the setup is invalid.
    pub(super) fn apply(self, setup: Setup) -> Result<Setup, DataError> {
        let mut cuts = setup.cuts().clone();
        if let Some(digi) = self.digi {
            cuts = Cuts { time_cut_digi_abs: -1.0, time_cut_digi_sig: digi, ..cuts };
        }
        if let Some(cluster) = self.cluster {
            cuts = Cuts { time_cut_cluster_abs: -1.0, time_cut_cluster_sig: cluster, ..cuts };
        }
        setup.with_cuts(cuts).map_err(|problem| DataError::Shape(problem.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(given: &[(&'static str, &str)]) -> Result<Windows, String> {
        let params: Params = given.iter().copied().collect();
        Windows::from_params(&params).map_err(|error| error.to_string())
    }

    const DIGI: &str = "digi-window";
    const CLUSTER: &str = "cluster-window";

    #[test]
    fn windows_replace_the_cuts_of_a_setup_also_absolute_ones() {
        let regular = Setup::regular(1).expect("a module");
        let absolute =
            Cuts { time_cut_digi_abs: 30.0, time_cut_cluster_abs: 9.0, ..Cuts::default() };
        let setup = regular.with_cuts(absolute.clone()).expect("valid");
        let cuts = |given: &[(&'static str, &str)]| {
            let windows = windows(given).expect("in range");
            windows.apply(setup.clone()).expect("valid").cuts().clone()
        };
        assert_eq!(cuts(&[]), absolute);
        let digis = cuts(&[(DIGI, "5")]);
        assert_eq!((digis.time_cut_digi_abs, digis.time_cut_digi_sig), (-1.0, 5.0));
        assert_eq!(digis.time_cut_cluster_abs, 9.0);
        let both = cuts(&[(CLUSTER, "2.5"), (DIGI, "3")]);
        assert_eq!((both.time_cut_cluster_abs, both.time_cut_cluster_sig), (-1.0, 2.5));
    }

    #[test]
    fn windows_out_of_range_are_refused() {
        for (digi, cluster) in [("0", "4"), ("100", "0.1")] {
            assert!(windows(&[(DIGI, digi), (CLUSTER, cluster)]).is_ok(), "{digi} {cluster}");
        }
        for (flag, value, problem) in [
            (DIGI, "-1", "--digi-window -1 is out of range; use 0 to 100"),
            (DIGI, "NaN", "--digi-window NaN is out of range"),
            (CLUSTER, "0", "--cluster-window 0 is out of range; use more than 0, up to 4"),
            (CLUSTER, "4.5", "further apart are never paired"),
        ] {
            let error = windows(&[(flag, value)]).expect_err("refused");
            assert!(error.contains(problem), "{flag} {value}: {error}");
        }
    }
}
