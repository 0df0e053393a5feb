//! Bytes of memory that processes share, as arrays, without copies.

use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;
use generators_common::Array;

/// Memory whose bytes can be lent.
///
/// # Safety
/// As long as a value exists and is only referenced, its bytes stay where they are and do not
/// change.
pub unsafe trait Lendable: Deref<Target = [u8]> + Send + Sync + 'static {}

// SAFETY: a vector that is only referenced neither moves nor changes its items.
unsafe impl Lendable for Vec<u8> {}

/// A range of memory that processes share.
#[derive(Clone)]
pub struct LentBytes {
    bytes: LentArray<u8>,
}

/// An array in memory that `owner` keeps.
#[derive(Clone)]
struct LentArray<T> {
    first: NonNull<T>,
    count: usize,
    owner: Arc<dyn Send + Sync>,
}

// SAFETY: nothing changes the items, and the owner can be used and dropped by any thread.
unsafe impl<T: Sync> Send for LentArray<T> {}
// SAFETY: as for `Send`: there are only shared references to the items.
unsafe impl<T: Sync> Sync for LentArray<T> {}

impl<T> AsRef<[T]> for LentArray<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: both constructors take the pointer and the length from one slice in memory that
        // is `Lendable`, and whose owner lives as long as this.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl LentBytes {
    /// A range of a memory's bytes; `None` if it is out of bounds.
    pub fn new<M: Lendable>(owner: &Arc<M>, bytes: Range<usize>) -> Option<Self> {
        let bytes = owner.get(bytes)?;
        let first = NonNull::from(bytes).cast();
        let count = bytes.len();
        let owner: Arc<dyn Send + Sync> = Arc::<M>::clone(owner);
        Some(LentBytes { bytes: LentArray { first, count, owner } })
    }

    /// The bytes as an array of another type, without a copy.
    ///
    /// # Errors
    /// If they are not a whole number of items, or are not aligned.
    pub fn array<T: Pod + Send + Sync>(&self) -> Result<Array<T>, String> {
        let items: &[T] = bytemuck::try_cast_slice(self)
            .map_err(|problem| format!("{} bytes of an array: {problem}", self.len()))?;
        let first = NonNull::from(items).cast();
        let owner = Arc::clone(&self.bytes.owner);
        Ok(Array::lent(Arc::new(LentArray { first, count: items.len(), owner })))
    }
}

impl Deref for LentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_views_that_keep_their_memory() {
        let memory = Arc::new(vec![1, 2, 3, 4, 5]);
        let address = memory.as_ptr();
        let bytes = LentBytes::new(&memory, 1..4).expect("within bounds");
        let array: Array<u8> = bytes.array().expect("aligned");
        drop((memory, bytes));
        assert_eq!(*array, [2, 3, 4]);
        assert_eq!(array.as_ptr(), address.wrapping_add(1));
    }

    #[test]
    fn ranges_that_fit_no_array_are_refused() {
        let memory = Arc::new(vec![0; 16]);
        for outside in [0..17, 20..20] {
            assert!(LentBytes::new(&memory, outside).is_none());
        }
        let bytes = LentBytes::new(&memory, 0..7).expect("within bounds");
        assert!(bytes.array::<u32>().is_err());
    }
}
