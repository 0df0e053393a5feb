//! Plugins in C and C++ for tests: compiled, loaded, and run on the host and, as if it were a GPU,
//! on the emulator.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use super::loaded::{load, plugins, variants_of};
use super::loaded_variant::LoadedVariant;
use super::session::PluginSession;
use super::task::PluginTask;
use super::variant::of_plugin;
use crate::algorithm::{Content, Opening, Promise, Semantics, Session};
use crate::device::emulator::{Config, unavailable};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Backend, Target, Team};
use crate::timing::Stages;

/// What came of a run: the stages, or what is wrong.
pub(crate) type Outcome = Result<Stages, String>;

/// The variants of a plugin whose file lies in `src/`, for a task; none without a compiler.
pub(crate) fn variants(source: &str, task: &str) -> Option<Vec<&'static LoadedVariant>> {
    static LOADING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    let stem = Path::new(source).file_stem()?.to_str()?;
    let file = format!("lib{stem}.so");
    if !plugins().iter().any(|plugin| plugin.file == file) {
        compile_and_load(source, &file)?;
    }
    Some(variants_of(task))
}

fn compile_and_load(source: &str, file: &str) -> Option<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join(file);
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = crate_root.join("src").join(source);
    let is_c = source.extension().is_some_and(|ending| ending == "c");
    let (name, flags): (_, &[&str]) = if is_c {
        ("cc", &[])
    } else {
        ("c++", &["-std=c++17"])
    };
    let mut compiler = Command::new(name);
    compiler
        .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-I"])
        .arg(crate_root.join("../docs/plugin"))
        .arg("-I")
        .arg(source.parent()?)
        .args(flags)
        .arg("-o")
        .arg(&library)
        .arg(&source);
    let Ok(status) = compiler.status() else {
        eprintln!("skipped: no compiler ({name})");
        return None;
    };
    assert!(status.success());
    load(&library, "plugin:0".to_owned()).expect("a plugin");
    Some(())
}

/// The variants on both backends whose names end so.
pub(crate) fn named(
    variants: &[&'static LoadedVariant],
    ending: &str,
) -> Vec<&'static LoadedVariant> {
    let found = variants.iter().copied();
    let found: Vec<_> = found
        .filter(|variant| variant.name.ends_with(ending))
        .collect();
    assert_eq!(found.len(), 2, "{ending} on two backends");
    found
}

/// Gets a variant of a plugin ready.
pub(crate) fn opened<'a, A: PluginTask>(
    task: &'a A,
    loaded: &'static LoadedVariant,
    (input, arena): (&'a A::Input, &'a Arena),
    target: &Target<'_>,
) -> Box<dyn Session<A> + 'a> {
    let variant = of_plugin(loaded);
    let session = (variant.open)(&Opening {
        task,
        variant,
        input,
        arena,
        target,
    });
    session.expect("it can run here, or fails later")
}

/// Runs a variant where it belongs, twice, as it is when it is measured; none without the
/// emulator.
pub(crate) fn run<A: PluginTask>(
    task: A,
    variant: &'static LoadedVariant,
    input: &A::Input,
) -> Option<Outcome> {
    match variant.backend {
        Backend::Cpu => Some(on_host(task, variant, input)),
        Backend::Cuda if unavailable().is_some() => None,
        Backend::Cuda => Some(on_emulator(task, variant, input)),
    }
}

pub(crate) fn on_host<A: PluginTask>(
    task: A,
    variant: &'static LoadedVariant,
    input: &A::Input,
) -> Outcome {
    let (team, arena) = (Team::new(2).expect("threads"), Arena::default());
    let target = Target::host(&team);
    let mut session = opened(&task, variant, (input, &arena), &target);
    measure(task, session.as_mut(), input)?;
    measure(task, session.as_mut(), input)
}

fn on_emulator<A: PluginTask>(
    task: A,
    variant: &'static LoadedVariant,
    input: &A::Input,
) -> Outcome {
    let gpu = Arc::new(Gpu::emulated(Config::default()).expect("an emulator"));
    let arena = Arena::default();
    let session = PluginSession::<A>::new(variant, (input, &arena), 1, Some((&gpu, 0)));
    let mut session = session.unwrap_or_else(|error| panic!("{error:?}"));
    measure(task, &mut session, input)?;
    measure(task, &mut session, input)
}

fn measure<A: PluginTask>(task: A, session: &mut dyn Session<A>, input: &A::Input) -> Outcome {
    let ran = session
        .reset()
        .and_then(|()| session.poison())
        .and_then(|()| session.run());
    ran.map_err(|error| error.to_string())?;
    let stages = session.stages().map_err(|error| error.to_string())?;
    session.inspect().map_err(|error| error.to_string())?;
    let promise = Promise {
        stable: false,
        content: Content::Whole,
        semantics: Semantics::Exact,
    };
    let reference = task.reference(input, promise.semantics);
    let output = session.output().expect("a run");
    let checked = task.check(input, reference.as_ref(), &output, promise);
    drop(output);
    session.release();
    checked.map_err(|error| error.to_string())?;
    Ok(stages)
}
