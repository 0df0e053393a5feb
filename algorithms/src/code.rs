//! Where the machine code of variants begins, in the memory of this process.

use crate::algorithm::{Algorithm, Variant};

/// Where the machine code of a variant begins: whoever goes on from here, by calls and
/// through pointers, finds all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeRoots {
    /// The address of the function that gets it ready.
    pub prepare: usize,
    /// The address of its own value, which may hold pointers to functions.
    pub value: usize,
    /// The size of that value.
    pub value_bytes: usize,
}

impl CodeRoots {
    /// Those of a variant.
    pub fn of<A: Algorithm>(variant: &'static dyn Variant<A>) -> Self {
        CodeRoots {
            prepare: variant.entry(),
            value: std::ptr::from_ref(variant).cast::<()>() as usize,
            value_bytes: size_of_val(variant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::StsSort;

    #[test]
    fn variants_of_a_kind_share_a_function_and_have_values_of_their_own() {
        let variants = StsSort::variants();
        let [a, b] = [variants[0], variants[1]].map(CodeRoots::of);
        assert_eq!((a.prepare, a.value_bytes), (b.prepare, b.value_bytes));
        assert!(a.value != b.value && a.value_bytes > 0);
    }
}
