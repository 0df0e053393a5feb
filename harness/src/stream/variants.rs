//! The chain that workers run.

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::Backend;
use algorithms::sts::task::{STS, StsTask};
use text::Foreign;

/// The one that is recommended.
pub(super) fn recommended(backend: Backend) -> &'static str {
    match backend {
        Backend::Cpu => "time-sweep",
        Backend::Cuda | Backend::Wgpu => "balanced",
    }
}

/// A chain by its name.
///
/// # Errors
/// Which ones there are, if there is none of that name.
pub(super) fn variant_of(backend: Backend, name: &str) -> Result<Variant<StsTask>, String> {
    let all: Vec<_> = STS.variants().into_iter().filter(|it| it.backend == backend).collect();
    let found = all.iter().find(|variant| variant.name == name).copied();
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|variant| variant.name).collect();
        format!("sts has no variant {} on {backend}; there are {}", name.quoted(), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recommended_is_there() {
        for backend in [Backend::Cpu, Backend::Cuda, Backend::Wgpu] {
            let name = recommended(backend);
            assert_eq!(variant_of(backend, name).map(|variant| variant.name), Ok(name));
        }
        let problem = variant_of(Backend::Cpu, "balanced").map(|_| ()).expect_err("not there");
        assert!(problem.contains("time-sweep"), "{problem}");
    }
}
