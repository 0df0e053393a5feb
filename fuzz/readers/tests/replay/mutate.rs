//! Inputs that are nearly right.

use std::ops::Range;

use rand::{Rng, RngExt};

/// Mutates entries of a corpus.
pub struct Mutator<'a, R> {
    entries: &'a [Vec<u8>],
    random: R,
}

/// Numbers at which readers might stumble.
const NUMBERS: [&str; 8] =
    ["0", "-1", "1e999", "nan", "4294967295", "18446744073709551615", "99999999999999999999", "\""];

impl<'a, R: Rng> Mutator<'a, R> {
    pub fn new(entries: &'a [Vec<u8>], random: R) -> Self {
        Mutator { entries, random }
    }

    /// An entry with one to four mutations.
    pub fn mutated(&mut self, entry: &[u8]) -> Vec<u8> {
        let mut input = entry.to_vec();
        for _ in 0..self.random.random_range(1..=4) {
            self.mutate(&mut input);
        }
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let (at, end) = self.range(input.len());
        match self.random.random_range(0..6) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => double(input, at..end),
            3 => self.splice(input, at),
            4 => self.number(input, at),
            _ => self.flip(input, at),
        }
    }

    /// Two indices, the second one not below the first.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let at = self.random.random_range(0..=length);
        let max = (length - at).min(64);
        (at, at + self.random.random_range(0..=max))
    }

    fn flip(&mut self, input: &mut [u8], at: usize) {
        if let Some(byte) = input.get_mut(at) {
            *byte ^= 1 << self.random.random_range(0..8);
        }
    }

    /// The beginning of this one, and the end of another.
    fn splice(&mut self, input: &mut Vec<u8>, at: usize) {
        let other = &self.entries[self.random.random_range(0..self.entries.len())];
        let from = self.random.random_range(0..=other.len());
        input.truncate(at);
        input.extend_from_slice(&other[from..]);
    }

    /// A large number instead of one that is there, as a text or as bytes.
    fn number(&mut self, input: &mut Vec<u8>, at: usize) {
        let digits = |byte: &u8| byte.is_ascii_digit();
        match input[at..].iter().position(digits) {
            Some(distance) if self.random.random() => {
                let begin = at + distance;
                let length = input[begin..].iter().take_while(|byte| digits(byte)).count();
                let number = NUMBERS[self.random.random_range(0..NUMBERS.len())];
                input.splice(begin..begin + length, number.bytes());
            }
            _ => {
                let end = input.len().min(at + [1, 2, 4, 8][self.random.random_range(0..4)]);
                input[at..end].fill([0, 0x7f, 0xff][self.random.random_range(0..3)]);
            }
        }
    }
}

fn double(input: &mut Vec<u8>, part: Range<usize>) {
    let again = input[part.clone()].to_vec();
    input.splice(part.start..part.start, again);
}
