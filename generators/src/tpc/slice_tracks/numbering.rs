//! Numbering of slice tracks.

use rand::Rng;
use rayon::prelude::*;

use super::Ids;
use crate::random::{below, stream};

/// Names the streams of numbers.
const NUMBERS: u64 = 1;
/// Local numbers are shuffled within windows of this length.
const WINDOW: usize = 4096;

/// The new number of each slice track.
pub(super) fn numbers(tracks: usize, ids: Ids, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..tracks as u32).into_par_iter().collect();
    match ids {
        Ids::Local => numbers
            .par_chunks_mut(WINDOW)
            .enumerate()
            .for_each(|(window, numbers)| shuffle(numbers, seed, window as u64)),
        Ids::Shuffled => shuffle(&mut numbers, seed, 0),
    }
    numbers
}

/// Every order is as likely as any other one (Fisher and Yates).
fn shuffle(numbers: &mut [u32], seed: u64, window: u64) {
    let mut stream = stream(seed, [NUMBERS, window]);
    for last in (1..numbers.len()).rev() {
        let other = below(stream.next_u32(), last as u64 + 1) as usize;
        numbers.swap(last, other);
    }
}

/// The inverse permutation.
pub(super) fn inverse(numbers: &[u32]) -> Vec<u32> {
    let mut indices = vec![0; numbers.len()];
    for (index, &number) in numbers.iter().enumerate() {
        indices[number as usize] = index as u32;
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_given_once() {
        for ids in [Ids::Local, Ids::Shuffled] {
            let mut numbers = numbers(10_000, ids, 3);
            assert_ne!(numbers[..3], [0, 1, 2]);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..10_000));
        }
    }

    #[test]
    fn local_numbers_stay_near() {
        let far = |ids| {
            let numbers = numbers(10 * WINDOW, ids, 3).into_iter().enumerate();
            numbers.filter(|(index, number)| index / WINDOW != *number as usize / WINDOW).count()
        };
        assert_eq!(far(Ids::Local), 0);
        assert!(far(Ids::Shuffled) > 8 * WINDOW);
    }

    #[test]
    fn indices_belong_to_numbers() {
        let numbers = numbers(1000, Ids::Shuffled, 7);
        let indices = inverse(&numbers);
        assert!((0..1000).all(|index| indices[numbers[index] as usize] as usize == index));
    }
}
