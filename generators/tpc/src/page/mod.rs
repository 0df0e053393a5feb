//! The parts of a page: fields, their offsets and meaning.
//!
//! | module | content |
//! |---|---|
//! | [`rdh`] | the raw data header at the start of each page |
//! | [`zs_header`] | the header of the zero-suppressed payload |
//! | [`link_header`] | the heads of blocks of the link formats, and the trigger word of the dense ones |
//!
//! Decoding fields can't fail: the readers of pages check their values. All numbers are little
//! endian.

/// Declares the struct of a header, whose fields are little-endian numbers at byte offsets, and its
/// conversions from and to bytes; bytes of no field are 0.
macro_rules! header {
    (
        $(#[$meta:meta])*
        $name:ident, $bytes:ident bytes, $from:ident, $to:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $offset:expr,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl $name {
            /// The fields in these bytes.
            pub fn $from(bytes: &[u8; $bytes]) -> Self {
                $name { $($field: <$type>::from_le_bytes($crate::page::part(bytes, $offset)),)* }
            }

            /// The bytes of these fields.
            pub fn $to(&self) -> [u8; $bytes] {
                let mut bytes = [0; $bytes];
                $(
                    let field = self.$field.to_le_bytes();
                    bytes[$offset..$offset + field.len()].copy_from_slice(&field);
                )*
                bytes
            }
        }
    };
}

pub mod link_header;
pub mod rdh;
pub mod zs_header;

pub use link_header::{LinkHeader, TriggerEntry, TriggerKind, TriggerWord};
pub use rdh::{FeeId, Rdh};
pub use zs_header::ZsHeader;

/// Bytes of the slot of a page; a page may use fewer.
pub const PAGE_BYTES: usize = 8192;

/// A page in its slot.
pub type Page = [u8; PAGE_BYTES];

/// The `N` bytes from an offset on.
#[inline]
fn part<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[offset + byte])
}
