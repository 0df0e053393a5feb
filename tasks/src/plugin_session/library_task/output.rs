//! An output of a library's task: arrays of elements, compared and mutated.

use super::input::AlignedBytes;
use crate::algorithm::{CheckError, Choose, Mutants, Mutation, Output};
use crate::plugin::loaded_task::ArraySpec;

/// Arrays of an output; none if no variant has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LibraryOutput(pub(super) Vec<OutputArray>);

/// An array of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputArray {
    pub(super) spec: ArraySpec,
    pub(super) content: AlignedBytes,
}

/// A difference between two outputs, the first one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OutputDifference {
    /// Wrong number of arrays.
    #[error("{found} arrays instead of {expected}")]
    Arrays { expected: usize, found: usize },
    /// Wrong number of elements.
    #[error("{found} {array} instead of {expected}")]
    Length { array: &'static str, expected: usize, found: usize },
    /// A wrong element.
    #[error("{array}, element {index}: {found} instead of {expected}")]
    Element { array: &'static str, index: usize, expected: String, found: String },
}

impl OutputArray {
    pub(super) fn new(spec: ArraySpec, bytes: &[u8]) -> Self {
        OutputArray { spec, content: AlignedBytes::new(bytes) }
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.content.as_slice().len() / self.spec.element_bytes
    }

    fn element(&self, index: usize) -> &[u8] {
        let bytes = self.spec.element_bytes;
        &self.content.as_slice()[index * bytes..][..bytes]
    }

    fn compare(&self, right: &Self) -> Result<(), OutputDifference> {
        let array = self.spec.name;
        let expected = right.len();
        let found = self.len();
        if found != expected {
            return Err(OutputDifference::Length { array, expected, found });
        }
        if self.content == right.content {
            return Ok(());
        }
        let index = (0..found).find(|&index| self.element(index) != right.element(index));
        let index = index.unwrap_or_default();
        Err(OutputDifference::Element {
            array,
            index,
            expected: shown(right.element(index)),
            found: shown(self.element(index)),
        })
    }

    /// Copies with one element mutated, of at most `capacity` elements.
    fn mutants(&self, capacity: usize, choose: Choose<'_>) -> Vec<(Mutation, OutputArray)> {
        let count = self.len();
        if count == 0 {
            return Vec::new();
        }
        let index = choose(count);
        let other = choose(count);
        let elements: Vec<&[u8]> = (0..count).map(|index| self.element(index)).collect();
        // All bits, because a check may allow for rounding.
        let inverted: Vec<u8> = elements[index].iter().map(|byte| !byte).collect();
        let assemble =
            |mutation, parts: &[&[u8]]| (mutation, OutputArray::new(self.spec, &parts.concat()));
        let with = |changes: &[(usize, &[u8])]| {
            let mut parts: Vec<&[u8]> = elements.clone();
            changes.iter().for_each(|(at, element)| parts[*at] = element);
            parts.concat()
        };
        let replaced = |mutation, changes: &[(usize, &[u8])]| {
            (mutation, OutputArray::new(self.spec, &with(changes)))
        };
        let mut mutants = vec![
            replaced(Mutation::Changed, &[(index, &inverted)]),
            assemble(Mutation::Dropped, &[&elements[..index], &elements[index + 1..]].concat()),
            replaced(Mutation::Doubled, &[(other, elements[index])]),
            replaced(Mutation::Swapped, &[(index, elements[other]), (other, elements[index])]),
        ];
        if count < capacity {
            let parts = [&elements[..index], &elements[index..=index], &elements[index..]];
            mutants.push(assemble(Mutation::Doubled, &parts.concat()));
        }
        mutants
    }
}

impl LibraryOutput {
    /// An output with `lengths` elements of this byte in each array.
    pub(super) fn filled(specs: &[ArraySpec], lengths: &[u64], byte: u8) -> Self {
        let array = |(spec, &length): (&ArraySpec, &u64)| {
            OutputArray::new(*spec, &vec![byte; length as usize * spec.element_bytes])
        };
        LibraryOutput(specs.iter().zip(lengths).map(array).collect())
    }

    /// The first difference from the right output.
    pub(super) fn difference(&self, right: &Self) -> Result<(), OutputDifference> {
        if self.0.len() != right.0.len() {
            return Err(OutputDifference::Arrays { expected: right.0.len(), found: self.0.len() });
        }
        self.0.iter().zip(&right.0).try_for_each(|(array, right)| array.compare(right))
    }

    /// Copies with one element of an array mutated, with the index of the array.
    pub(super) fn array_mutants(
        &self,
        capacities: &[u64],
        choose: Choose<'_>,
    ) -> Vec<(usize, Mutation, LibraryOutput)> {
        let mut mutants = Vec::new();
        for (index, (array, &capacity)) in self.0.iter().zip(capacities).enumerate() {
            for (mutation, mutant) in array.mutants(capacity as usize, &mut *choose) {
                let mut output = self.clone();
                output.0[index] = mutant;
                mutants.push((index, mutation, output));
            }
        }
        mutants
    }
}

impl<A: ?Sized> Output<A> for LibraryOutput {
    fn nothing() -> Self {
        LibraryOutput(Vec::new())
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        Ok(self.difference(right)?)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let lengths: Vec<u64> = self.0.iter().map(|array| array.len() as u64).collect();
        let mutants = self.array_mutants(&lengths, choose).into_iter();
        mutants.map(|(_, mutation, output)| (mutation, output)).collect()
    }
}

/// An element as text: a number if it has the size of one.
fn shown(element: &[u8]) -> String {
    /// Bytes that are shown of a large element.
    const MAX_BYTES: usize = 16;
    let mut padded = [0; 8];
    if matches!(element.len(), 1 | 2 | 4 | 8) {
        padded[..element.len()].copy_from_slice(element);
        return u64::from_le_bytes(padded).to_string();
    }
    let bytes = element.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}"));
    let rest = if element.len() > MAX_BYTES { " …" } else { "" };
    format!("bytes {}{rest}", bytes.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: ArraySpec = ArraySpec { name: "labels", element_bytes: 2 };

    fn labels(labels: &[u16]) -> LibraryOutput {
        LibraryOutput(vec![OutputArray::new(LABELS, bytemuck::cast_slice(labels))])
    }

    #[test]
    fn the_first_difference_is_reported() {
        let right = labels(&[1, 2, 3]);
        let problem = |output: LibraryOutput| {
            output.difference(&right).map_err(|difference| difference.to_string())
        };
        assert_eq!(problem(right.clone()), Ok(()));
        let wrong = problem(labels(&[1, 7, 8]));
        assert_eq!(wrong, Err("labels, element 1: 7 instead of 2".to_owned()));
        assert_eq!(problem(labels(&[1])), Err("1 labels instead of 3".to_owned()));
        assert_eq!(problem(Output::<()>::nothing()), Err("0 arrays instead of 1".to_owned()));
    }

    #[test]
    fn elements_of_other_sizes_are_shown_as_bytes() {
        assert_eq!(shown(&[1, 0xab, 3]), "bytes 01 ab 03");
        assert!(shown(&[0; 17]).ends_with("00 …"));
    }

    #[test]
    fn every_mutant_differs_and_is_within_the_capacity() {
        let right = labels(&[1, 2, 3]);
        let mut drawn = 0;
        let mut choose = |bound| {
            drawn += 1;
            drawn % bound
        };
        let mutants = right.array_mutants(&[4], &mut choose);
        assert_eq!(mutants.len(), 5);
        assert!(mutants.iter().all(|(_, _, output)| *output != right));
        assert_eq!(right.array_mutants(&[3], &mut choose).len(), 4);
        assert!(labels(&[]).array_mutants(&[3], &mut choose).is_empty());
    }
}
