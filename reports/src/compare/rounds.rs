//! Rounds of paired runs.

use statistics::{Paired, lower_quartile, median};

use crate::rank::{KERNEL, TOTAL};
use crate::record::{SampleRow, flags};

/// Share of disturbed samples from which on wall time includes the load of other processes.
const DISTURBED: f64 = 0.1;
/// Ratio of wall time to the time without waiting for a core from which on waiting counts; it is
/// caused by other processes.
const WAITING: f64 = 1.02;

/// The stages that are judged by rounds: complete runs, and all kernels together. The number of
/// rounds was chosen by these; other stages may take only microseconds and are not measured until
/// they are significant.
pub(super) const JUDGED: [&str; 3] = [TOTAL, "sample", KERNEL];

/// Times of a point in one round, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    /// The median of all samples that count; `None` if there are none.
    pub all: Option<f64>,
    /// The median of the undisturbed samples; `None` if there are none.
    pub quiet: Option<f64>,
    /// The median CPU time of a team of one thread; `None` for larger teams.
    pub cpu: Option<f64>,
    /// The lower quartile of that time: a thread that shares its core often finds cold caches, so
    /// that the faster samples are the less disturbed ones.
    pub cpu_low: Option<f64>,
    /// The median of the wall time of a team of one thread, without waiting for a core; `None` for
    /// larger teams, and if the kernel does not count it.
    pub undelayed: Option<f64>,
    /// The lower quartile of that time.
    pub undelayed_low: Option<f64>,
    /// The share of samples that were taken while other processes used the cores.
    pub disturbed: f64,
}

/// Quantity by which the rounds of a point are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Wall time.
    Wall,
    /// Wall time without waiting for a core, by the lower quartiles of rounds. Sleeping counts, as
    /// it is caused by the code itself.
    Undelayed,
    /// CPU time of the thread, by the lower quartiles of rounds: used if the kernel does not count
    /// waiting.
    Cpu,
}

/// The rounds of a point and stage, from all its samples.
pub(super) fn rounds(rows: &[&SampleRow]) -> Vec<Round> {
    let mut rounds: Vec<Vec<&SampleRow>> = Vec::new();
    for row in rows {
        if rounds.len() <= row.round {
            rounds.resize(row.round + 1, Vec::new());
        }
        rounds[row.round].push(row);
    }
    rounds.into_iter().map(Round::from_rows).collect()
}

impl Round {
    /// Summary of the samples of one stage in one round.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a SampleRow>) -> Self {
        let counts = |row: &&SampleRow| !flags::has(&row.flags, flags::OUTSIDE_CPU_SET);
        let rows: Vec<_> = rows.into_iter().filter(counts).collect();
        let middle = |seconds: Vec<f64>| Some(median(&seconds)).filter(|m| m.is_finite());
        let is_disturbed = |row: &&SampleRow| flags::has(&row.flags, flags::DISTURBED);
        let (disturbed, quiet): (Vec<_>, Vec<&SampleRow>) =
            rows.iter().copied().partition(is_disturbed);
        let cpu: Option<Vec<_>> = rows.iter().map(|row| row.cpu_s).collect();
        let undelayed: Option<Vec<_>> = rows.iter().map(|row| undelayed(row)).collect();
        Round {
            all: middle(rows.iter().map(|row| row.seconds).collect()),
            quiet: middle(quiet.iter().map(|row| row.seconds).collect()),
            cpu_low: cpu.as_deref().and_then(lower_quartile),
            cpu: cpu.and_then(middle),
            undelayed_low: undelayed.as_deref().and_then(lower_quartile),
            undelayed: undelayed.and_then(middle),
            disturbed: disturbed.len() as f64 / rows.len().max(1) as f64,
        }
    }

    /// The times of both sides of a round: wall times of undisturbed samples if both sides have
    /// some.
    fn pair(base: &Round, new: &Round, quantity: Quantity) -> Option<(f64, f64)> {
        match quantity {
            Quantity::Cpu => base.cpu_low.zip(new.cpu_low),
            Quantity::Undelayed => base.undelayed_low.zip(new.undelayed_low),
            Quantity::Wall => base.quiet.zip(new.quiet).or(base.all.zip(new.all)),
        }
    }

    /// Ratio of wall time to the time without waiting, by a quantity that excludes waiting.
    fn waited(&self, quantity: Quantity) -> Option<f64> {
        let without = match quantity {
            Quantity::Wall => self.all,
            Quantity::Undelayed => self.undelayed,
            Quantity::Cpu => self.cpu,
        };
        Some(self.all? / without?)
    }
}

/// Wall time of a sample without waiting for a core.
fn undelayed(row: &SampleRow) -> Option<f64> {
    let without = row.seconds - row.run_delay_s?;
    // Both clocks are read at slightly different times.
    Some(without.max(row.cpu_s.unwrap_or(0.0)))
}

impl Quantity {
    /// Quantity for a comparison: the time without waiting for a core, if a thread had to wait on
    /// either side, or was often disturbed. The choice is independent of which side was faster.
    fn choose(base: &[Round], new: &[Round]) -> Self {
        let sides = [base, new].map(|rounds| {
            let taken = rounds.iter().filter(|round| round.all.is_some());
            taken.copied().collect::<Vec<_>>()
        });
        let is_known = |quantity: &Quantity| {
            sides.iter().flatten().all(|round| round.waited(*quantity).is_some())
        };
        let without_waiting = [Quantity::Undelayed, Quantity::Cpu].into_iter().find(is_known);
        let is_due = |quantity: &Quantity| sides.iter().any(|rounds| is_busy(rounds, *quantity));
        without_waiting.filter(is_due).unwrap_or(Quantity::Wall)
    }
}

/// True if other processes had the cores for a part of these rounds, by a quantity that excludes
/// waiting.
fn is_busy(rounds: &[Round], quantity: Quantity) -> bool {
    let waited: Vec<_> = rounds.iter().filter_map(|round| round.waited(quantity)).collect();
    let disturbed: f64 = rounds.iter().map(|round| round.disturbed).sum();
    median(&waited) > WAITING || disturbed > DISTURBED * rounds.len() as f64
}

/// The rounds that both sides have, and the quantity by which they are compared.
pub fn paired(base: &[Round], new: &[Round]) -> (Option<Paired>, Quantity) {
    let quantity = Quantity::choose(base, new);
    let rounds = base.iter().zip(new).enumerate();
    let pairs =
        rounds.filter_map(|(round, (base, new))| Some((round, Round::pair(base, new, quantity)?)));
    (Paired::from_rounds(pairs), quantity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::testing::row;
    use statistics::ROUNDS_PER_RESTART;

    fn sample(round: usize, seconds: f64, cpu_s: Option<f64>, flags: &str) -> SampleRow {
        SampleRow {
            cpu_s,
            flags: flags.to_owned(),
            ..SampleRow::new(&row("a").point(), "total", round, 0, seconds)
        }
    }

    #[test]
    fn a_round_has_the_medians_of_what_counts() {
        let rows = [
            sample(0, 1.0, Some(0.9), ""),
            sample(0, 3.0, Some(0.8), "disturbed"),
            sample(0, 9.0, Some(7.0), "fresh+outside-place"),
        ];
        let round = Round::from_rows(&rows);
        assert_eq!((round.all, round.quiet), (Some(2.0), Some(1.0)));
        assert!((round.cpu.expect("known") - 0.85).abs() < 1e-12);
        assert!((round.cpu_low.expect("known") - 0.825).abs() < 1e-12);
        assert_eq!(Round::from_rows(&[]), Round::default());
    }

    #[test]
    fn rounds_have_their_indices() {
        let rows = [sample(2, 1.0, None, ""), sample(0, 2.0, None, "")];
        let all: Vec<_> = rounds(&rows.each_ref()).iter().map(|round| round.all).collect();
        assert_eq!(all, [Some(2.0), None, Some(1.0)]);
    }

    /// Waiting for a core is caused by other processes, and differs between sides.
    #[test]
    fn waiting_threads_are_compared_by_their_cpu_time() {
        let round = |wall: f64| Round {
            all: Some(wall),
            quiet: None,
            cpu: Some(1.0),
            cpu_low: Some(1.0),
            disturbed: 0.0,
            ..Round::default()
        };
        let quiet = [round(1.001); 10];
        let busy = [round(1.9); 10];
        assert_eq!(Quantity::choose(&quiet, &quiet), Quantity::Wall);
        assert_eq!(Quantity::choose(&quiet, &busy), Quantity::Cpu);
        // One round each by five processes.
        let spread = |round: Round| -> Vec<Round> {
            let is_first = |index: usize| index.is_multiple_of(ROUNDS_PER_RESTART);
            let all = (0..5 * ROUNDS_PER_RESTART).map(|index| is_first(index).then_some(round));
            all.map(Option::unwrap_or_default).collect()
        };
        let (found, _) = paired(&spread(quiet[0]), &spread(busy[0]));
        assert!((found.expect("enough").estimate().ratio - 1.0).abs() < 1e-12);
        let disturbed = [Round { disturbed: 0.2, ..quiet[0] }; 10];
        assert_eq!(Quantity::choose(&disturbed, &quiet), Quantity::Cpu);
        let teams = [Round { cpu: None, cpu_low: None, ..round(1.9) }; 10];
        assert_eq!(Quantity::choose(&teams, &teams), Quantity::Wall);
    }

    /// Sleeping is not waiting for a core: the new side sleeps for as long as it works.
    #[test]
    fn sleep_counts_with_and_without_other_load() {
        let rounds = |wall: f64, delay: f64| -> Vec<Round> {
            let sample =
                SampleRow { run_delay_s: Some(delay), ..sample(0, wall + delay, Some(1.0), "") };
            let is_first = |index: usize| index.is_multiple_of(ROUNDS_PER_RESTART);
            let round = |index| is_first(index).then(|| Round::from_rows([&sample]));
            (0..5 * ROUNDS_PER_RESTART).map(|index| round(index).unwrap_or_default()).collect()
        };
        let ratio = |base: &[Round], new: &[Round]| {
            let (found, quantity) = paired(base, new);
            (found.expect("enough").estimate().ratio, quantity)
        };
        let is = |(ratio, quantity): (f64, Quantity), expected: f64, by: Quantity| {
            assert!((ratio - expected).abs() < 1e-9 && quantity == by, "{ratio} by {quantity:?}");
        };
        is(ratio(&rounds(1.0, 0.0), &rounds(2.0, 0.0)), 2.0, Quantity::Wall);
        // Other processes take the core for different times.
        is(ratio(&rounds(1.0, 0.4), &rounds(2.0, 1.9)), 2.0, Quantity::Undelayed);
        is(ratio(&rounds(1.0, 0.4), &rounds(1.0, 3.0)), 1.0, Quantity::Undelayed);
    }
}
