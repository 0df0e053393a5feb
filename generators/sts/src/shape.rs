//! Parameters of generated digis.

use std::fmt;
use std::str::FromStr;

use generators_common::DataError;
use text::Untrusted;

use super::{MAX_SEGMENTS, MAX_TIME_NS};

/// Beyond this the emptiest segments would have no digis anyway.
const MAX_SKEW: f64 = 1e6;

/// Order of arrival of the digis of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Random order.
    Random,
    /// Sorted by time.
    Time,
    /// Sorted by time, then each digi moved by up to this many indices.
    Jitter(u32),
}

/// Distribution of the digis over the segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skew {
    /// Ratio of digis in the fullest and the emptiest segment; the others lie between them, evenly
    /// on a logarithmic scale, as occupancy falls with the distance from the beam. 1 is uniform.
    Ratio(f64),
    /// One segment has this share of all digis; the others share the rest.
    Hot(f64),
}

/// Parameters of generated digis.
#[derive(Clone, Debug, PartialEq)]
pub struct DigiShape {
    /// Number of segments (module sides).
    pub segments: usize,
    /// Number of digis in all segments together.
    pub digis: u64,
    /// The order of arrival in each segment.
    pub order: Order,
    /// The spread over segments.
    pub skew: Skew,
    /// The share of digis that repeat the channel and time of another one.
    pub duplicates: f64,
    /// The length of the timeslice in ns: times are below it.
    pub timeslice_ns: u64,
}

impl DigiShape {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        let DigiShape { segments, digis, .. } = *self;
        if segments == 0 {
            return Err(DataError::shape("0 segments hold no digis; use 1 or more"));
        }
        if segments > MAX_SEGMENTS {
            return Err(DataError::shape(format!(
                "{segments} segments are more than the {MAX_SEGMENTS} that the digis' 17-bit \
                 module address can distinguish"
            )));
        }
        if digis == 0 {
            return Err(DataError::shape("0 digis leave nothing to do; use 1 or more"));
        }
        self.validate_shares()?;
        self.validate_timeslice()
    }

    fn validate_shares(&self) -> Result<(), DataError> {
        if !(0.0..1.0).contains(&self.duplicates) {
            return Err(DataError::shape(format!(
                "duplicates {} is not a share; use 0 or more, below 1",
                self.duplicates
            )));
        }
        match self.skew {
            Skew::Ratio(ratio) if !(1.0..=MAX_SKEW).contains(&ratio) => {
                Err(DataError::shape(format!(
                    "skew {ratio} is not a ratio of the fullest to the emptiest segment; use 1 to {MAX_SKEW}"
                )))
            }
            Skew::Hot(share) if !(0.0..=1.0).contains(&share) => Err(DataError::shape(format!(
                "skew hot:{share} is not a share of the digis; use 0 to 1"
            ))),
            _ => Ok(()),
        }
    }

    fn validate_timeslice(&self) -> Result<(), DataError> {
        let longest = u64::from(MAX_TIME_NS) + 1;
        if (1..=longest).contains(&self.timeslice_ns) {
            return Ok(());
        }
        Err(DataError::shape(format!(
            "a timeslice of {} ns does not fit the digis' 31-bit time; use 1 ns to {longest} ns (2.147 s)",
            self.timeslice_ns
        )))
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Random => f.write_str("random"),
            Order::Time => f.write_str("time"),
            Order::Jitter(distance) => write!(f, "jitter:{distance}"),
        }
    }
}

impl FromStr for Order {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        match text.split_once(':') {
            None if text == "random" => Ok(Order::Random),
            None if text == "time" => Ok(Order::Time),
            Some(("jitter", distance)) => distance.parse().map(Order::Jitter).map_err(|_| {
                let order = text.escaped();
                DataError::shape(format!("{order} needs a distance in digis: jitter:64"))
            }),
            _ => Err(DataError::shape(format!(
                "unknown order {}; there are random, time and jitter:N",
                text.quoted()
            ))),
        }
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skew::Ratio(ratio) => write!(f, "{ratio}"),
            Skew::Hot(share) => write!(f, "hot:{share}"),
        }
    }
}

impl FromStr for Skew {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let skew = match text.split_once(':') {
            Some(("hot", share)) => share.parse().ok().map(Skew::Hot),
            Some(_) => None,
            None => text.parse().ok().map(Skew::Ratio),
        };
        skew.ok_or_else(|| {
            DataError::shape(format!(
                "skew {} is neither a ratio such as 4 nor a share such as hot:0.5",
                text.quoted()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> DigiShape {
        DigiShape {
            segments: 24,
            digis: 1000,
            order: Order::Random,
            skew: Skew::Ratio(1.0),
            duplicates: 0.0,
            timeslice_ns: 1 << 31,
        }
    }

    fn refused(change: impl FnOnce(&mut DigiShape)) -> String {
        let mut shape = shape();
        change(&mut shape);
        shape.validate().expect_err("senseless").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused() {
        assert!(shape().validate().is_ok());
        assert!(refused(|s| s.segments = 0).contains("0 segments"));
        assert!(refused(|s| s.segments = MAX_SEGMENTS + 1).contains("262144"));
        assert!(refused(|s| s.digis = 0).contains("0 digis"));
        assert!(refused(|s| s.duplicates = 1.0).contains("share"));
        assert!(refused(|s| s.duplicates = f64::NAN).contains("share"));
        assert!(refused(|s| s.skew = Skew::Ratio(0.5)).contains("ratio"));
        assert!(refused(|s| s.skew = Skew::Hot(1.5)).contains("share"));
        assert!(refused(|s| s.timeslice_ns = 0).contains("timeslice"));
        assert!(refused(|s| s.timeslice_ns = (1 << 31) + 1).contains("31-bit"));
    }

    #[test]
    fn orders_and_skews_come_back_from_text() {
        for text in ["random", "time", "jitter:64"] {
            assert_eq!(text.parse::<Order>().expect("known").to_string(), text);
        }
        for text in ["1", "4.5", "hot:0.5"] {
            assert_eq!(text.parse::<Skew>().expect("known").to_string(), text);
        }
        for text in ["rando", "jitter", "jitter:", "jitter:-1", "time:3"] {
            assert!(text.parse::<Order>().is_err(), "{text}");
        }
        for text in ["hot", "cold:0.5", ""] {
            assert!(text.parse::<Skew>().is_err(), "{text}");
        }
    }
}
