//! Functions that take instructions which not every machine has.

/// `with_instructions! { ["avx2", …] fn name(…) -> … { … } }` makes a module's
/// `if_available`, the function if this machine has these instructions; all that is inlined
/// into its body is compiled for them. It may have a type that it is made for, `name<T: Bound>`.
macro_rules! with_instructions {
    (
        $(#[$doc:meta])*
        [$($feature:tt),+]
        $as:ty: fn $name:ident$(<$generic:ident: $bound:path>)?($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    ) => {
        $(#[$doc])*
        pub(super) fn if_available$(<$generic: $bound>)?() -> Option<$as> {
            fn entry$(<$generic: $bound>)?($($argument: $type),*) $(-> $result)? {
                // SAFETY: nobody has this function but those who were told that the machine has
                // the instructions.
                unsafe { $name$(::<$generic>)?($($argument),*) }
            }
            let is_available = $(std::arch::is_x86_feature_detected!($feature))&&+;
            is_available.then_some(entry$(::<$generic>)?)
        }

        $(#[target_feature(enable = $feature)])+
        pub(super) fn $name$(<$generic: $bound>)?($($argument: $type),*) $(-> $result)? $body
    };
}
pub(crate) use with_instructions;
