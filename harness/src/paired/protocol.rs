//! Messages between the coordinator and its children: one line of JSON each, requests on the
//! child's standard input and responses on its standard output.
//!
//! The version is a contract: additions keep it, changes raise it, and a child of another version
//! is refused. Rows have the columns of `samples.csv` and `summary.csv` as keys.

use reports::record::{Point, QualityRow, SampleRow, Software, SummaryRow};
use serde::{Deserialize, Serialize};

pub(crate) use crate::measure::BlockRequest;
use crate::measure::is_false;

/// Version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// Subcommand of a child process; used with the flag [`FLAG`].
pub(crate) const SUBCOMMAND: &str = "sample";
/// Flag of [`SUBCOMMAND`].
pub(crate) const FLAG: &str = "serve";

/// Request to a child. Each is answered by the [`Response`] of the same name, or by
/// [`Response::Error`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Requests the protocol version.
    Hello {
        /// [`VERSION`] of the coordinator.
        protocol: u32,
        /// True if the same executable was asked before: its fingerprints and the correctness of
        /// outputs are known and need not be determined again.
        #[serde(default, skip_serializing_if = "is_false")]
        again: bool,
    },
    /// Opens inputs, which later requests refer to by index. Sent once to each process.
    Open { inputs: Vec<InputPoints> },
    /// Generates an input and checks its points.
    Prepare { input: usize },
    /// Takes samples of a point, in separate buffers.
    #[serde(rename = "visit")]
    SampleBlock(BlockRequest),
    /// Summarises the samples of all processes; there are no more samples of this point.
    Finish {
        input: usize,
        point: usize,
        /// Value of `stopped_by`.
        stopped_by: String,
        /// All rows of its samples.
        samples: Vec<SampleRow>,
    },
}

/// Points of one input: they share its task and parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InputPoints {
    /// Seed of the data.
    pub seed: u64,
    /// At least one point.
    pub points: Vec<Point>,
}

/// Response of a child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Response {
    /// Response to [`Request::Hello`].
    Hello {
        /// [`VERSION`] of the child.
        protocol: u32,
        software: Box<Software>,
    },
    /// Response to [`Request::Open`].
    Open {
        /// Reasons for points that can't be measured, input by input and point by point.
        unknown: Vec<Vec<Option<String>>>,
        /// Fingerprints of the points' machine code, in the same order; empty if they were sent
        /// before.
        #[serde(default)]
        fingerprints: Vec<Vec<String>>,
    },
    /// Response to [`Request::Prepare`].
    Prepare(PreparedInput),
    /// Response to [`Request::SampleBlock`].
    #[serde(rename = "visit")]
    SampleBlock {
        /// Their `start_s` are relative to the start of the block.
        rows: Vec<SampleRow>,
        /// Total time of the block, including preparation of its samples.
        seconds: f64,
        /// Rows of a point that failed: it gets no more blocks.
        failed: Vec<SummaryRow>,
    },
    /// Response to [`Request::Finish`].
    Finish { rows: Vec<SummaryRow> },
    /// Response to any request that fails.
    Error { problem: String },
}

/// An input that was generated, and its points that were checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PreparedInput {
    /// Number of items: has to be the same on both sides.
    pub items: u64,
    /// Bytes of the input: has to be the same on both sides.
    pub input_bytes: u64,
    /// Rows of points that are refused or wrong; empty for those that are right.
    pub refused: Vec<Vec<SummaryRow>>,
    /// Quality of points that are right, where the truth is known. Children of earlier versions, and
    /// restarted ones, send none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quality: Vec<Vec<QualityRow>>,
    /// Seconds for generating the input.
    pub generating_s: f64,
    /// Seconds for computing the reference.
    pub reference_s: f64,
    /// Seconds for checking all points.
    pub checking_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compatibility with other builds requires exactly these lines.
    #[test]
    fn lines_are_compatible() {
        let sample_block = Request::SampleBlock(BlockRequest {
            input: 1,
            point: 2,
            round: 3,
            samples: 5,
            warm_up: true,
            slowdown: 0.05,
            keep: false,
        });
        let hello = |again| Request::Hello { protocol: 1, again };
        let cases = [
            (hello(false), r#"{"hello":{"protocol":1}}"#),
            (hello(true), r#"{"hello":{"protocol":1,"again":true}}"#),
            (Request::Prepare { input: 4 }, r#"{"prepare":{"input":4}}"#),
            (
                sample_block,
                r#"{"visit":{"input":1,"point":2,"round":3,"samples":5,"warm_up":true,"slowdown":0.05}}"#,
            ),
        ];
        for (request, line) in cases {
            assert_eq!(serde_json::to_string(&request).expect("serialises"), line);
            assert_eq!(serde_json::from_str::<Request>(line).expect("parses"), request);
        }
    }
}
