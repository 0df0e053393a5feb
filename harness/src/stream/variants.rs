//! Chains that workers run.

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::Backend;
use algorithms::sts::task::{STS, StsTask};
use text::Untrusted;

use crate::plan::device_names;

/// Recommended variant.
pub(super) fn recommended(backend: Backend) -> &'static str {
    match backend {
        Backend::Cpu => "time-sweep",
        Backend::Cuda | Backend::Wgpu => "balanced",
    }
}

/// Finds a chain by its name.
///
/// # Errors
/// If there is no chain of that name; lists the available ones.
pub(super) fn variant_of(backend: Backend, name: &str) -> Result<Variant<StsTask>, String> {
    let all = STS.variants();
    let of_name = || all.iter().filter(|variant| variant.name == name);
    of_name().find(|variant| variant.backend == backend).copied().ok_or_else(|| {
        let here = all.iter().filter(|variant| variant.backend == backend);
        let here: Vec<_> = here.map(|variant| variant.name).collect();
        let elsewhere: Vec<_> =
            of_name().flat_map(|variant| device_names(variant.backend)).copied().collect();
        let elsewhere = if elsewhere.is_empty() {
            String::new()
        } else {
            format!("it runs on {}; ", elsewhere.join(", "))
        };
        let name = name.quoted();
        let here = here.join(", ");
        format!("sts has no variant {name} on {backend}; {elsewhere}there are {here}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recommended_variants_exist() {
        for backend in [Backend::Cpu, Backend::Cuda, Backend::Wgpu] {
            let name = recommended(backend);
            assert_eq!(variant_of(backend, name).map(|variant| variant.name), Ok(name));
        }
        let problem = variant_of(Backend::Cpu, "balanced").map(|_| ()).expect_err("not there");
        assert!(problem.contains("it runs on cuda:N, hip:N, wgpu:N; there are "), "{problem}");
        assert!(problem.contains("time-sweep"), "{problem}");
    }
}
