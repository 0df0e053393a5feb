//! Functions that take instructions which not every machine has.

/// `with_instructions! { ["avx2", …] fn name(…) -> … { … } }` makes a module's
/// `if_available`, the function if this machine has these instructions; all that is inlined
/// into its body is compiled for them.
macro_rules! with_instructions {
    (
        $(#[$doc:meta])*
        [$($feature:tt),+]
        $as:ty: fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    ) => {
        $(#[$doc])*
        pub(super) fn if_available() -> Option<$as> {
            fn entry($($argument: $type),*) $(-> $result)? {
                // SAFETY: nobody has this function but those who were told that the machine has
                // the instructions.
                unsafe { $name($($argument),*) }
            }
            let is_available = $(std::arch::is_x86_feature_detected!($feature))&&+;
            is_available.then_some(entry)
        }

        $(#[target_feature(enable = $feature)])+
        pub(super) fn $name($($argument: $type),*) $(-> $result)? $body
    };
}
pub(crate) use with_instructions;
