//! Parameters of slice tracks.

use std::fmt;
use std::str::FromStr;

use text::Untrusted;

use crate::DataError;

/// Numbers of slice tracks have 31 bits, as the experiment's.
pub const MAX_TRACKS: usize = 1 << 31;

/// Numbering of the pieces of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Numbers that are close to each other.
    Local,
    /// Any numbers.
    Shuffled,
}

/// Parameters of slice tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackShape {
    /// Number of slice tracks.
    pub tracks: usize,
    /// Their numbering.
    pub ids: Ids,
}

impl TrackShape {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        if (1..=MAX_TRACKS).contains(&self.tracks) {
            return Ok(());
        }
        let tracks = self.tracks;
        Err(DataError::shape(format!(
            "{tracks} slice tracks can't be made; use --tracks 1 to {MAX_TRACKS}"
        )))
    }
}

impl FromStr for Ids {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "local" => Ok(Ids::Local),
            "shuffled" => Ok(Ids::Shuffled),
            _ => Err(format!("{} is neither local nor shuffled", name.quoted())),
        }
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Ids::Local => "local",
            Ids::Shuffled => "shuffled",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_at_all_are_refused() {
        let shape = |tracks| TrackShape { tracks, ids: Ids::Local };
        assert!(shape(1).validate().is_ok());
        let error = shape(0).validate().expect_err("refused");
        assert!(error.to_string().contains("--tracks"));
        assert!(shape(MAX_TRACKS + 1).validate().is_err());
    }
}
