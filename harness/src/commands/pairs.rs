//! Pairs of a native kernel and one that does the same in a portable layer.

use crate::registry;
use reports::portability::Pair;
use reports::record::Point;
use tasks::device::Backend;
use tasks::task::VariantInfo;
use text::Untrusted;

use crate::failure::Failure;
use crate::request::values::instead_of;

/// All pairs of these tasks; of all tasks if none is named.
pub(super) fn pairs_of_tasks(names: &[String]) -> Result<Vec<Pair>, Failure> {
    let mut pairs = all_pairs();
    if let Some(unknown) = names.iter().find(|name| !pairs.iter().any(|pair| pair.task == **name)) {
        let mut known: Vec<&str> = pairs.iter().map(|pair| pair.task).collect();
        known.dedup();
        let problem = "has no kernels that are there natively and portably";
        let instead = instead_of(unknown, &known);
        return Err(Failure::Usage(format!("task {} {problem}; {instead}", unknown.quoted())));
    }
    pairs.retain(|pair| names.is_empty() || names.iter().any(|name| name == pair.task));
    Ok(pairs)
}

/// Returns the pairs of all tasks.
pub(super) fn all_pairs() -> Vec<Pair> {
    let tasks = registry::tasks().iter();
    tasks
        .flat_map(|task| task.variants().into_iter().filter_map(|it| pair(task.name(), &it)))
        .collect()
}

fn pair(task: &'static str, info: &VariantInfo) -> Option<Pair> {
    let native = info.native?;
    let backend = match info.backend {
        Backend::Cpu => return None,
        Backend::Cuda => "cuda",
        Backend::Wgpu => "wgpu",
    };
    Some(Pair {
        task,
        native: native.variant,
        variant: info.name,
        backend,
        written_as: native.written_as,
        differs: native.differs,
    })
}

/// The variants that do the same as the one of a point.
pub(super) fn counterparts(pairs: &[Pair], point: &Point) -> Vec<&'static str> {
    let is_its = |pair: &&Pair| (pair.task, pair.native) == (&*point.algorithm, &*point.variant);
    pairs.iter().filter(is_its).map(|pair| pair.variant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_a_native_variant_of_its_task() {
        let pairs = all_pairs();
        assert!(pairs.len() >= 10, "{}", pairs.len());
        for pair in pairs {
            let task = registry::task(pair.task).expect("a task");
            let mut infos = task.variants().into_iter();
            let native = infos.find(|it| it.name == pair.native && it.backend == Backend::Cuda);
            let native = native.unwrap_or_else(|| panic!("{pair:?}"));
            assert_eq!(native.native, None, "{pair:?}");
            assert!(!pair.written_as.is_empty(), "{pair:?}");
        }
    }

    #[test]
    fn unknown_tasks_get_a_suggestion() {
        let names = ["sort".to_owned()];
        assert!(pairs_of_tasks(&names).expect("known").iter().all(|pair| pair.task == "sort"));
        for name in ["sorrt", "merge"] {
            let problem = pairs_of_tasks(&[name.to_owned()]).expect_err(name).to_string();
            assert!(
                problem.contains("natively and portably") && problem.contains("sort"),
                "{problem}"
            );
        }
    }
}
