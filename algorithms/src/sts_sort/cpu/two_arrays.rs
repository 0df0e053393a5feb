//! Sorts move digis to and fro between two arrays.

/// Which of the two arrays a sort leaves its result in.
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
    pub(super) fn of<'a, T>(self, digis: &'a [T], scratch: &'a [T]) -> &'a [T] {
        match self {
            ResultIn::Digis => digis,
            ResultIn::Scratch => &scratch[..digis.len()],
        }
    }
}
