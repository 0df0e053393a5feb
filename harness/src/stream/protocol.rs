//! What is said between a stream and its workers: a line of JSON each, on the worker's standard
//! input and output. Both are the same executable.

use std::path::PathBuf;

use algorithms::sts::Digest;
use serde::{Deserialize, Serialize};

/// What a worker is told. It ends when nothing more can be said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// Get ready; once, before all else. Answered by [`Answer::Ready`] or [`Answer::Refused`].
    Open(Opening),
    /// Process a timeslice. Answered by [`Answer::Done`] or [`Answer::Refused`].
    Process {
        number: u64,
        /// Which of those that are in memory.
        data: usize,
        /// Say what was found.
        check: bool,
        /// Where its hits are to be written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hits: Option<PathBuf>,
    },
}

/// What a worker is to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Opening {
    pub(super) variant: String,
    pub(super) device: String,
    pub(super) threads: usize,
    /// The CPUs of each thread; anywhere if there are none.
    pub(super) cpus: Option<Vec<Vec<usize>>>,
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Ready {
        /// What it finds in each of the prepared timeslices.
        found: Vec<Found>,
        /// The time that each takes once it is known, in ns.
        took_ns: Vec<u64>,
    },
    Done {
        number: u64,
        begun_ns: u64,
        ended_ns: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found: Option<Found>,
    },
    /// It can't do it.
    Refused {
        problem: String,
        /// Whether that says something of the variant, and not of the machine.
        is_wrong: bool,
    },
}

/// What was found, in short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) clusters: u64,
    pub(super) hits: u64,
    pub(super) sum: u64,
}

impl From<Digest> for Found {
    fn from(Digest { clusters, hits, sum }: Digest) -> Self {
        Found { clusters, hits, sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_said_in_a_line_and_understood() {
        let open = Ask::Open(Opening {
            variant: "time-sweep".into(),
            device: "cpu".into(),
            threads: 2,
            cpus: Some(vec![vec![0], vec![1, 2]]),
        });
        for ask in [open, Ask::Process { number: 7, data: 3, check: true, hits: None }] {
            let line = serde_json::to_string(&ask).expect("serialises");
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Ask>(&line).expect("parses"), ask);
        }
        // Sums have all 64 bits.
        let found = Some(Found { clusters: 1, hits: 2, sum: u64::MAX - 1 });
        let done = Answer::Done { number: 7, begun_ns: 1, ended_ns: u64::MAX, found };
        let line = serde_json::to_string(&done).expect("serialises");
        assert_eq!(serde_json::from_str::<Answer>(&line).expect("parses"), done);
    }
}
