//! Cuts of the search. The experiment's are constants, for which the compiler makes code of its own:
//! with cuts in memory the search takes up to 3 % longer on one thread.

use crate::velo::model::search::SearchCuts;

/// Cuts that a search is compiled for.
pub trait Cuts: Copy {
    /// Values of the cuts.
    fn values(self) -> SearchCuts;

    /// Limit of the scatter of a hit, in mm².
    #[inline]
    fn max_scatter(self) -> f32 {
        self.values().max_scatter
    }
}

/// Cuts of the experiment, as constants.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentCuts;

impl Cuts for ExperimentCuts {
    #[inline]
    fn values(self) -> SearchCuts {
        SearchCuts::EXPERIMENT
    }
}

/// Cuts that are known when a search begins.
impl Cuts for SearchCuts {
    #[inline]
    fn values(self) -> SearchCuts {
        self
    }
}
