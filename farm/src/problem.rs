//! Reasons why nothing can be simulated.

/// Reason why nothing can be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A number must be positive.
    #[error("{what} is {value}: it must be a number above 0")]
    NotPositive {
        /// Its name.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A number must not be negative.
    #[error("{what} is {value}: it must be a number of 0 or more")]
    Negative {
        /// Its name.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A number is too large.
    #[error("{what} is {value}: {max} at most")]
    TooLarge {
        /// Its name.
        what: &'static str,
        /// The number.
        value: f64,
        /// The largest one.
        max: f64,
    },
    /// There are no service times.
    #[error("no service times are known: measure some with `bench stream`")]
    NoServiceTimes,
    /// Blocks of service times are too short.
    #[error("blocks of {0} service times can't be drawn: give 1 at least")]
    BlockTooShort(f64),
    /// There are no nodes, or they have no workers.
    #[error("a farm without {0} does nothing: give 1 at least")]
    Nothing(&'static str),
    /// Too many timeslices.
    #[error("{0:.0} timeslices are more than are simulated: {max} at most; simulate a shorter time", max = crate::simulation::MAX_TIMESLICES)]
    TooMany(f64),
}

/// Refuses numbers that are not above 0.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), Problem> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(Problem::NotPositive { what, value })
    }
}

/// Refuses numbers below 0.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<(), Problem> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(Problem::Negative { what, value }) }
}
