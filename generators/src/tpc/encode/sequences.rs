//! The samples of a time bin as sequences of pads next to each other.

use super::Sample;

/// Some pads of a row, next to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    /// Index of its first pad.
    pub(super) index: u16,
    /// Number of samples of the time bin up to its end.
    pub(super) end: u16,
}

impl Sequence {
    /// The row, as number in the sector.
    pub(super) fn row(self) -> u16 {
        row_of(self.index)
    }
}

/// Row of an index.
pub(super) fn row_of(index: u16) -> u16 {
    index >> 8
}

/// True if two pads of a row are adjacent, and so in one sequence. Rows are too short for the first
/// pad of the next row to follow their last one.
pub(super) fn is_next_pad(a: &Sample, b: &Sample) -> bool {
    a.index() + 1 == b.index()
}

/// Memory for the sequences of a time bin.
#[derive(Default)]
pub(super) struct Sequences(Vec<Sequence>);

impl Sequences {
    /// Finds the sequences of these samples.
    ///
    /// One is written with each sample, over the previous one if that continues: a branch would be
    /// as hard to predict as the data are.
    pub(super) fn find(&mut self, samples: &[Sample]) -> &[Sequence] {
        if self.0.len() <= samples.len() {
            self.0.resize(samples.len() + 1, Sequence::default());
        }
        // The first one is there before there is a sample.
        let mut count = 0;
        let mut index = 0;
        let mut before = Sample::new(u16::MAX - 1, 0);
        for (sample, end) in samples.iter().zip(1..) {
            let is_new = !is_next_pad(&before, sample);
            index = if is_new { sample.index() } else { index };
            count += usize::from(is_new);
            self.0[count] = Sequence { index, end };
            before = *sample;
        }
        &self.0[1..=count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_end_with_rows_and_where_a_pad_is_missing() {
        let indices = [0x105, 0x106, 0x109, 0x189, 0x200, 0x201, 0x300];
        let samples = indices.map(|index| Sample::new(index, 7));
        let expected = [(0x105, 2), (0x109, 3), (0x189, 4), (0x200, 6), (0x300, 7)];
        let expected = expected.map(|(index, end)| Sequence { index, end });
        let mut sequences = Sequences::default();
        assert_eq!(sequences.find(&samples[..0]), []);
        assert_eq!(sequences.find(&samples), expected);
        assert_eq!(sequences.find(&samples[..1]), [Sequence { index: 0x105, end: 1 }]);
    }
}
