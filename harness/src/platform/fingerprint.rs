//! Fingerprint of the machine code of each variant.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use machine_code::Functions;
use tasks::task::VariantInfo;

use super::build::{executable, executable_fingerprint, hash_text};

/// Hash of the machine code that a variant may run; that of the complete executable if the
/// variant's own can't be determined. Variants of plugins have that of their file.
pub fn variant_fingerprint(info: &VariantInfo) -> String {
    if let Some(plugin) = info.plugin {
        return plugin.fingerprint.clone();
    }
    static RUNNING: OnceLock<Option<Mutex<RunningProgram>>> = OnceLock::new();
    let running = RUNNING.get_or_init(|| RunningProgram::open().map(Mutex::new));
    let own = running.as_ref().and_then(|running| {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        running.fingerprint(info.code)
    });
    own.unwrap_or_else(executable_fingerprint)
}

/// The running program.
struct RunningProgram {
    functions: Functions<'static>,
    /// Difference between addresses in memory and those in the file.
    bias: u64,
    /// Results by start address, because suites request each of their points.
    known: HashMap<usize, Option<String>>,
}

impl RunningProgram {
    fn open() -> Option<Self> {
        let functions = Functions::of_executable(executable()?)?;
        let bias = entry_in_memory()?.checked_sub(functions.entry())?;
        Some(RunningProgram { functions, bias, known: HashMap::new() })
    }

    fn fingerprint(&mut self, code: usize) -> Option<String> {
        let find = || {
            let in_file = (code as u64).checked_sub(self.bias)?;
            Some(hash_text("code", &self.functions.hash(in_file)?))
        };
        self.known.entry(code).or_insert_with(find).clone()
    }
}

/// Entry point of this program in memory.
fn entry_in_memory() -> Option<u64> {
    // SAFETY: the call reads a table provided by the kernel, and returns 0 for a missing entry.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    (entry != 0).then_some(entry)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Instant;

    use crate::registry::{task, tasks};
    use tasks::device::Backend;

    use super::*;

    fn variant(of: &str, name: &str) -> VariantInfo {
        let variants = task(of).expect("a task").variants().into_iter();
        let mut found = variants.filter(|info| info.name == name && info.backend == Backend::Cpu);
        found.next().expect("a variant")
    }

    fn reached(running: &mut RunningProgram, info: &VariantInfo) -> HashSet<String> {
        running.fingerprint(info.code).expect("a fingerprint");
        running.functions.names().map(str::to_owned).collect()
    }

    #[test]
    fn variants_of_a_task_differ_and_stay_as_they_are() {
        let start = Instant::now();
        for task in tasks() {
            let mut known: HashMap<(Backend, String), &str> = HashMap::new();
            for info in task.variants() {
                if info.unavailable_reason.is_some() {
                    continue;
                }
                let fingerprint = variant_fingerprint(&info);
                assert_ne!(fingerprint, executable_fingerprint(), "{}", info.name);
                assert_eq!(fingerprint, variant_fingerprint(&info));
                let same = known.insert((info.backend, fingerprint), info.name);
                assert_eq!(same, None, "{} is the same as {}", info.name, task.name());
            }
        }
        eprintln!("all fingerprints: {:?}", start.elapsed());
    }

    #[test]
    fn a_variant_reaches_only_its_own_calls() {
        let mut running = RunningProgram::open().expect("a program");
        let names = reached(&mut running, &variant("sort", "block-merge"));
        let any = |words: &str| names.iter().any(|name| name.contains(words));
        // The sort itself, functions that it shares with others, and those of its team.
        let wanted = "11block_merge 5parts 8segments";
        for wanted in wanted.split(' ') {
            assert!(any(&format!("sts_sort3cpu{wanted}")), "{wanted}");
        }
        assert!(any("rayon_core"));
        let others = "tpc_decode 14channel_bucket 15segmented_radix harness3cli harness8commands";
        for other in others.split(' ') {
            // The linker merges functions with the same code under one of their names: dropping a
            // vector is the same for many types.
            let mut own = names.iter().filter(|name| !name.contains("drop_in_place"));
            assert_eq!(own.find(|name| name.contains(other)), None);
        }
    }

    #[test]
    fn unknown_functions_have_no_fingerprint() {
        let info = VariantInfo { code: 0, ..variant("sort", "block-merge") };
        assert_eq!(variant_fingerprint(&info), executable_fingerprint());
    }
}
