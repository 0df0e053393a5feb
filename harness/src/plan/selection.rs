//! Selection of variants by name or glob.

use std::collections::HashSet;

use glob::Pattern;
use tasks::device::Backend;
use tasks::task::VariantInfo;
use text::Untrusted;

use crate::request::values;

/// The indices of the variants that match any of the globs; without globs all of them.
pub(crate) fn select_variants(
    infos: &[VariantInfo],
    globs: &[String],
) -> Result<Vec<usize>, String> {
    for glob in globs {
        let pattern = pattern(glob)?;
        if !infos.iter().any(|info| pattern.matches(info.name)) {
            return Err(unknown(glob, infos));
        }
    }
    matching_variants(infos, globs)
}

/// All that match, for one of several tasks, whose variants may be others than all
/// that were asked for.
pub(crate) fn matching_variants(
    infos: &[VariantInfo],
    globs: &[String],
) -> Result<Vec<usize>, String> {
    let patterns = globs.iter().map(|glob| pattern(glob));
    let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
    let is_selected = |&number: &usize| {
        let mut patterns = patterns.iter();
        globs.is_empty() || patterns.any(|pattern| pattern.matches(infos[number].name))
    };
    Ok((0..infos.len()).filter(is_selected).collect())
}

/// Values of `--device` on which the variants of a backend are measured.
pub(crate) fn device_names(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Cpu => &["cpu"],
        Backend::Cuda => &["cuda:N", "hip:N"],
        Backend::Wgpu => &["wgpu:N"],
    }
}

fn pattern(glob: &str) -> Result<Pattern, String> {
    Pattern::new(glob).map_err(|error| {
        let problem = error.msg;
        let position = error.pos;
        format!("variant {} is not a valid glob: {problem} at position {position}", glob.quoted())
    })
}

fn unknown(glob: &str, infos: &[VariantInfo]) -> String {
    let mut names: Vec<_> = infos.iter().map(|info| info.name).collect();
    // Variants of several backends may share a name.
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    let unknown = format!("unknown variant {}", glob.quoted());
    format!("{unknown}; {}", values::instead_of(glob, &names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infos() -> Vec<VariantInfo> {
        let task = crate::registry::task("sort").expect("a task");
        let any = task.variants().swap_remove(0);
        let names = ["std-stable", "std-unstable", "block-merge"];
        names.map(|name| VariantInfo { name, ..any }).to_vec()
    }

    fn select(globs: &[&str]) -> Result<Vec<usize>, String> {
        let globs: Vec<_> = globs.iter().map(ToString::to_string).collect();
        select_variants(&infos(), &globs)
    }

    #[test]
    fn globs_select_and_nothing_selects_all() {
        assert_eq!(select(&[]), Ok(vec![0, 1, 2]));
        assert_eq!(select(&["std-*"]), Ok(vec![0, 1]));
        assert_eq!(select(&["block-merge", "std-stable"]), Ok(vec![0, 2]));
    }

    #[test]
    fn retired_variants_are_gone() {
        for retired in reports::aliases::retired() {
            let task = crate::registry::task(&retired.task).expect("a task");
            for info in task.variants() {
                let is_retired = retired.is(&retired.task, &info.backend.to_string(), info.name);
                assert!(!is_retired, "{retired:?}");
            }
        }
    }

    #[test]
    fn a_typo_gets_a_suggestion_and_the_list() {
        let error = select(&["std-stabel"]).expect_err("unknown");
        assert!(error.contains("did you mean \"std-stable\"?"), "{error}");
        assert!(error.contains("block-merge"), "{error}");
        let error = select(&["xyz"]).expect_err("unknown");
        assert!(!error.contains("did you mean"), "{error}");
        assert!(select(&["[", "std-*"]).is_err());
    }

    #[test]
    fn shared_names_are_listed_once() {
        let twice = [infos(), infos()].concat();
        let error = select_variants(&twice, &["xyz".to_owned()]).expect_err("unknown");
        assert_eq!(error.matches("block-merge").count(), 1, "{error}");
    }
}
