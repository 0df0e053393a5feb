//! Shares, means and differences with made-up counts.

use super::super::synthetic::Noise;
use super::*;

fn part(sum: f64, count: f64) -> Part {
    Part { sum, count }
}

fn close(found: Interval, low: f64, high: f64) {
    let near = (found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4;
    assert!(near, "{found:?} for {low} to {high}");
}

#[test]
fn shares_have_the_interval_of_wilson() {
    // Newcombe (1998), table I: 81 of 263, 15 of 148, none of 20, and one of 29.
    let interval = |passed, all| binomial_interval(&[part(passed, all)]).expect("items");
    close(interval(81.0, 263.0), 0.2553, 0.3662);
    close(interval(15.0, 148.0), 0.0624, 0.1605);
    close(interval(0.0, 20.0), 0.0, 0.1611);
    close(interval(1.0, 29.0), 0.0061, 0.1718);
    close(interval(20.0, 20.0), 0.8389, 1.0);
    assert_eq!(binomial_interval(&[part(0.0, 0.0)]), None);
}

#[test]
fn means_have_an_interval_by_the_scatter_of_parts() {
    let mut noise = Noise::new(3);
    let mut covered = 0;
    for _ in 0..200 {
        let parts: Vec<Part> = (0..40).map(|_| part(10.0 * (2.0 + noise.normal()), 10.0)).collect();
        let found = bootstrap_interval(&parts).expect("parts");
        covered += usize::from(found.low <= 2.0 && 2.0 <= found.high);
        let width = found.high - found.low;
        assert!((0.3..1.0).contains(&width), "{width} for 0.62");
    }
    assert!((178..=199).contains(&covered), "{covered} of 200");
    let parts = [part(1.0, 1.0); MIN_PARTS - 1];
    assert_eq!(bootstrap_interval(&parts), None, "few parts");
    let empty = [&parts[..], &[Part::default(); 20]].concat();
    assert_eq!(bootstrap_interval(&empty), None, "empty parts do not count");
}

fn differ(items: Items, base: &[Part], new: &[Part]) -> Difference {
    match PairedParts::new(items, base, new) {
        PairedParts::Differ(difference) => difference,
        other => panic!("{other:?}"),
    }
}

#[test]
fn equal_parts_are_identical_and_unlike_ones_unpaired() {
    let base = [part(3.0, 4.0), part(0.0, 0.0)];
    let judged = |new: &[Part]| PairedParts::new(Items::PassOrFail, &base, new);
    assert_eq!(judged(&base), PairedParts::Identical);
    assert_eq!(judged(&base[..1]), PairedParts::Unpaired);
    assert_eq!(judged(&[Part::default(); 2]), PairedParts::Unpaired);
}

/// Parts of which each item passes with a probability, then is lost with another.
fn parts(noise: &mut Noise, count: usize, loss: f64) -> [Vec<Part>; 2] {
    let mut both = [Vec::new(), Vec::new()];
    for _ in 0..count {
        let items = 100;
        let passed = (0..items).filter(|_| noise.uniform() < 0.9).count();
        let lost = (0..passed).filter(|_| noise.uniform() < loss).count();
        both[0].push(part(passed as f64, f64::from(items)));
        both[1].push(part((passed - lost) as f64, f64::from(items)));
    }
    both
}

#[test]
fn a_loss_in_the_same_data_is_found_far_below_the_error_of_either_value() {
    let mut noise = Noise::new(5);
    let mut covered = 0;
    for _ in 0..100 {
        let [base, new] = parts(&mut noise, 200, 0.005);
        let found = differ(Items::PassOrFail, &base, &new);
        let truth = -0.9 * 0.005;
        covered += usize::from(found.interval.low <= truth && truth <= found.interval.high);
        let exact = total(&new).sum / total(&new).count - total(&base).sum / total(&base).count;
        assert!((found.value - exact).abs() < 1e-12);
        assert!(found.interval.high < -0.001, "{found:?}");
        assert!(found.p_value(0.001) < 1e-4, "{found:?}");
        assert_eq!(found.p_value(0.1), 1.0);
        // Without pairs nothing can be said.
        let [a, b] = [&base, &new].map(|parts| {
            let sum = total(parts);
            (sum.sum / sum.count, binomial_interval(parts).expect("items"))
        });
        let unpaired = Difference::unpaired(a, b);
        assert!(unpaired.interval.high > 0.0 && unpaired.interval.low < found.interval.low);
    }
    assert!(covered >= 90, "{covered} of 100");
}

#[test]
fn few_changes_are_counted_as_gains_and_losses() {
    let base = [part(90.0, 100.0); 100];
    let mut new = base;
    new[3].sum -= 1.0;
    let one = differ(Items::PassOrFail, &base, &new);
    // One event has an expectation of 0.025 to 5.57, none of up to 3.69.
    close(one.interval.times(1e4), -5.5716, 3.6889 - 0.0253);
    assert!(one.p_value(0.0) > 0.05);
    for part in &mut new[..9] {
        part.sum -= 5.0;
    }
    let many = differ(Items::PassOrFail, &base, &new);
    assert!(many.interval.high < -0.002 && many.p_value(0.001) < 0.001, "{many:?}");
    let numbers = PairedParts::new(
        Items::Numbers,
        &base[..9],
        &{
            let mut new = base;
            new[0].sum += 1.0;
            new
        }[..9],
    );
    assert!(matches!(numbers, PairedParts::TooFew { parts: 1, .. }), "{numbers:?}");
}

#[test]
fn both_counts_of_a_share_may_change() {
    // Ghosts: a found item more that is no ghost lowers the share.
    let base = [part(10.0, 100.0); 12];
    let new = [part(10.0, 101.0); 12];
    let found = differ(Items::PassOrFail, &base, &new);
    assert!((found.value - (10.0 / 101.0 - 0.1)).abs() < 1e-12);
    assert!(found.interval.high < 0.0);
}

#[test]
fn equal_values_of_different_data_raise_no_alarm() {
    let mut noise = Noise::new(9);
    let mut alarms = 0;
    for _ in 0..300 {
        let [base, _] = parts(&mut noise, 50, 0.0);
        let [new, _] = parts(&mut noise, 50, 0.0);
        let value = |parts: &[Part]| {
            let sum = total(parts);
            (sum.sum / sum.count, binomial_interval(parts).expect("items"))
        };
        let found = Difference::unpaired(value(&base), value(&new));
        alarms += usize::from(found.interval.low > 0.0 || found.interval.high < 0.0);
    }
    assert!(alarms <= 27, "{alarms} of 300 for 5 %");
}

#[test]
fn differences_can_be_scaled_shifted_and_turned() {
    let value = |at: f64| (at, Interval { low: at - 0.1, high: at + 0.1 });
    let found = Difference::unpaired(value(1.0), value(3.0)).over(2.0).negative().plus(0.5);
    assert_eq!(found.value, -0.5);
    let half = 0.1 * 2.0_f64.sqrt() / 2.0;
    close(found.interval, -0.5 - half, -0.5 + half);
}
