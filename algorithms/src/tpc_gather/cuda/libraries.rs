//! The places of variants of NVIDIA's libraries, which come from a plugin: see
//! `algorithms/cub`.

use crate::plugin::baseline::BaselineVariant;

/// As `algorithms/cub` has them.
pub(in crate::tpc_gather) static LIBRARIES: [BaselineVariant; 2] = [
    BaselineVariant {
        name: "cub-memcpy-batched",
        summary: "CUB DeviceMemcpy::Batched of all pieces, then one copy to the host",
        stable: true,
    },
    BaselineVariant {
        name: "cuda-memcpy-batch",
        summary: "cudaMemcpyBatchAsync to the host, a copy a piece and array, many a call",
        stable: true,
    },
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_plugin_has_the_variants_that_are_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cub");
        for listed in &LIBRARIES {
            let stem = listed.name.trim_start_matches("cub-").replace('-', "_");
            let source = fs::read_to_string(folder.join(format!("{stem}.cu"))).expect("readable");
            let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
            let described = format!("\"{}\", \"{}\",", listed.name, listed.summary);
            assert!(source.contains(&described), "{stem}.cu: {described}");
        }
    }
}
