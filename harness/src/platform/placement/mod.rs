//! Placement of threads as in OpenMP.
//!
//! Places are sets of CPUs that this process may use. A binding assigns each thread of a team to a
//! place, by its number. (OpenMP 5.2: `OMP_PLACES` in 21.1.6, the policies in 10.1.3.)

mod bind;
mod places;

use std::fmt;

pub use bind::{Bind, BindLevels, InnerBind, assign, assign_nested};
pub(crate) use places::list;
pub use places::{Place, PlaceKind, PlacesSpec};

use super::Topology;

/// Placement of the threads of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Threads are not bound.
    None,
    /// Threads are bound to places.
    Bound {
        /// Places as specified by the user.
        places: PlacesSpec,
        /// Policy for assigning threads to places.
        bind: Bind,
    },
}

/// Error: a placement that is not possible here, with what is available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlacementError(pub String);

impl Placement {
    /// Combines two flags, either of which may be missing: the default binding of places is close,
    /// the default places of a binding are cores.
    pub fn new(places: Option<&PlacesSpec>, bind: Option<Bind>) -> Self {
        match (places, bind) {
            (None, None) | (_, Some(Bind::False)) => Placement::None,
            (places, bind) => Placement::Bound {
                places: places.cloned().unwrap_or(PlacesSpec::all(PlaceKind::Cores)),
                bind: bind.unwrap_or(Bind::Close),
            },
        }
    }

    /// Name of the places in records: `none` without any.
    pub fn places_name(&self) -> String {
        match self {
            Placement::None => "none".to_owned(),
            Placement::Bound { places, .. } => places.to_string(),
        }
    }

    /// Binding policy: `false` without places.
    pub fn bind(&self) -> Bind {
        match self {
            Placement::None => Bind::False,
            Placement::Bound { bind, .. } => *bind,
        }
    }

    /// CPUs of each thread of a team; `None` if threads are not bound.
    ///
    /// # Errors
    /// If the places don't exist.
    pub fn cpus(
        &self,
        threads: usize,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Option<Vec<Place>>, PlacementError> {
        self.assigned(topology, mask, |places, bind| assign(places, threads, bind))
    }

    /// CPUs of each thread of nested teams, team by team; `None` if threads are not bound.
    ///
    /// # Errors
    /// If the places don't exist.
    pub fn cpus_of_nested(
        &self,
        threads: [usize; 2],
        inner: Bind,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Option<Vec<Place>>, PlacementError> {
        self.assigned(topology, mask, |places, bind| assign_nested(places, threads, [bind, inner]))
    }

    fn assigned(
        &self,
        topology: &Topology,
        mask: &[usize],
        assign: impl FnOnce(usize, Bind) -> Vec<usize>,
    ) -> Result<Option<Vec<Place>>, PlacementError> {
        let Placement::Bound { places, bind } = self else {
            return Ok(None);
        };
        let places = places.resolve(topology, mask)?;
        let numbers = assign(places.len(), *bind);
        let place = |number: usize| places[number].clone();
        Ok(Some(numbers.into_iter().map(place).collect()))
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::None => f.write_str("not placed"),
            Placement::Bound { places, bind } => write!(f, "places {places}, bind {bind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_has_a_default() {
        let sockets = &PlacesSpec::all(PlaceKind::Sockets);
        for (places, bind, expected) in [
            (None, None, "not placed"),
            (Some(sockets), Some(Bind::False), "not placed"),
            (Some(sockets), None, "places sockets, bind close"),
            (None, Some(Bind::Spread), "places cores, bind spread"),
        ] {
            assert_eq!(Placement::new(places, bind).to_string(), expected);
        }
        assert_eq!(Placement::None.places_name(), "none");
        assert_eq!(Placement::None.bind().to_string(), "false");
    }
}
