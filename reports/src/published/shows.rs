//! Declarations of figures about streams: what is measured for them, and what they show.

use serde::Deserialize;

use crate::stream::TimesliceRow;

/// Measurement of a figure about streams.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Stream {
    /// The figure's id.
    pub figure: String,
    /// The name of the streams, which several figures may share: `beam-time`.
    pub runs: String,
    /// Quantities to draw.
    pub shows: Shows,
}

/// Quantities that are drawn for streams.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Shows {
    /// Content of each timeslice, over time.
    Contents(Vec<Quantity>),
    /// Bytes per second over time, with published values.
    Bytes,
    /// Events per second over streams, with published values.
    Events,
}

/// Content of a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Digis.
    Digis,
    /// Clusters.
    Clusters,
    /// Hits.
    Hits,
}

impl TryFrom<String> for Shows {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let quantity = |name: &str| match name {
            "digis" => Ok(Quantity::Digis),
            "clusters" => Ok(Quantity::Clusters),
            "hits" => Ok(Quantity::Hits),
            _ => Err(format!("{name} is not a metric of streams")),
        };
        match text.as_str() {
            "bytes" => Ok(Shows::Bytes),
            "events" => Ok(Shows::Events),
            names => Ok(Shows::Contents(names.split('+').map(quantity).collect::<Result<_, _>>()?)),
        }
    }
}

impl Quantity {
    /// `digis`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Digis => "digis",
            Quantity::Clusters => "clusters",
            Quantity::Hits => "hits",
        }
    }

    /// Number in a timeslice.
    pub fn count_in(self, timeslice: &TimesliceRow) -> f64 {
        (match self {
            Quantity::Digis => timeslice.digis,
            Quantity::Clusters => timeslice.clusters,
            Quantity::Hits => timeslice.hits,
        }) as f64
    }
}
