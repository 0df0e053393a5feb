//! Kernel files and the kernels in them.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// One kernel file with one set of compiler options.
pub struct Unit {
    /// The kernel file.
    pub source: PathBuf,
    /// The names that can be launched.
    pub kernels: Vec<String>,
    /// Kernels with dynamic shared memory of a type.
    pub with_shared: Vec<String>,
    /// Lanes of a warp: 32 or 64.
    pub lanes: u32,
    /// True if the checker sees each access.
    pub checked: bool,
    /// Prefix of the unit's symbols.
    pub prefix: String,
}

/// The kernel files in some folders.
pub fn files(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in folders {
        collect(folder, &mut files)?;
    }
    files.sort();
    Ok(files)
}

/// All units of the kernel files.
pub fn units(files: &[PathBuf]) -> Result<Vec<Unit>, Box<dyn Error>> {
    let own = own_name();
    let mut units = Vec::new();
    for (index, source) in files.iter().enumerate() {
        let text = fs::read_to_string(source)?;
        let kernels = [named(&text, "KERNEL_EXPORT("), named(&text, "KERNEL_INSTANCE(")].concat();
        let with_shared = named(&text, "KERNEL_SHARED(");
        for (lanes, checked) in [(32, false), (32, true), (64, false), (64, true)] {
            let manner = if checked { "checked" } else { "plain" };
            units.push(Unit {
                source: source.clone(),
                kernels: kernels.clone(),
                with_shared: with_shared.clone(),
                lanes,
                checked,
                prefix: format!("emulated_{own}_{index}_l{lanes}_{manner}_"),
            });
        }
    }
    refuse_doubles(&units)?;
    Ok(units)
}

/// Name of the crate, as part of a symbol: several crates of a program may have kernels.
pub fn own_name() -> String {
    env::var("CARGO_PKG_NAME").unwrap_or_default().replace('-', "_")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            files.push(path);
        }
    }
    Ok(())
}

/// The first argument of each line that starts with this macro.
fn named(source: &str, words: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.trim().strip_prefix(words)?;
        Some(rest.split([',', ')']).next()?.trim().to_owned())
    };
    source.lines().filter_map(name).collect()
}

fn refuse_doubles(units: &[Unit]) -> Result<(), Box<dyn Error>> {
    let first = |unit: &&Unit| unit.lanes == 32 && !unit.checked;
    let mut names: Vec<_> = units.iter().filter(first).flat_map(|u| &u.kernels).collect();
    names.sort();
    let double = names.windows(2).find(|pair| pair[0] == pair[1]);
    double.map_or(Ok(()), |pair| {
        Err(format!("two kernels are called {}: rename one", pair[0]).into())
    })
}
