//! The table of a plugin, read and judged.

use std::ffi::{CStr, c_char};

use super::abi::{self, Table};
use super::calls::Calls;
use super::loaded_variant::{Buffers, LoadedVariant, PluginInfo};
use crate::device::Backend;

/// More variants than this in a plugin are rather a number that was not set.
const MOST_VARIANTS: u64 = 1000;

/// The longest name or summary.
const MOST_CHARACTERS: usize = 200;

/// Name and version of the plugin.
pub(super) fn name_and_version(table: &Table) -> Result<(&'static str, &'static str), String> {
    check_size::<Table>(table.size, "the table")?;
    Ok((text(table.name, "the plugin's name")?, text(table.version, "the plugin's version")?))
}

/// All variants.
pub(super) fn variants(
    table: &Table,
    plugin: &'static PluginInfo,
) -> Result<Vec<LoadedVariant>, String> {
    let count = table.variant_count;
    if count == 0 || count > MOST_VARIANTS {
        return Err(format!("it has {count} variants; 1 to {MOST_VARIANTS} can be"));
    }
    if table.variants.is_null() {
        return Err("its list of variants is NULL".to_owned());
    }
    // SAFETY: the header has so many pointers lie there.
    let pointers = unsafe { std::slice::from_raw_parts(table.variants, count as usize) };
    let variants = pointers.iter().enumerate().map(|(number, &pointer)| {
        // SAFETY: the header has a variant lie there, for as long as the library does.
        let variant = unsafe { pointer.as_ref() };
        let variant = variant.ok_or_else(|| format!("variant {number} is NULL"))?;
        read(variant, plugin, &format!("variant {number}"))
    });
    variants.collect()
}

fn read(
    variant: &'static abi::Variant,
    plugin: &'static PluginInfo,
    place: &str,
) -> Result<LoadedVariant, String> {
    check_size::<abi::Variant>(variant.size, place)?;
    let task = text(variant.task, &format!("the task of {place}"))?;
    let name = text(variant.name, &format!("the name of {place}"))?;
    check_name(name, place)?;
    let place = format!("variant \"{name}\"");
    let summary = text(variant.summary, &format!("the summary of {place}"))?;
    let run = variant.run.ok_or_else(|| format!("{place}: run is NULL"))?;
    let backend = backend(variant.backend, &place)?;
    Ok(LoadedVariant {
        buffers: buffers(variant, task, backend, &place)?,
        waits: yes_or_no(variant.waits, "waits", &place)?,
        calls: Calls::new(&plugin.file, task, name),
        table: variant,
        run,
        plugin,
        backend,
        stable: stable(variant, task, &place)?,
        keeps_address: keeps_address(variant.omits, task, &place)?,
        condemned: Default::default(),
        task,
        name,
        summary,
    })
}

/// A struct may be longer than it is known here, but not shorter.
fn check_size<T>(found: usize, place: &str) -> Result<(), String> {
    let needed = size_of::<T>();
    if found >= needed {
        return Ok(());
    }
    Err(format!(
        "{place} says that it has {found} bytes, and {needed} are needed; set size to its sizeof"
    ))
}

/// A text, on one line.
fn text(pointer: *const c_char, what: &str) -> Result<&'static str, String> {
    if pointer.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the header has texts end with a NUL and stay where they are.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    let text = text.map_err(|_| format!("{what} is not in UTF-8"))?;
    let characters = text.chars().count();
    if characters == 0 || characters > MOST_CHARACTERS || text.chars().any(char::is_control) {
        return Err(format!(
            "{what} has {characters} characters; give 1 to {MOST_CHARACTERS} on one line"
        ));
    }
    Ok(text)
}

/// Names go into files and globs.
fn check_name(name: &str, place: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.chars().all(allowed) && !name.starts_with('-') {
        return Ok(());
    }
    Err(format!("{place} is called \"{name}\"; use lower case letters, digits and dashes"))
}

fn backend(number: u32, place: &str) -> Result<Backend, String> {
    match number {
        abi::CPU => Ok(Backend::Cpu),
        abi::CUDA => Ok(Backend::Cuda),
        other => {
            Err(format!("{place}: backend is {other}; there are RECOBENCH_CPU and RECOBENCH_CUDA"))
        }
    }
}

/// Which buffers variants of a task may use, with their names in the header.
fn kinds_of_buffers(task: &str, backend: Backend) -> &'static [(u32, &'static str)] {
    const SEPARATE: (u32, &str) = (abi::SEPARATE, "RECOBENCH_SEPARATE");
    match (task, backend) {
        ("gather", Backend::Cpu) => &[SEPARATE],
        ("gather", Backend::Cuda) => &[SEPARATE, (abi::TO_HOST, "RECOBENCH_TO_HOST")],
        _ => &[SEPARATE, (abi::EITHER, "RECOBENCH_EITHER"), (abi::IN_PLACE, "RECOBENCH_IN_PLACE")],
    }
}

fn buffers(
    variant: &abi::Variant,
    task: &str,
    backend: Backend,
    place: &str,
) -> Result<Buffers, String> {
    let known = kinds_of_buffers(task, backend);
    if !known.iter().any(|(kind, _)| *kind == variant.buffers) {
        let names: Vec<_> = known.iter().map(|(_, name)| *name).collect();
        let (found, names) = (variant.buffers, names.join(", "));
        return Err(format!(
            "{place}: buffers is {found}; use one of these for {task} on {backend}: {names}"
        ));
    }
    match (variant.buffers, variant.output) {
        (abi::EITHER, Some(output)) => Ok(Buffers::Either(output)),
        (abi::EITHER, None) => {
            Err(format!("{place}: output is NULL, but RECOBENCH_EITHER needs it"))
        }
        (_, Some(_)) => {
            Err(format!("{place}: output is for RECOBENCH_EITHER only; set it to NULL"))
        }
        (abi::IN_PLACE, None) => Ok(Buffers::InPlace),
        (abi::TO_HOST, None) => Ok(Buffers::ToHost),
        (_, None) => Ok(Buffers::Separate),
    }
}

/// Whatever is gathered has a place of its own, so there the order is always kept.
fn stable(variant: &abi::Variant, task: &str, place: &str) -> Result<bool, String> {
    match (yes_or_no(variant.stable, "stable", place)?, task) {
        (false, "gather") => {
            Err(format!("{place}: stable is 0, but a gather keeps the order; set it to 1"))
        }
        (stable, _) => Ok(stable),
    }
}

fn yes_or_no(number: u32, field: &str, place: &str) -> Result<bool, String> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("{place}: {field} is {other}; 1 is yes and 0 is no")),
    }
}

fn keeps_address(omits: u32, task: &str, place: &str) -> Result<bool, String> {
    match (omits, task) {
        (0, _) => Ok(true),
        (abi::SORT_ADDRESS, "sort") => Ok(false),
        (other, _) => Err(format!("{place}: omits is {other}, which {task} does not know")),
    }
}
