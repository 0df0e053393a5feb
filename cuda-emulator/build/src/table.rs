//! The table of kernels, as Rust source: a `cuda_emulator::Kernels`.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol};

use crate::sources::Unit;

/// A unit's static shared memory in its thread-local storage.
struct Shared {
    /// Bytes before the anchor.
    before: u64,
    /// Bytes in all.
    size: u64,
}

/// The table of a build that can't emulate.
pub fn empty(reason: &str) -> String {
    format!(
        "/// Kernels for the emulator.\n\
         pub static KERNELS: cuda_emulator::Kernels = cuda_emulator::Kernels::none({reason:?});\n"
    )
}

/// The table of the compiled kernels.
pub fn source(units: &[Unit], objects: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut symbols = String::new();
    let mut rows = String::new();
    for (unit, object) in units.iter().zip(objects) {
        let shared = shared_memory(object)?;
        writeln!(symbols, "    fn {}anchor() -> *mut u8;", unit.prefix)?;
        for kernel in &unit.kernels {
            writeln!(symbols, "    static {}{kernel}_entry: Entry;", unit.prefix)?;
            rows += &row(unit, kernel, &shared);
        }
    }
    Ok(format!(
        "/// Kernels for the emulator.\n\
         pub static KERNELS: cuda_emulator::Kernels = {{\n\
         use cuda_emulator::table::{{DeviceThread, Entry, Kernel, Shared}};\n\
         unsafe extern \"C\" {{\n    fn emulator_thread_slot() -> *mut *const DeviceThread;\n\
         {symbols}}}\n\
         static ALL: &[Kernel] = &[\n{rows}];\n\
         // SAFETY: entries and sizes are read from the objects that are linked.\n\
         unsafe {{ cuda_emulator::Kernels::compiled(ALL, emulator_thread_slot) }}\n}};\n"
    ))
}

fn row(unit: &Unit, kernel: &str, shared: &Shared) -> String {
    let Unit { prefix, lanes, checked, .. } = unit;
    let Shared { before, size } = shared;
    format!(
        "    Kernel {{ name: {kernel:?}, lanes: {lanes}, checked: {checked}, \
         entry: &raw const {prefix}{kernel}_entry, \
         shared: Shared {{ anchor: {prefix}anchor, before: {before}, size: {size} }} }},\n"
    )
}

fn shared_memory(path: &Path) -> Result<Shared, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let file = object::File::parse(bytes.as_slice())?;
    let is_anchor = |symbol: &object::Symbol<'_, '_>| {
        symbol.name().is_ok_and(|name| name.contains("emulator_anchor"))
    };
    let anchor = file.symbols().find(is_anchor).ok_or("no anchor in the object")?;
    let section = anchor.section_index().ok_or("the anchor is in no section")?;
    let elsewhere = file.sections().find(|other| {
        let thread_local = matches!(
            other.kind(),
            object::SectionKind::Tls | object::SectionKind::UninitializedTls
        );
        thread_local && other.size() > 0 && other.index() != section
    });
    if let Some(other) = elsewhere {
        let name = other.name().unwrap_or("?");
        return Err(format!("shared memory in a section of its own: {name}").into());
    }
    let size = file.section_by_index(section)?.size();
    Ok(Shared { before: anchor.address(), size })
}
