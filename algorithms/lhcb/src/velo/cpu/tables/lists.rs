//! Lists that are longer than what they hold, so that eight lanes can be read from and written to any index.

use super::lanes::LANES;

/// Grows a list to at least a length: what it holds is written before it is read.
pub fn grow<T: Clone + Default>(list: &mut Vec<T>, len: usize) {
    if list.len() < len {
        list.resize(len, T::default());
    }
}

/// Elements of eight lanes from an index on.
#[inline]
pub fn chunk<T>(list: &[T], index: usize) -> &[T; LANES] {
    list[index..].first_chunk().expect("a longer list")
}

/// Elements of eight lanes from an index on, to be written.
#[inline]
pub fn chunk_mut<T>(list: &mut [T], index: usize) -> &mut [T; LANES] {
    list[index..].first_chunk_mut().expect("a longer list")
}
