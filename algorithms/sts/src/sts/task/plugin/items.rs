//! Clusters and hits, as both reconstructions keep them and as the header has them.

use bytemuck::Pod;

use super::abi;
use crate::sts::{Cluster, Hit, OfflineCluster, OfflineHit, Partitioned, Product};

/// An item of the inputs and outputs of stages.
pub(super) trait Item: Clone + Default + Send + Sync {
    /// In the header.
    type AbiInput: Pod + Send + Sync;
    /// Converts to the item's struct in the header.
    fn shown(&self) -> Self::AbiInput;
    /// Converts an item of a plugin's output.
    fn from_abi(shown: &Self::AbiInput) -> Self;
    /// The items of a product, if it has them.
    fn from_product(product: &Product) -> Option<&Partitioned<Self>>;
    /// A product of them.
    fn product(items: Partitioned<Self>) -> Product;
}

/// `item! { Cluster, Clusters: charge, … }`: an item, its product, and the fields that both structs
/// have; the others are 0.
macro_rules! item {
    ($item:ident, $product:ident: $($field:ident),*) => {
        impl Item for $item {
            type AbiInput = abi::$item;

            fn shown(&self) -> abi::$item {
                abi::$item { $($field: self.$field.into()),* }
            }

            #[allow(clippy::needless_update, reason = "some have fields that the header has not")]
            fn from_abi(shown: &abi::$item) -> Self {
                $item { $($field: shown.$field as _),*, ..$item::default() }
            }

            fn from_product(product: &Product) -> Option<&Partitioned<Self>> {
                match product {
                    Product::$product(items) => Some(items),
                    _ => None,
                }
            }

            fn product(items: Partitioned<Self>) -> Product {
                Product::$product(items)
            }
        }
    };
}

item! { Cluster, Clusters: charge, size, position, position_error, time, time_error }
item! {
    OfflineCluster, OfflineClusters:
    charge, position, position_error, time, time_error, size, address
}
item! { Hit, Hits: x, y, z, time, dx, dy, dz, dxy, time_error, du, dv, address }
item! { OfflineHit, OfflineHits: x, y, z, dx, dy, dz, dxy, time, time_error, du, dv, address }
