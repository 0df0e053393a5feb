//! The table of a plugin, read and judged.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use super::abi::{self, Table};
use super::calls::Calls;
use super::contract::{Contract, Contracts, Stable};
use super::loaded_variant::{Buffers, LoadedVariant, Own, PluginInfo};
use crate::algorithm::Native;
use crate::device::Backend;

/// More variants than this in a plugin are rather a number that was not set.
const MOST_VARIANTS: u64 = 1000;

/// The longest name or summary.
const MOST_CHARACTERS: usize = 200;

/// Name and version of the plugin.
pub(super) fn name_and_version(table: &Table) -> Result<(&'static str, &'static str), String> {
    check_size(table.size, size_of::<Table>(), "the table")?;
    Ok((text(table.name, "the plugin's name")?, text(table.version, "the plugin's version")?))
}

/// All variants of a table that was made for a version of the header.
pub(super) fn variants(
    (table, version): (&Table, u32),
    plugin: &'static PluginInfo,
    contracts: &Contracts,
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
        let place = format!("variant {number}");
        // SAFETY: the header has NULL or a variant lie there, for as long as the library does.
        let variant = unsafe { complete(pointer, version, &place)? };
        read((variant, Own(pointer)), plugin, &place, |task| contracts.of(task, version))
    });
    variants.collect()
}

/// A copy of a variant, with 0 in the fields that its header does not have.
///
/// # Safety
/// `variant` is NULL, or the struct of that version is there.
unsafe fn complete(
    variant: *const abi::Variant,
    version: u32,
    place: &str,
) -> Result<abi::Variant, String> {
    if variant.is_null() {
        return Err(format!("{place} is NULL"));
    }
    // SAFETY: each version begins with the size.
    let said = unsafe { variant.cast::<usize>().read() };
    let known = match version {
        1 => abi::VARIANT_BYTES_1,
        _ if said < size_of::<abi::Variant>() => abi::VARIANT_BYTES_2,
        _ => size_of::<abi::Variant>(),
    };
    check_size(said, known, place)?;
    let mut copy = MaybeUninit::<abi::Variant>::zeroed();
    // SAFETY: so many bytes are there, as it says itself; zeros are NULL, `None` and 0.
    unsafe {
        variant.cast::<u8>().copy_to_nonoverlapping(copy.as_mut_ptr().cast(), known);
        Ok(copy.assume_init())
    }
}

fn read(
    (variant, own): (abi::Variant, Own),
    plugin: &'static PluginInfo,
    place: &str,
    contract_of: impl Fn(&str) -> Result<&'static Contract, String>,
) -> Result<LoadedVariant, String> {
    let task = text(variant.task, &format!("the task of {place}"))?;
    let name = text(variant.name, &format!("the name of {place}"))?;
    check_name(name, place)?;
    let place = format!("variant \"{name}\"");
    let contract = contract_of(task).map_err(|problem| format!("{place} {problem}"))?;
    let summary = text(variant.summary, &format!("the summary of {place}"))?;
    let run = variant.run.ok_or_else(|| format!("{place}: run is NULL"))?;
    let backend = backend(variant.backend, &place)?;
    Ok(LoadedVariant {
        buffers: buffers(&variant, contract, backend, &place)?,
        waits: yes_or_no(variant.waits, "waits", &place)?,
        calls: Calls::new(&plugin.file, task, name),
        own,
        run,
        plugin,
        backend,
        stable: stable(&variant, contract, &place)?,
        keeps_address: keeps_address(variant.omits, contract, &place)?,
        semantics: semantics(variant.semantics, contract, &place)?,
        by_time: by_time(&variant, contract, &place)?,
        native: native(&variant, backend, &place)?,
        condemned: Default::default(),
        task,
        name,
        summary,
        table: variant,
    })
}

/// A struct may be longer than it is known here, but not shorter.
fn check_size(found: usize, needed: usize, place: &str) -> Result<(), String> {
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
    if characters == 0 || characters > MOST_CHARACTERS {
        return Err(format!(
            "{what} has {characters} characters; give 1 to {MOST_CHARACTERS} on one line"
        ));
    }
    match text.chars().find(|c| c.is_control()) {
        None => Ok(text),
        Some(control) => {
            let name = control_name(control);
            Err(format!("{what} has {name} in it; use printable characters on one line"))
        }
    }
}

/// What a character that can't be printed is called.
fn control_name(control: char) -> String {
    match control {
        '\n' | '\r' => "a line break".to_owned(),
        '\t' => "a tab".to_owned(),
        other => format!("the control character U+{:04X}", u32::from(other)),
    }
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

/// What a kind of buffers is called in the header.
fn name_of(buffers: u32) -> &'static str {
    match buffers {
        abi::EITHER => "RECOBENCH_EITHER",
        abi::IN_PLACE => "RECOBENCH_IN_PLACE",
        abi::TO_HOST => "RECOBENCH_TO_HOST",
        _ => "RECOBENCH_SEPARATE",
    }
}

fn buffers(
    variant: &abi::Variant,
    contract: &Contract,
    backend: Backend,
    place: &str,
) -> Result<Buffers, String> {
    let (task, known) = (contract.task, contract.buffers(backend));
    if known.is_empty() {
        return Err(format!(
            "{place}: backend is RECOBENCH_CUDA, but how much a run of {task} finds is known on \
             the GPU only, so its plugins run on the host; see plugin.md"
        ));
    }
    if !known.contains(&variant.buffers) {
        let names: Vec<_> = known.iter().copied().map(name_of).collect();
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

fn stable(variant: &abi::Variant, contract: &Contract, place: &str) -> Result<bool, String> {
    let task = contract.task;
    match (yes_or_no(variant.stable, "stable", place)?, contract.stable) {
        (false, Stable::Always) => {
            Err(format!("{place}: stable is 0, but {task} keeps the order; set it to 1"))
        }
        (true, Stable::Never) => {
            Err(format!("{place}: stable is 1, but {task} has no order to keep; set it to 0"))
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

/// Whether it keeps the addresses of digis, the only thing that may be lost.
fn keeps_address(omits: u32, contract: &Contract, place: &str) -> Result<bool, String> {
    if omits & !contract.omits == 0 {
        return Ok(omits == 0);
    }
    Err(format!("{place}: omits is {omits}, which {} does not know", contract.task))
}

/// The right answers that it knows: the exact one, if it does not say. That of the offline
/// reconstruction comes in structs of its own.
fn semantics(said: u32, contract: &Contract, place: &str) -> Result<u32, String> {
    let task = contract.task;
    if said & !contract.semantics != 0 {
        return Err(format!("{place}: semantics is {said}, which {task} does not know"));
    }
    if said & abi::OFFLINE != 0 && said != abi::OFFLINE {
        return Err(format!(
            "{place}: semantics has RECOBENCH_OFFLINE beside others, but its structs are others; \
             make it a variant of its own"
        ));
    }
    Ok(if said == 0 { abi::EXACT } else { said })
}

fn by_time(variant: &abi::Variant, contract: &Contract, place: &str) -> Result<bool, String> {
    let order = variant.order;
    if order != abi::USUAL_ORDER && variant.semantics == abi::OFFLINE {
        return Err(format!(
            "{place}: order is {order}, but RECOBENCH_OFFLINE leaves none to choose; set it to 0"
        ));
    }
    match (order, contract.by_time) {
        (abi::USUAL_ORDER, _) => Ok(false),
        (abi::BY_TIME, Some(_)) => Ok(true),
        (_, Some(what)) => Err(format!(
            "{place}: order is {order}; RECOBENCH_USUAL_ORDER and RECOBENCH_BY_TIME are {what}"
        )),
        (_, None) => Err(format!(
            "{place}: order is {order}, but {} has no order to choose; set it to 0",
            contract.task
        )),
    }
}

/// The native variant that it is compared with, if it says so.
fn native(variant: &abi::Variant, backend: Backend, place: &str) -> Result<Option<Native>, String> {
    if variant.native.is_null() {
        return match variant.written_as.is_null() && variant.differs.is_null() {
            true => Ok(None),
            false => Err(format!(
                "{place}: native is NULL, but written_as and differs are for variants that have \
                 it; set all three to NULL"
            )),
        };
    }
    if backend != Backend::Cuda {
        return Err(format!(
            "{place}: native is for RECOBENCH_CUDA, since kernels are compared on one GPU; set it \
             to NULL"
        ));
    }
    let differs = match variant.differs.is_null() {
        true => "",
        false => text(variant.differs, &format!("the differs of {place}"))?,
    };
    Ok(Some(Native {
        variant: text(variant.native, &format!("the native of {place}"))?,
        written_as: text(variant.written_as, &format!("the written_as of {place}"))?,
        differs,
    }))
}
