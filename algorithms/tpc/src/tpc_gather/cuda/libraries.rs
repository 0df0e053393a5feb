//! Entries for variants of NVIDIA's libraries, which come from a plugin: see `algorithms/cub`.

use crate::tpc_gather::TpcGather;
use tasks::algorithm::Variant;
use tasks::plugin_session::of_baseline;

/// Variants with the names that `algorithms/cub` declares.
pub(in crate::tpc_gather) const LIBRARIES: [Variant<TpcGather>; 2] = [
    of_baseline(
        "cub-memcpy-batched",
        "CUB DeviceMemcpy::Batched of all pieces, then one copy to the host",
    ),
    of_baseline(
        "cuda-memcpy-batch",
        "cudaMemcpyBatchAsync to the host, a copy a piece and array, many a call",
    ),
];

#[cfg(test)]
mod tests {
    use super::LIBRARIES;
    use tasks::plugin_session::testing::assert_in_baseline;

    #[test]
    fn the_plugin_has_the_variants_that_are_listed() {
        assert_in_baseline(&LIBRARIES, |_| String::new());
    }
}
