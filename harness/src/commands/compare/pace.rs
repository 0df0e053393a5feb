//! How many points and rounds a time is enough for.

use std::time::Duration;

/// More rounds than this tell little more: of changes of 2 % they find six in
/// ten on a host with neighbours, of 5 % nearly all.
const ROUNDS: usize = 48;
/// With fewer rounds some changes of 5 % would be missed: rather fewer points.
const LEAST_ROUNDS: usize = 16;
/// What a point takes in a round besides its samples: a part of the start of a
/// process, its input, its check.
const BESIDE: Duration = Duration::from_millis(60);
/// What the samples of a point take in a round, in times of its median: fresh
/// input for each, warming up, and repetitions.
const MEDIANS: f64 = 10.0;
/// A point's samples take no longer in a round, however slow it is.
const LONGEST: Duration = Duration::from_secs(2);

/// A time that is to be divided fairly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// All the time.
    pub(super) time: Duration,
    /// The executables that take turns.
    pub(super) sides: u32,
}

impl Pace {
    /// How many of these points, given by their medians in seconds, are worth a
    /// first round: those that will probably fit. One is in any case.
    pub(super) fn worth_trying(&self, medians: &[f64]) -> usize {
        let per_round = self.time.as_secs_f64() / LEAST_ROUNDS as f64;
        let cost = |median: &f64| {
            let samples = (MEDIANS * median).clamp(0.0, LONGEST.as_secs_f64());
            f64::from(self.sides) * (BESIDE.as_secs_f64() + samples)
        };
        let mut spent = 0.0;
        let fits = medians.iter().take_while(|median| {
            spent += cost(median);
            spent <= per_round
        });
        fits.count().clamp(1, medians.len().max(1))
    }

    /// How many points fit, and how many rounds of them, the first included,
    /// after a round of so many points took so long. All points get as many.
    pub(super) fn after_first(&self, points: usize, took: Duration) -> (usize, usize) {
        let rounds = self.time.as_secs_f64() / took.as_secs_f64().max(f64::MIN_POSITIVE);
        if rounds >= LEAST_ROUNDS as f64 {
            return (points, (rounds as usize).min(ROUNDS));
        }
        let fit = points as f64 * rounds / LEAST_ROUNDS as f64;
        ((fit as usize).clamp(1, points.max(1)), LEAST_ROUNDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace {
        time: Duration::from_secs(600),
        sides: 2,
    };

    #[test]
    fn a_time_that_is_enough_is_not_used_up() {
        assert_eq!(PACE.after_first(10, Duration::from_secs(2)), (10, ROUNDS));
        assert_eq!(PACE.worth_trying(&[0.01; 20]), 20);
    }

    #[test]
    fn a_time_that_is_short_costs_rounds_first_and_then_points() {
        assert_eq!(PACE.after_first(100, Duration::from_secs(20)), (100, 30));
        let (points, rounds) = PACE.after_first(100, Duration::from_secs(60));
        assert_eq!((points, rounds), (62, LEAST_ROUNDS));
        assert_eq!(
            PACE.after_first(3, Duration::from_secs(6000)),
            (1, LEAST_ROUNDS)
        );
    }

    #[test]
    fn slow_points_take_the_places_of_several() {
        let fast = PACE.worth_trying(&[0.001; 1000]);
        let slow = PACE.worth_trying(&[1.0; 1000]);
        assert!((200..400).contains(&fast), "{fast}");
        assert!((5..15).contains(&slow), "{slow}");
        assert_eq!(PACE.worth_trying(&[f64::NAN]), 1);
        let short = Pace {
            time: Duration::ZERO,
            ..PACE
        };
        assert_eq!(short.worth_trying(&[1.0, 1.0]), 1);
    }
}
