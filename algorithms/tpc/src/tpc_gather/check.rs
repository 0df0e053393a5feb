//! Comparison of the output with the reference.

use std::ops::Range;

use generators_tpc::clusters::{Clusters, FIELDS, Field, Layout};
use parallel::{first_difference, first_error};

use super::packed::{Block, Packed, Sample};
use super::packing::Packing;
use tasks::algorithm::{Choose, Mutants, Mutation};

/// Differences between output and reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Wrong number of bytes.
    #[error("the output has {found} bytes instead of {expected}")]
    Length {
        /// Bytes of the reference.
        expected: usize,
        /// Bytes of the output.
        found: usize,
    },
    /// The output is a sample, though all pieces could have been gathered.
    #[error("the output is a sample, but not the one expected for this input")]
    Sample,
    /// An entry differs from the reference.
    #[error("{field}, entry {entry}: {found:02x?} instead of {expected:02x?}")]
    Entry {
        /// Name of the array.
        field: &'static str,
        /// Index of the entry.
        entry: usize,
        /// Bytes of the reference.
        expected: Vec<u8>,
        /// Bytes of the output.
        found: Vec<u8>,
    },
}

/// Compares all arrays, bit for bit, or the pieces of a sample; bytes between arrays are not
/// compared.
pub(super) fn same(input: &Clusters, reference: &Packed, output: &Packed) -> Result<(), Mismatch> {
    let expected = reference.bytes();
    let found = output.bytes();
    if expected.len() != found.len() {
        return Err(Mismatch::Length { expected: expected.len(), found: found.len() });
    }
    let sample = output.sample();
    if !sample.is_all() && sample != Sample::for_input(input) {
        return Err(Mismatch::Sample);
    }
    let layout = Layout::new(&input.packed());
    let packing = Packing::new(input, Vec::new(), Vec::new());
    first_error(FIELDS.len(), |index| {
        let field = &FIELDS[index];
        let array = packing.array(index);
        let range = layout.range(index);
        let expected = &expected[range.clone()];
        let found = &found[range];
        if first_difference(expected, found).is_none() {
            return Ok(());
        }
        let pieces: Vec<_> = sample.pieces(field.per, array.pieces()).collect();
        first_error(pieces.len(), |index| {
            let piece = pieces[index];
            let bytes = array.offset(piece)..array.offset(piece + 1);
            same_piece(field, bytes, expected, found)
        })
    })
}

fn same_piece(
    field: &'static Field,
    bytes: Range<usize>,
    expected: &[u8],
    found: &[u8],
) -> Result<(), Mismatch> {
    let first = bytes.start / field.bytes;
    let [expected, found] = [expected, found].map(|array| array[bytes.clone()].chunks(field.bytes));
    let mut pairs = expected.zip(found).enumerate();
    match pairs.find(|(_, (expected, found))| expected != found) {
        None => Ok(()),
        Some((entry, (expected, found))) => Err(Mismatch::Entry {
            field: field.name,
            entry: first + entry,
            expected: expected.to_vec(),
            found: found.to_vec(),
        }),
    }
}

/// Copies of the output with a byte changed or two bytes swapped, for each field with entries; and
/// with too few or too many blocks.
pub(super) fn mutants(input: &Clusters, right: &Packed, choose: Choose<'_>) -> Mutants<Packed> {
    let layout = Layout::new(&input.packed());
    let ranges = (0..FIELDS.len()).map(|field| layout.range(field));
    let ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).collect();
    if ranges.is_empty() {
        return Vec::new();
    }
    let field = ranges[choose(ranges.len())].clone();
    let offsets = [(); 2].map(|()| field.start + choose(field.len()));
    let with = |harm, work: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = right.bytes().to_vec();
        work(&mut bytes);
        (harm, Packed::from_bytes(&bytes))
    };
    let bit = choose(8);
    vec![
        with(Mutation::Changed, &|bytes| bytes[offsets[0]] ^= 1 << bit),
        with(Mutation::Swapped, &|bytes| bytes.swap(offsets[0], offsets[1])),
        with(Mutation::Dropped, &|bytes| {
            bytes.truncate(bytes.len() - size_of::<Block>());
        }),
        with(Mutation::Doubled, &|bytes| {
            bytes.extend_from_within(bytes.len() - size_of::<Block>()..);
        }),
    ]
}

#[cfg(test)]
mod tests {
    use parallel::testing::with_all_pools;

    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;
    use crate::tpc_gather::reference::gather;

    fn input() -> Clusters {
        clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound")
    }

    /// An input with more pieces than are copied one by one.
    fn many_pieces() -> Clusters {
        let tracks: Vec<_> = (0..10_000).map(|track| (3 * track, 3)).collect();
        clusters(&tracks, &[1, 2, 3, 4, 5, 6], 9).expect("sound")
    }

    #[test]
    fn only_pieces_of_the_sample_are_compared() {
        let input = many_pieces();
        let field = 7;
        let reference = gather(&input);
        let sample = Sample::for_input(&input);
        let array = Layout::new(&input.packed()).range(field);
        let piece = 3 * FIELDS[field].bytes;
        for (index, is_sampled) in [(0, true), (1, false), (4, true), (5, false)] {
            let mut output = reference.clone().of_sample(sample);
            output.bytes_mut()[array.start + index * piece] ^= 1;
            let found = same(&input, &reference, &output);
            assert_eq!(found.is_err(), is_sampled, "{index}");
        }
        let nothing = Packed::new(&input.packed()).of_sample(sample);
        assert!(same(&input, &reference, &nothing).is_err());
    }

    #[test]
    fn first_wrong_byte_is_reported() {
        let input = many_pieces();
        let reference = gather(&input);
        let mut output = reference.clone();
        let all = Layout::new(&input.packed());
        let wrong = FIELDS.iter().enumerate().rev().flat_map(|(index, field)| {
            let length = all.range(index).len() / field.bytes;
            let last_first = [length - 1, length / 2, 0].into_iter();
            last_first.map(move |entry| (index, field, entry))
        });
        for (index, field, entry) in wrong {
            output.bytes_mut()[all.range(index).start + entry * field.bytes] ^= 1;
            let found = with_all_pools(|| same(&input, &reference, &output));
            let first = matches!(&found, Err(Mismatch::Entry { field: reported, entry: at, .. })
            if *reported == field.name && *at == entry);
            assert!(first, "{found:?} instead of {}, {entry}", field.name);
        }
    }

    #[test]
    fn sample_of_few_pieces_is_rejected() {
        let sample = Sample::for_input(&many_pieces());
        let output = gather(&input()).of_sample(sample);
        let found = same(&input(), &gather(&input()), &output);
        assert_eq!(found, Err(Mismatch::Sample));
    }

    #[test]
    fn bytes_between_arrays_are_ignored() {
        let reference = gather(&input());
        let mut output = reference.clone();
        let layout = Layout::new(&input().packed());
        output.bytes_mut()[layout.range(0).end] ^= 1;
        assert_eq!(same(&input(), &reference, &output), Ok(()));
    }
}
