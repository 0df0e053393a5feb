//! Arrays that are either owned or a view of memory that processes share, without a copy.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Memory that holds an array and does not change while it is referenced.
pub type Lender<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// An owned array, or one in shared memory.
#[derive(Clone)]
pub struct Array<T>(Memory<T>);

#[derive(Clone)]
enum Memory<T> {
    Own(Vec<T>),
    Lent(Lender<T>),
}

impl<T> Array<T> {
    /// An array in memory that others have, too.
    pub fn lent(lender: Lender<T>) -> Self {
        Array(Memory::Lent(lender))
    }
}

impl<T: Clone> Array<T> {
    /// Returns the array for changes; a shared one is copied first.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Memory::Lent(lender) = &self.0 {
            self.0 = Memory::Own((**lender).as_ref().to_vec());
        }
        match &mut self.0 {
            Memory::Own(own) => own,
            Memory::Lent(_) => unreachable!("it was copied"),
        }
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Own(own) => own,
            Memory::Lent(lender) => (**lender).as_ref(),
        }
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(own: Vec<T>) -> Self {
        Array(Memory::Own(own))
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Array<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_read_in_place_and_copied_for_changes() {
        let lender: Lender<u8> = Arc::new(vec![1, 2, 3]);
        let mut array = Array::lent(Arc::clone(&lender));
        assert_eq!(array.as_ptr(), (*lender).as_ref().as_ptr());
        assert_eq!(array, Array::from(vec![1, 2, 3]));
        array.to_mut().push(4);
        assert_eq!(*array, [1, 2, 3, 4]);
        assert_eq!((*lender).as_ref(), [1, 2, 3]);
    }
}
