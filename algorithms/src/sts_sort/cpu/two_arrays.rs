//! Sorts that move digis back and forth between two arrays.

/// The array that has the result of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultIn {
    Digis,
    Scratch,
}

impl ResultIn {
    pub(super) fn other(self) -> Self {
        match self {
            ResultIn::Digis => ResultIn::Scratch,
            ResultIn::Scratch => ResultIn::Digis,
        }
    }

    #[cfg(test)]
    pub(super) fn select<'a, T>(self, digis: &'a [T], scratch: &'a [T]) -> &'a [T] {
        match self {
            ResultIn::Digis => digis,
            ResultIn::Scratch => &scratch[..digis.len()],
        }
    }
}
