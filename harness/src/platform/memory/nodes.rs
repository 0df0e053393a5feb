//! Memory of the NUMA nodes that this process may allocate on.
//!
//! `Mems_allowed` is set by cpusets of control groups (Slurm, containers); a memory policy is set
//! at the start of a process (`numactl --membind`).

use std::path::Path;

use super::super::sysfs;

/// Policy of `set_mempolicy` that allows no other nodes.
const MPOL_BIND: libc::c_int = 2;
/// Maximum number of nodes of the kernel.
const MAX_NODES: usize = 1024;

/// Available bytes on the allowed nodes; `None` if all nodes are allowed or the system does not
/// report them. `root` is `/` except in tests.
pub(super) fn available_bytes(root: &Path) -> Option<u64> {
    left_on(root, bound_nodes().as_deref())
}

fn left_on(root: &Path, bound: Option<&[usize]>) -> Option<u64> {
    let base = root.join("sys/devices/system/node");
    let all =
        sysfs::cpus(&base.join("has_memory")).or_else(|| sysfs::cpus(&base.join("online")))?;
    let status = sysfs::text(&root.join("proc/self/status"))?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?;
    let allowed = sysfs::list(allowed)?;
    let is_allowed =
        |node: &usize| allowed.contains(node) && bound.is_none_or(|bound| bound.contains(node));
    let nodes: Vec<usize> = all.iter().copied().filter(is_allowed).collect();
    if nodes.len() == all.len() || nodes.is_empty() {
        return None;
    }
    let available_bytes =
        nodes.iter().map(|node| available_in(&base.join(format!("node{node}/meminfo"))));
    available_bytes.sum()
}

/// Free memory of a node, including file cache.
fn available_in(meminfo: &Path) -> Option<u64> {
    let text = sysfs::text(meminfo)?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.split_once(name))?.1;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let free = kilobytes("MemFree:")?;
    let cached = ["Active(file):", "Inactive(file):"].into_iter().filter_map(kilobytes);
    Some((free + cached.sum::<u64>()) << 10)
}

/// Nodes that the policy of this thread binds it to; `None` without such a policy.
fn bound_nodes() -> Option<Vec<usize>> {
    const BITS: usize = libc::c_ulong::BITS as usize;
    let mut mode: libc::c_int = 0;
    let mut mask = [0 as libc::c_ulong; MAX_NODES / BITS];
    // SAFETY: the kernel writes the mode, and at most MAX_NODES bits of the mask, which has that
    // size.
    let failed = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            mask.as_mut_ptr(),
            MAX_NODES as libc::c_ulong,
            std::ptr::null::<libc::c_void>(),
            0 as libc::c_ulong,
        )
    };
    if failed != 0 || mode != MPOL_BIND {
        return None;
    }
    let is_set = |node: &usize| mask[node / BITS] >> (node % BITS) & 1 == 1;
    Some((0..MAX_NODES).filter(is_set).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::control_groups::tests::root;
    use super::*;

    fn two_nodes(allowed: &str) -> tempfile::TempDir {
        let status = format!("Name:\tbench\nMems_allowed_list:\t{allowed}\n");
        let meminfo = "Node 1 MemTotal: 900 kB\nNode 1 MemFree:    100 kB\n\
                       Node 1 Active(file):  20 kB\nNode 1 Inactive(file): 3 kB\n";
        root(&[
            ("proc/self/status", &status),
            ("sys/devices/system/node/online", "0-1\n"),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemFree: 7 kB\n"),
            ("sys/devices/system/node/node1/meminfo", meminfo),
        ])
    }

    #[test]
    fn some_of_the_nodes_are_a_limit() {
        assert_eq!(left_on(two_nodes("1").path(), None), Some(123 << 10));
        assert_eq!(left_on(two_nodes("0-1").path(), None), None);
        assert_eq!(left_on(two_nodes("0-1").path(), Some(&[0])), Some(7 << 10));
        assert_eq!(left_on(root(&[]).path(), None), None);
    }
}
