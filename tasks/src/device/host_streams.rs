//! Copy and triad in the memory of the host, as in STREAM (McCalpin 1995); and non-temporal stores,
//! which read nothing.

use bytemuck::cast_slice_mut;

use super::streaming;

/// Value of each byte after the stores.
const STORED: u8 = 0x3f;
/// Block size that stays in the nearest cache, and cache line size, in bytes.
const PAGE: usize = 4096;
const LINE: usize = 64;

/// A thread's part of the three arrays, allocated by that thread so that their pages are near.
#[derive(Debug)]
pub struct HostStreams {
    target: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl HostStreams {
    /// Allocates arrays of `length` elements, with their pages mapped.
    #[must_use]
    pub fn new(length: usize) -> Self {
        HostStreams { target: vec![0.5; length], left: vec![1.5; length], right: vec![2.5; length] }
    }

    /// Size of one array in bytes.
    #[must_use]
    pub fn array_bytes(&self) -> usize {
        size_of_val(self.target.as_slice())
    }

    /// Copies an array; moves twice the bytes of an array.
    pub fn copy(&mut self) {
        self.target.copy_from_slice(&self.left);
    }

    /// Computes the triad; moves three times the bytes of an array.
    pub fn triad(&mut self) {
        let sources = self.left.iter().zip(&self.right);
        for (target, (left, right)) in self.target.iter_mut().zip(sources) {
            *target = left + 3.0 * right;
        }
    }

    /// Stores an array with non-temporal stores, if the machine has them; moves the bytes of an
    /// array once.
    pub fn store(&mut self) {
        let bytes = cast_slice_mut::<f64, u8>(&mut self.target);
        let head = bytes.as_ptr().align_offset(LINE).min(bytes.len());
        let (head, lines) = bytes.split_at_mut(head);
        head.fill(STORED);
        let page = [STORED; PAGE];
        streaming(|stores| {
            for part in lines.chunks_mut(PAGE) {
                let from = &page[..part.len()];
                stores.stream(part, from);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_elements_are_written() {
        let mut streams = HostStreams::new(5);
        assert_eq!(streams.array_bytes(), 40);
        streams.copy();
        assert_eq!(streams.target, [1.5; 5]);
        streams.triad();
        assert_eq!(streams.target, [9.0; 5]);
        streams.store();
        assert_eq!(streams.target, [f64::from_ne_bytes([STORED; 8]); 5]);
    }
}
