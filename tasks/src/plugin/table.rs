//! Reads and validates the table of a plugin.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use super::abi;
use super::abi::Table;
use super::hooks::Calls;
use super::loaded_variant::{
    Buffers, Contract, Contracts, LoadedVariant, PluginInfo, PluginTable, Stable,
};
use crate::device::Backend;
use crate::native::Native;

/// Maximum number of variants of a plugin; a larger number is probably uninitialised.
const MAX_VARIANTS: u64 = 1000;

/// Maximum length of a name or summary.
const MAX_CHARACTERS: usize = 200;

/// Returns name and version of the plugin.
pub(super) fn name_and_version(table: &Table) -> Result<(&'static str, &'static str), String> {
    check_size(table.size, size_of::<Table>(), "the table")?;
    Ok((text(table.name, "the plugin's name")?, text(table.version, "the plugin's version")?))
}

/// Returns all variants of a table for a version of the header.
pub(super) fn variants(
    table: &Table,
    version: u32,
    plugin: &'static PluginInfo,
    contracts: &Contracts,
) -> Result<Vec<LoadedVariant>, String> {
    let count = table.variant_count;
    if count == 0 || count > MAX_VARIANTS {
        return Err(format!("it has {count} variants; 1 to {MAX_VARIANTS} are allowed"));
    }
    if table.variants.is_null() {
        return Err("its list of variants is NULL".to_owned());
    }
    // SAFETY: the header requires `count` pointers there.
    let pointers = unsafe { std::slice::from_raw_parts(table.variants, count as usize) };
    let variants = pointers.iter().enumerate().map(|(index, &pointer)| {
        let context = format!("variant {index}");
        // SAFETY: the header requires NULL or a variant there, for as long as the library is
        // loaded.
        let variant = unsafe { complete(pointer, version, &context)? };
        let own = PluginTable(pointer);
        read(variant, own, plugin, &context, |task| contracts.for_task(task, version))
    });
    variants.collect()
}

/// Copies a variant, with 0 in the fields that its version of the header does not have.
///
/// # Safety
/// `variant` is NULL, or points to the struct of that version.
unsafe fn complete(
    variant: *const abi::Variant,
    version: u32,
    context: &str,
) -> Result<abi::Variant, String> {
    if variant.is_null() {
        return Err(format!("{context} is NULL"));
    }
    // SAFETY: each version starts with the size.
    let declared = unsafe { variant.cast::<usize>().read() };
    let known = match version {
        1 => abi::VARIANT_BYTES_1,
        _ if declared < abi::VARIANT_BYTES_3 => abi::VARIANT_BYTES_2,
        _ if declared < size_of::<abi::Variant>() => abi::VARIANT_BYTES_3,
        _ => size_of::<abi::Variant>(),
    };
    check_size(declared, known, context)?;
    let mut copy = MaybeUninit::<abi::Variant>::zeroed();
    // SAFETY: the variant declares that many bytes; zeros are NULL, `None` and 0.
    unsafe {
        variant.cast::<u8>().copy_to_nonoverlapping(copy.as_mut_ptr().cast(), known);
        Ok(copy.assume_init())
    }
}

fn read(
    variant: abi::Variant,
    own: PluginTable,
    plugin: &'static PluginInfo,
    context: &str,
    contract_of: impl Fn(&str) -> Result<&'static Contract, String>,
) -> Result<LoadedVariant, String> {
    let task = text(variant.task, &format!("the task of {context}"))?;
    let name = text(variant.name, &format!("the name of {context}"))?;
    check_name(name, context)?;
    let context = format!("variant \"{name}\"");
    let contract = contract_of(task).map_err(|problem| format!("{context} {problem}"))?;
    let summary = text(variant.summary, &format!("the summary of {context}"))?;
    let run = variant.run.ok_or_else(|| format!("{context}: run is NULL"))?;
    let backend = backend(variant.backend, &context)?;
    Ok(LoadedVariant {
        buffers: buffers(&variant, contract, backend, &context)?,
        waits: yes_or_no(variant.waits, "waits", &context)?,
        calls: Calls::new(&plugin.file, task, name),
        own,
        run,
        plugin,
        backend,
        stable: stable(&variant, contract, &context)?,
        keeps_address: keeps_address(variant.omits, contract, &context)?,
        semantics: semantics(variant.semantics, contract, &context)?,
        by_time: by_time(&variant, contract, &context)?,
        native: native(&variant, backend, &context)?,
        remark: optional_text(variant.remark, &format!("the remark of {context}"))?,
        quarantined: Default::default(),
        task,
        name,
        summary,
        table: variant,
    })
}

/// Checks the size of a struct: it may be larger than in this header, but not smaller.
fn check_size(found: usize, needed: usize, context: &str) -> Result<(), String> {
    if found >= needed {
        return Ok(());
    }
    Err(format!(
        "{context} declares a size of {found} bytes, and {needed} are needed; set size to its sizeof"
    ))
}

/// Reads a text, which must be on one line.
pub(super) fn text(pointer: *const c_char, what: &str) -> Result<&'static str, String> {
    if pointer.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the header requires texts to end with a NUL and to stay where they are.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    let text = text.map_err(|_| format!("{what} is not in UTF-8"))?;
    let characters = text.chars().count();
    if characters == 0 || characters > MAX_CHARACTERS {
        return Err(format!(
            "{what} has {characters} characters; give 1 to {MAX_CHARACTERS} on one line"
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

/// Reads a text that may be NULL.
fn optional_text(pointer: *const c_char, what: &str) -> Result<Option<&'static str>, String> {
    (!pointer.is_null()).then(|| text(pointer, what)).transpose()
}

/// Printable name of a control character.
fn control_name(control: char) -> String {
    match control {
        '\n' | '\r' => "a line break".to_owned(),
        '\t' => "a tab".to_owned(),
        other => format!("the control character U+{:04X}", u32::from(other)),
    }
}

/// Checks a name, which is used in file names and globs.
///
/// # Errors
/// If it has other characters than these need.
pub fn check_name(name: &str, context: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_empty() && name.chars().all(allowed) && !name.starts_with('-') {
        return Ok(());
    }
    Err(format!("{context} is called \"{name}\"; use lower case letters, digits and dashes"))
}

fn backend(value: u32, context: &str) -> Result<Backend, String> {
    match value {
        abi::CPU => Ok(Backend::Cpu),
        abi::CUDA => Ok(Backend::Cuda),
        other => Err(format!(
            "{context}: backend is {other}; there are RECOBENCH_CPU and RECOBENCH_CUDA"
        )),
    }
}

/// Name of a kind of buffers in the header.
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
    context: &str,
) -> Result<Buffers, String> {
    let task = contract.task;
    let known = contract.buffers(backend);
    if known.is_empty() {
        return Err(format!(
            "{context}: backend is RECOBENCH_CUDA, but how much a run of {task} finds is known on \
             the GPU only, so its plugins run on the host; see plugin.md"
        ));
    }
    if !known.contains(&variant.buffers) {
        let names: Vec<_> = known.iter().copied().map(name_of).collect();
        let found = variant.buffers;
        let names = names.join(", ");
        return Err(format!(
            "{context}: buffers is {found}; use one of these for {task} on {backend}: {names}"
        ));
    }
    match (variant.buffers, variant.output) {
        (abi::EITHER, Some(output)) => Ok(Buffers::Either(output)),
        (abi::EITHER, None) => {
            Err(format!("{context}: output is NULL, but RECOBENCH_EITHER needs it"))
        }
        (_, Some(_)) => {
            Err(format!("{context}: output is for RECOBENCH_EITHER only; set it to NULL"))
        }
        (abi::IN_PLACE, None) => Ok(Buffers::InPlace),
        (abi::TO_HOST, None) => Ok(Buffers::ToHost),
        (_, None) => Ok(Buffers::Separate),
    }
}

fn stable(variant: &abi::Variant, contract: &Contract, context: &str) -> Result<bool, String> {
    let task = contract.task;
    match (yes_or_no(variant.stable, "stable", context)?, contract.stable) {
        (false, Stable::Always) => {
            Err(format!("{context}: stable is 0, but {task} keeps the order; set it to 1"))
        }
        (true, Stable::Never) => {
            Err(format!("{context}: stable is 1, but {task} has no order to keep; set it to 0"))
        }
        (stable, _) => Ok(stable),
    }
}

pub(super) fn yes_or_no(value: u32, field: &str, context: &str) -> Result<bool, String> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("{context}: {field} is {other}; 1 is yes and 0 is no")),
    }
}

/// True if it keeps the addresses of digis, the only content that may be lost.
fn keeps_address(omits: u32, contract: &Contract, context: &str) -> Result<bool, String> {
    if omits & !contract.omits == 0 {
        return Ok(omits == 0);
    }
    Err(format!("{context}: omits is {omits}, which {} does not know", contract.task))
}

/// Semantics that it supports: the exact one by default. Those of the offline reconstruction have
/// separate structs.
fn semantics(declared: u32, contract: &Contract, context: &str) -> Result<u32, String> {
    let task = contract.task;
    if declared & !contract.semantics != 0 {
        return Err(format!("{context}: semantics is {declared}, which {task} does not know"));
    }
    if declared & abi::OFFLINE != 0 && declared != abi::OFFLINE {
        return Err(format!(
            "{context}: semantics has RECOBENCH_OFFLINE and others, but its structs are others; \
             make it a variant of its own"
        ));
    }
    Ok(if declared == 0 { abi::EXACT } else { declared })
}

fn by_time(variant: &abi::Variant, contract: &Contract, context: &str) -> Result<bool, String> {
    let order = variant.order;
    if order != abi::USUAL_ORDER && variant.semantics == abi::OFFLINE {
        return Err(format!(
            "{context}: order is {order}, but RECOBENCH_OFFLINE leaves none to choose; set it to 0"
        ));
    }
    match (order, contract.by_time) {
        (abi::USUAL_ORDER, _) => Ok(false),
        (abi::BY_TIME, Some(_)) => Ok(true),
        (_, Some(what)) => Err(format!(
            "{context}: order is {order}; RECOBENCH_USUAL_ORDER and RECOBENCH_BY_TIME are {what}"
        )),
        (_, None) => Err(format!(
            "{context}: order is {order}, but {} has no order to choose; set it to 0",
            contract.task
        )),
    }
}

/// The native variant that it is compared with, if it declares one.
fn native(
    variant: &abi::Variant,
    backend: Backend,
    context: &str,
) -> Result<Option<Native>, String> {
    if variant.native.is_null() {
        if variant.written_as.is_null() && variant.differs.is_null() {
            return Ok(None);
        }
        return Err(format!(
            "{context}: native is NULL, but written_as and differs are for variants that have it; \
             set all three to NULL"
        ));
    }
    if backend != Backend::Cuda {
        return Err(format!(
            "{context}: native is for RECOBENCH_CUDA, since kernels are compared on one GPU; set \
             it to NULL"
        ));
    }
    let differs = optional_text(variant.differs, &format!("the differs of {context}"))?;
    Ok(Some(Native {
        variant: text(variant.native, &format!("the native of {context}"))?,
        written_as: text(variant.written_as, &format!("the written_as of {context}"))?,
        differs: differs.unwrap_or_default(),
    }))
}
