//! What is said between the coordinator and its children: a line of JSON each, a
//! question on the child's standard input and an answer on its standard output.
//!
//! The version is a contract: what is added keeps it, what changes raises it, and a
//! child of another version is refused. Rows have the columns of `samples.csv` and
//! `summary.csv` as keys.

use reports::record::{Point, SampleRow, Software, SummaryRow};
use serde::{Deserialize, Serialize};

pub(crate) use crate::measure::VisitOrder;
use crate::measure::is_false;

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// The subcommand that makes a process a child; with the flag [`FLAG`].
pub(crate) const SUBCOMMAND: &str = "sample";
/// See [`SUBCOMMAND`].
pub(crate) const FLAG: &str = "serve";

/// What a child is asked. Each is answered by the [`Answer`] of the same name, or by
/// [`Answer::Error`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ask {
    /// Who is there?
    Hello {
        /// [`VERSION`] of who asks.
        protocol: u32,
        /// The same executable was asked the same before: what it found out then of
        /// itself, and whether outputs are right, need not be found out again.
        #[serde(default, skip_serializing_if = "is_false")]
        again: bool,
    },
    /// These inputs, from now on by their numbers. Asked once of each process.
    Open { inputs: Vec<InputPoints> },
    /// Make an input and check its points.
    Prepare { input: usize },
    /// Take samples of a point, in buffers of their own.
    Visit(VisitOrder),
    /// No more samples of a point: sum up those of all processes.
    Finish {
        input: usize,
        point: usize,
        /// What `stopped_by` is to say.
        stopped_by: String,
        /// All rows of samples that were taken of it.
        samples: Vec<SampleRow>,
    },
}

/// The points of one input: they have its task and parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InputPoints {
    /// The seed of the data.
    pub seed: u64,
    /// At least one.
    pub points: Vec<Point>,
}

/// What a child answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// To [`Ask::Hello`].
    Hello {
        /// [`VERSION`] of who answers.
        protocol: u32,
        software: Box<Software>,
    },
    /// To [`Ask::Open`].
    Open {
        /// Why a point can't be measured, input by input and point by point.
        unknown: Vec<Vec<Option<String>>>,
        /// The fingerprints of the points' machine code, likewise; none if they were told
        /// before.
        #[serde(default)]
        fingerprints: Vec<Vec<String>>,
    },
    /// To [`Ask::Prepare`].
    Prepare(Prepared),
    /// To [`Ask::Visit`].
    Visit {
        rows: Vec<SampleRow>,
        /// The time that the visit took, with all that surrounds its samples.
        seconds: f64,
        /// The rows of a point that failed: it gets no more visits.
        failed: Vec<SummaryRow>,
    },
    /// To [`Ask::Finish`].
    Finish { rows: Vec<SummaryRow> },
    /// Instead of any other.
    Error { problem: String },
}

/// An input that was made, and its points that were checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Prepared {
    /// What there is to do: has to be the same on both sides.
    pub items: u64,
    /// See `items`.
    pub input_bytes: u64,
    /// The rows of points that are refused or wrong; nothing for those that are right.
    pub refused: Vec<Vec<SummaryRow>>,
    /// Seconds that it took to make the input.
    pub generating_s: f64,
    /// Seconds that it took to find the right answers.
    pub reference_s: f64,
    /// Seconds that it took to check all points.
    pub checking_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other builds have to understand these very lines.
    #[test]
    fn lines_are_as_they_ever_were() {
        let visit = Ask::Visit(VisitOrder {
            input: 1,
            point: 2,
            round: 3,
            samples: 5,
            warm_up: true,
            slowdown: 0.05,
            keep: false,
        });
        let hello = |again| Ask::Hello { protocol: 1, again };
        let cases = [
            (hello(false), r#"{"hello":{"protocol":1}}"#),
            (hello(true), r#"{"hello":{"protocol":1,"again":true}}"#),
            (Ask::Prepare { input: 4 }, r#"{"prepare":{"input":4}}"#),
            (
                visit,
                r#"{"visit":{"input":1,"point":2,"round":3,"samples":5,"warm_up":true,"slowdown":0.05}}"#,
            ),
        ];
        for (ask, line) in cases {
            assert_eq!(serde_json::to_string(&ask).expect("serialises"), line);
            assert_eq!(serde_json::from_str::<Ask>(line).expect("parses"), ask);
        }
    }
}
