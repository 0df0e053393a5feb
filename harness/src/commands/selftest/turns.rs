//! Rounds in turn: each has every slowdown right beside a side without.
//!
//! A round is a chain of short sittings in which neighbours are compared. Every
//! other round goes through it backwards, so that a drift within the rounds
//! favours neither side.

use std::path::PathBuf;

use reports::compare::{Measured, Terms, compare};
use reports::record::Trial;

use super::count;
use super::sittings::{Ended, Sittings};
use crate::failure::Failure;

/// The slowdowns of the sittings of a round.
const CHAIN: [f64; 7] = [0.01, 0.0, 0.0, 0.02, 0.05, 0.0, 0.10];
/// Which of them are compared: base and new.
const PAIRS: [(usize, usize); 5] = [(1, 0), (1, 2), (2, 3), (5, 4), (5, 6)];

/// Rounds that are judged together.
pub(super) struct Turns {
    repeat: usize,
    /// The folders of each sitting of the chain, round by round.
    folders: [Vec<PathBuf>; CHAIN.len()],
}

impl Turns {
    pub(super) fn new(repeat: usize) -> Self {
        Turns {
            repeat,
            folders: Default::default(),
        }
    }

    /// Measures a round.
    pub(super) fn round(&mut self, sittings: &Sittings<'_>) -> Result<(), Ended> {
        let round = self.folders[0].len();
        sittings.tell(&format!("round {} in turn", round + 1));
        let mut order: Vec<usize> = (0..CHAIN.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for sitting in order {
            let name = format!("turns-{}/round-{round}-{sitting}", self.repeat);
            let folder = sittings.short(&name, CHAIN[sitting])?;
            self.folders[sitting].push(folder);
        }
        Ok(())
    }

    /// Adds what the gate says of the rounds.
    pub(super) fn judge(&self, trials: &mut [Trial]) -> Result<(), Failure> {
        for (base, new) in PAIRS {
            let read = |sitting: usize| Measured::read_rounds(&self.folders[sitting]);
            let comparison = compare(&read(base)?, &read(new)?, &Terms::default())?;
            count(trials, CHAIN[new], &comparison);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trials;
    use super::*;

    #[test]
    fn neighbours_are_compared_with_a_side_without_slowdown() {
        for (base, new) in PAIRS {
            assert_eq!(CHAIN[base], 0.0);
            assert_eq!(base.abs_diff(new), 1);
        }
    }

    #[test]
    fn every_slowdown_is_tried() {
        for trial in trials() {
            let tried = |&(_, new): &(usize, usize)| CHAIN[new] == trial.slowdown;
            assert!(PAIRS.iter().any(tried), "{}", trial.slowdown);
        }
    }
}
