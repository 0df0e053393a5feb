//! Libraries with tasks, compiled and run: right ones, and those that are refused.

mod example;
mod refused;

use std::path::{Path, PathBuf};

use super::self_check;
use super::task::LibraryTask;
use crate::algorithm::Algorithm;
use crate::axis::Params;
use crate::plugin::PluginError;
use crate::plugin::loaded::{LoadContext, LoadedPlugin, load};
use crate::plugin::loaded_variant::Contracts;
use crate::plugin_session::testing::{Compiled, compile};

/// A task that doubles numbers, right or wrong by macros.
const SOURCE: &str = "src/plugin_session/library_task/tests/task.c";

/// Compiles a library, and loads it without adding its tasks to the registry; `None` without a
/// compiler.
fn library(source: &str, flags: &[&str]) -> Option<Result<LoadedPlugin, PluginError>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = compiled(folder.path(), source, flags)?;
    let context = LoadContext {
        contracts: Contracts(Vec::new()),
        holder_of: &|_| None,
        natives_of: &|_| Vec::new(),
        owner_of_task: &|_| None,
        try_task: self_check,
    };
    Some(load(&path, "plugin:0".to_owned(), &context))
}

fn compiled(folder: &Path, source: &str, flags: &[&str]) -> Option<PathBuf> {
    let path = folder.join("libtask.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    compile(&source, &path, &[flags, &["-shared", "-fPIC"]].concat())?;
    Some(path)
}

/// The task of a library that can be loaded, with its variants.
fn task(source: &str, flags: &[&str]) -> Option<Compiled<LibraryTask>> {
    let plugin = library(source, flags)?.unwrap_or_else(|error| panic!("{error}"));
    Some(Compiled::from_loaded(LibraryTask::new(plugin.tasks[0])))
}

/// The hard input with the most elements.
fn fifty(task: LibraryTask) -> super::input::LibraryInput {
    task.hard_inputs(1).pop().expect("an input").1
}

#[test]
fn right_variants_are_right_on_the_host_and_on_a_gpu() {
    let Some(task) = task(SOURCE, &["-DTASK_NAME=\"double-right\""]) else { return };
    task.assert_right(&["right"], &task.task().hard_inputs(1));
}

#[test]
fn errors_of_variants_are_reported() {
    let Some(task) = task(SOURCE, &["-DTASK_NAME=\"double-errors\""]) else { return };
    let messages = [
        ("nothing", "doubles, element 0: "),
        ("beyond", "it wrote beyond the end of its doubles"),
        ("long", "it set the length of its doubles to 1000, but there is capacity for 50"),
        ("lengths", "it wrote beyond the end of the lengths of its outputs"),
        ("short", "49 doubles instead of 50"),
        ("changed", "it changed its numbers, at byte 0"),
        ("shape", "it changed the shape of its input"),
    ];
    task.assert_told(&fifty(task.task()), &messages);
}

#[test]
fn a_check_of_the_library_is_asked_for_its_reason() {
    let flags = ["-DTASK_NAME=\"double-checked\"", "-DCHECK=exact_check"];
    let Some(task) = task(SOURCE, &flags) else { return };
    task.assert_right(&["right"], &task.task().hard_inputs(1));
    let expected = "libtask.so failed in check: not the same";
    task.assert_told(&fifty(task.task()), &[("nothing", expected)]);
}

#[test]
fn any_order_is_for_checks_that_allow_it() {
    let flags = ["-DTASK_NAME=\"double-any\"", "-DCHECK=sum_check", "-DANY_ORDER=1"];
    let Some(task) = task(SOURCE, &flags) else { return };
    assert!(task.task().variants().iter().all(|variant| !variant.stable));
}

#[test]
fn a_reference_that_no_variant_agrees_with_is_reported_by_all() {
    let flags = ["-DTASK_NAME=\"double-wrong\"", "-DREFERENCE=wrong_reference"];
    let Some(task) = task(SOURCE, &flags) else { return };
    let expected = "doubles, element 7: 304 instead of 0";
    task.assert_told(&fifty(task.task()), &[("right", expected)]);
}

#[test]
fn each_input_is_released_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(path) = compiled(folder.path(), SOURCE, &["-DTASK_NAME=\"double-freed\""]) else {
        return;
    };
    let context = LoadContext {
        contracts: Contracts(Vec::new()),
        holder_of: &|_| None,
        natives_of: &|_| Vec::new(),
        owner_of_task: &|_| None,
        try_task: self_check,
    };
    let plugin = load(&path, String::new(), &context).expect("a plugin");
    // SAFETY: the library is open, and has a function of this name and type.
    let alive = || unsafe {
        let library = libloading::Library::new(&path).expect("it is open");
        let alive = library.get::<unsafe extern "C" fn() -> i64>("inputs_alive");
        alive.expect("a function")()
    };
    assert_eq!(alive(), 0);
    let task = LibraryTask::new(plugin.tasks[0]);
    let inputs = task.hard_inputs(1);
    assert_eq!(alive(), inputs.len() as i64);
    drop(inputs);
    assert_eq!(alive(), 0);
}

#[test]
fn parameters_are_planned_and_refused_with_the_reason_of_the_library() {
    let Some(task) = task(SOURCE, &["-DTASK_NAME=\"double-planned\""]) else { return };
    let task = task.task();
    let plan = task.plan(Params::default()).expect("the defaults");
    assert_eq!(plan.params.get("count"), Some("100"));
    assert_eq!(plan.memory_bytes, 7 * 400);
    let input = task.generate(&plan.params, 3).expect("an input");
    assert_eq!((task.work(&input).items, task.work(&input).input_bytes), (100, 400));
    let too_many = [("count", "1001")].into_iter().collect();
    let error = task.plan(too_many).expect_err("too many").to_string();
    assert_eq!(error, "libtask.so failed in plan: more than 1000 numbers");
}

#[test]
fn functions_that_are_not_there_are_reported_where_they_are_needed() {
    let Some(task) = task(SOURCE, &["-DTASK_NAME=\"double-lean\""]) else { return };
    let task = task.task();
    let input = fifty(task);
    assert_eq!(task.shrink(&input).count(), 0);
    let error = task.write(&input, Path::new("x.bin")).expect_err("no function").to_string();
    assert_eq!(error, "x.bin: libtask.so has no write for inputs of double-lean");
    let error = task.read(&PathBuf::from("x.bin").into(), &Params::default());
    let error = error.err().expect("no function").to_string();
    assert_eq!(error, "double-lean reads no files; leave --input out");
}
