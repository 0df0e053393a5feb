//! Source and destination of each piece.

use std::ops::Range;

use generators_tpc::clusters::{Clusters, FIELDS, Layout, Per, Pieces};

/// Offsets of all pieces, needed to move them.
pub(super) struct Packing<'a> {
    input: &'a Clusters,
    layout: Layout,
    /// Exclusive scan of the numbers of clusters of all tracks, and the total.
    tracks: Vec<u32>,
    /// Offsets of rows.
    rows: Vec<u32>,
    /// An array of tracks as a single piece; and one of rows.
    all_tracks: [u32; 2],
    all_rows: [u32; 2],
}

/// The pieces of an array.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    /// Bytes of the input, which contain it.
    bytes: &'a [u8],
    /// Offset of the array there.
    begin: usize,
    /// Bytes of an entry.
    width: usize,
    starts: &'a [u32],
    /// Offsets of pieces, before entries are left out.
    offsets: &'a [u32],
    /// Number of entries at the start of each piece that are left out.
    left_out: usize,
}

/// A piece: its bytes in the input, and in the packed array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: Range<usize>,
    pub(super) to: usize,
}

/// Consecutive pieces of an array, or parts of them: bytes of the packed array.
pub(super) struct Part {
    pub(super) field: usize,
    pub(super) bytes: Range<usize>,
}

impl<'a> Packing<'a> {
    /// Computes the offsets of all pieces, in vectors that are reused.
    pub(super) fn new(input: &'a Clusters, tracks: Vec<u32>, rows: Vec<u32>) -> Self {
        Packing {
            input,
            layout: Layout::new(&input.packed()),
            tracks: offsets_of(input.tracks(), tracks),
            rows: offsets_of(input.rows(), rows),
            all_tracks: [0, input.tracks().len() as u32],
            all_rows: [0, input.rows().len() as u32],
        }
    }

    /// Returns the vectors.
    pub(super) fn into_vectors(self) -> [Vec<u32>; 2] {
        [self.tracks, self.rows]
    }

    /// The array of a field, by its index.
    pub(super) fn array(&self, field: usize) -> Array<'_> {
        let (starts, offsets) = match FIELDS[field].per {
            Per::Row => (&[0][..], &self.all_rows[..]),
            Per::Track => (&[0][..], &self.all_tracks[..]),
            Per::Attached | Per::Difference => (&self.input.tracks().starts[..], &self.tracks[..]),
            Per::Unattached => (&self.input.rows().starts[..], &self.rows[..]),
        };
        Array {
            bytes: self.input.bytes(),
            begin: self.input.layout().range(field).start,
            width: FIELDS[field].bytes,
            starts,
            offsets,
            left_out: usize::from(FIELDS[field].per == Per::Difference),
        }
    }

    /// Splits the output among some parts, which are in ascending order and don't overlap.
    pub(super) fn hand_out<'o>(
        &self,
        parts: Vec<Part>,
        mut output: &'o mut [u8],
    ) -> Vec<(Part, &'o mut [u8])> {
        let mut next = 0;
        let own = |part: Part| {
            let begin = self.layout.range(part.field).start;
            let start = begin + part.bytes.start;
            let end = begin + part.bytes.end;
            let (before, behind) = std::mem::take(&mut output).split_at_mut(end - next);
            let own = &mut before[start - next..];
            (output, next) = (behind, end);
            (part, own)
        };
        parts.into_iter().map(own).collect()
    }
}

impl<'a> Array<'a> {
    /// Number of pieces.
    #[inline(always)]
    pub(super) fn pieces(self) -> usize {
        self.starts.len()
    }

    /// Total bytes of all pieces.
    pub(super) fn packed_bytes(self) -> usize {
        self.offset(self.pieces())
    }

    /// Destination of a piece, in bytes; for the index after the last one, the end.
    #[inline(always)]
    pub(super) fn offset(self, piece: usize) -> usize {
        (self.offsets[piece] as usize - self.left_out * piece) * self.width
    }

    /// A piece by its index.
    #[inline(always)]
    pub(super) fn piece(self, piece: usize) -> Piece {
        let to = self.offset(piece);
        let length = self.offset(piece + 1) - to;
        let first = self.starts[piece] as usize + self.left_out;
        let from = self.begin + first * self.width;
        Piece { from: from..from + length, to }
    }

    /// The range of source bytes from the first to the last of some pieces, in any order, including
    /// the entries that are left out.
    pub(super) fn span(self, pieces: Range<usize>) -> Range<usize> {
        let starts = &self.starts[pieces.clone()];
        let lengths =
            self.offsets[pieces.start..].windows(2).map(|offsets| offsets[1] - offsets[0]);
        let ends = starts.iter().zip(lengths).map(|(start, length)| start + length);
        let first = starts.iter().min().map_or(0, |&start| start as usize);
        let end = ends.max().map_or(0, |end| end as usize);
        self.begin + first * self.width..self.begin + end * self.width
    }

    /// The pieces, or parts of them, that are copied to some bytes of the packed array, with their
    /// offsets in these.
    #[inline]
    pub(super) fn within(self, bytes: Range<usize>) -> impl Iterator<Item = Piece> + 'a {
        let first = self.piece_at(bytes.start);
        (first..self.pieces()).map_while(move |piece| self.part_of(piece, &bytes))
    }

    /// The part of a piece that is copied to some bytes of the packed array, with its offset in
    /// these; `None` if the piece is after them, or does not exist.
    #[inline(always)]
    pub(super) fn part_of(self, piece: usize, bytes: &Range<usize>) -> Option<Piece> {
        if piece >= self.pieces() || self.offset(piece) >= bytes.end {
            return None;
        }
        let piece = self.piece(piece);
        let start = piece.to.max(bytes.start);
        let end = (piece.to + piece.from.len()).min(bytes.end);
        let from = piece.from.start + (start - piece.to);
        Some(Piece { from: from..from + (end - start), to: start - bytes.start })
    }

    /// The bytes that contain the pieces.
    #[inline(always)]
    pub(super) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The last piece that starts at this byte of the packed array or before it.
    pub(super) fn piece_at(self, byte: usize) -> usize {
        let mut low = 0;
        let mut high = self.pieces();
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.offset(middle) <= byte {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Exclusive scan of the counts of pieces, and the total.
fn offsets_of(pieces: &Pieces, mut offsets: Vec<u32>) -> Vec<u32> {
    offsets.clear();
    let mut sum = 0;
    offsets.extend(pieces.counts.iter().map(|&count| {
        sum += count;
        sum - count
    }));
    offsets.push(sum);
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;

    #[test]
    fn parts_have_their_pieces() {
        let input = clusters(&[(7, 3), (20, 1), (30, 5)], &[0, 2, 0], 4).expect("sound");
        let packing = Packing::new(&input, Vec::new(), Vec::new());
        let difference = (0..FIELDS.len()).find(|&field| FIELDS[field].name == "pad_residual");
        let array = packing.array(difference.expect("a field"));
        let begin = input.layout().range(difference.expect("a field")).start;
        assert_eq!(array.packed_bytes(), 12);
        let piece =
            |from: Range<usize>, to| Piece { from: begin + from.start..begin + from.end, to };
        let all = [piece(16..20, 0), piece(42..42, 4), piece(62..70, 4)];
        assert!((0..3).map(|index| array.piece(index)).eq(all));
        assert_eq!(array.span(0..2), begin + 14..begin + 42);
        let some: Vec<_> = array.within(2..6).collect();
        assert_eq!(some.first(), Some(&piece(18..20, 0)));
        assert_eq!(some.last(), Some(&piece(62..64, 2)));
    }
}
