//! The state that the machine is in, and what is odd about it.

use std::path::Path;

use reports::record::Environment;
use sysinfo::System;

use super::{available_memory, sysfs, usable_threads};

/// The state at this moment.
pub fn environment() -> Environment {
    let sys = Path::new("/sys");
    let governor = sys.join("devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let huge_pages = sys.join("kernel/mm/transparent_hugepage/enabled");
    let name = System::name().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let kernel = System::kernel_version().unwrap_or_default();
    Environment {
        kernel: format!("{name}, kernel {kernel}"),
        governor: sysfs::text(&governor),
        transparent_huge_pages: sysfs::chosen(&huge_pages),
        load_1min: System::load_average().ok().map(|load| load.one),
        available_memory_bytes: available_memory(),
        usable_threads: usable_threads(),
    }
}

/// What makes measuring on such a machine doubtful, with a hint each.
pub fn oddities(environment: &Environment) -> Vec<String> {
    let mut oddities = Vec::new();
    let threads = environment.usable_threads as f64;
    if let Some(load) = environment.load_1min
        && load > 0.25 * threads
    {
        oddities.push(format!(
            "the load was {load:.1} on {threads} usable CPUs at the start: other work may \
             disturb the samples; wait for it to end"
        ));
    }
    if let Some(governor) = &environment.governor
        && governor != "performance"
    {
        oddities.push(format!(
            "the CPU frequency governor is \"{governor}\": the clock may vary; \
             `cpupower frequency-set -g performance` fixes it"
        ));
    }
    oddities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_and_governor_are_told() {
        let mut environment = environment();
        environment.load_1min = Some(0.0);
        environment.governor = Some("performance".into());
        assert_eq!(oddities(&environment), [""; 0]);
        environment.load_1min = Some(environment.usable_threads as f64);
        environment.governor = Some("powersave".into());
        assert_eq!(oddities(&environment).len(), 2);
    }
}
