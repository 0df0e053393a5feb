//! Plugins in C and C++ for tests: compiled, loaded, and run on the host and, with the emulator
//! instead of a GPU, as CUDA variants.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use portable_gpu::Gpu;
use portable_gpu::emulator::{Config, unavailable};
use portable_gpu::timing::{StageTiming, Stages};

use super::host::PluginGpu;
use super::session::PluginRunner;
use super::task::{PluginRequest, PluginTask};
use super::variant::of_plugin;
use crate::algorithm::{Judge, RunnerSession, Session, Variant, VariantContext};
use crate::device::{Arena, Backend, Target, Team};
use crate::plugin::loaded::{plugins, variants_of};
use crate::plugin::loaded_variant::LoadedVariant;
use crate::registry::{Registry, TaskSet};
use crate::task::{Task, TypedTask};

/// Result of a run: the stages, or the problem.
type Outcome = Result<Stages, String>;

/// The variants of a plugin for a task.
pub struct Compiled<A> {
    task: A,
    variants: Vec<&'static LoadedVariant>,
}

impl<A: PluginTask> Compiled<A> {
    /// Compiles a plugin from a file of the repository; `None` without a compiler.
    pub fn new(task: A, source: &str) -> Option<Self> {
        let name = Path::new(source).file_stem()?.to_str()?;
        Self::with_flags(task, source, name, &[])
    }

    /// Compiles the example for the task, for the host and, for the emulator, as if for a GPU.
    pub fn from_example(task: A) -> Option<Self> {
        let name = task.info().name;
        let example = format!("-DEXAMPLE=\"examples/{name}.c\"");
        let on_gpu = task.contract().is_some_and(|contract| !contract.cuda.is_empty());
        let backends = if on_gpu { "-DON_BOTH" } else { "-DHOST_ONLY" };
        let flags = ["-O3", "-Wextra", "-ffp-contract=off", &example, backends];
        Self::with_flags(task, "tasks/src/plugin_session/on_both.c", name, &flags)
    }

    fn with_flags(task: A, source: &str, name: &str, flags: &[&str]) -> Option<Self> {
        static LOADING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        let source = repository().join(source);
        let file = format!("lib{name}.so");
        if !plugins().iter().any(|plugin| plugin.file == file) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let library = folder.path().join(file);
            compile(&source, &library, &[flags, &["-shared", "-fPIC"]].concat())?;
            let task: &dyn Task = Box::leak(Box::new(TypedTask(task)));
            let mut registry = Registry::new(&[TaskSet::new(vec![task].leak())]).expect("one task");
            registry.load_plugin(&library, "plugin:0".to_owned()).expect("a plugin");
        }
        let variants = variants_of(task.info().name);
        Some(Compiled { task, variants })
    }

    /// The variants of a task whose plugin is loaded.
    #[cfg(test)]
    pub(super) fn from_loaded(task: A) -> Self {
        Compiled { task, variants: variants_of(task.info().name) }
    }

    /// The task.
    #[cfg(test)]
    pub(super) fn task(&self) -> A {
        self.task
    }

    /// Returns the variant of that name.
    pub fn variant(&self, name: &str) -> &'static LoadedVariant {
        let found = self.variants.iter().find(|variant| variant.name == name);
        found.unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// Returns the variants of that name, one for each backend that has it.
    fn named(&self, name: &str) -> impl Iterator<Item = &'static LoadedVariant> {
        let names = [name, &format!("cpu-{name}"), &format!("cuda-{name}")].map(str::to_owned);
        let is_meant = move |variant: &&LoadedVariant| names.iter().any(|n| n == variant.name);
        let mut named = self.variants.iter().copied().filter(is_meant).peekable();
        assert!(named.peek().is_some(), "there is no {name}");
        named
    }

    /// Asserts that variants are right on all inputs.
    pub fn assert_right(&self, names: &[&str], inputs: &[(String, A::Input)]) {
        for variant in names.iter().flat_map(|name| self.named(name)) {
            for (input_name, input) in inputs {
                if let Some(Err(problem)) = self.run(variant, input) {
                    panic!("{} on {input_name}: {problem}", variant.name);
                }
            }
        }
    }

    /// Asserts that the error of each variant starts with a text.
    pub fn assert_told(&self, input: &A::Input, expected_errors: &[(&str, &str)]) {
        for (name, expected) in expected_errors {
            for variant in self.named(name) {
                if let Some(outcome) = self.run(variant, input) {
                    let problem = outcome.expect_err(variant.name);
                    assert!(problem.starts_with(expected), "{}: {problem}", variant.name);
                }
            }
        }
    }

    /// Asserts that a CPU variant has these stages, with times above 0.
    pub fn assert_stages(&self, name: &str, input: &A::Input, expected: &[&str]) {
        let stages = self.run(self.variant(name), input).expect("on the host");
        let stages = stages.expect("right");
        let names: Vec<_> = stages.iter().map(|stage| &*stage.name).collect();
        assert_eq!(names, expected);
        let is_timed = |stage: &StageTiming| stage.calls == 1 && stage.seconds > 0.0;
        assert!(stages.iter().all(is_timed));
    }

    /// Runs a variant on its backend, twice, as in a measurement; `None` without the emulator.
    fn run(&self, variant: &'static LoadedVariant, input: &A::Input) -> Option<Outcome> {
        match variant.backend {
            Backend::Cpu => Some(self.on_host(variant, input)),
            Backend::Wgpu => None,
            Backend::Cuda if unavailable().is_some() => None,
            Backend::Cuda => Some(self.on_emulator(variant, input)),
        }
    }

    fn on_host(&self, variant: &'static LoadedVariant, input: &A::Input) -> Outcome {
        let team = Team::new(2).expect("threads");
        let arena = Arena::default();
        let mut session = self.opened(variant, input, &arena, &Target::host(&team));
        team.run(|| {
            self.measure(variant, session.as_mut(), input)?;
            self.measure(variant, session.as_mut(), input)
        })
    }

    fn on_emulator(&self, variant: &'static LoadedVariant, input: &A::Input) -> Outcome {
        let gpu = Arc::new(Gpu::emulated(Config::default()).expect("an emulator"));
        let arena = Arena::default();
        let promise = of_plugin::<A>(variant).promise(input);
        let semantics = promise.semantics;
        let request = PluginRequest { semantics, by_time: variant.by_time };
        let plugin_gpu = Some(PluginGpu { gpu: &gpu, index: 0 });
        let task = &self.task;
        let runner = PluginRunner::new(variant, request, task, input, &arena, 1, plugin_gpu);
        let runner = runner.unwrap_or_else(|error| panic!("{error:?}"));
        let judge = Judge { task, input, answers: None, promise };
        let mut session = RunnerSession::new(runner, Some(gpu), judge);
        self.measure(variant, &mut session, input)?;
        self.measure(variant, &mut session, input)
    }

    /// Prepares a variant.
    pub fn opened<'a>(
        &'a self,
        loaded: &'static LoadedVariant,
        input: &'a A::Input,
        arena: &'a Arena,
        target: &Target<'_>,
    ) -> Box<dyn Session<A> + 'a> {
        let variant = of_plugin(loaded);
        let session = (variant.prepare)(&VariantContext {
            task: &self.task,
            variant,
            input,
            answers: None,
            arena,
            target,
        });
        session.expect("it can run here, or fails later")
    }

    /// Bytes that a CPU variant holds. Allocations of concurrent tests in this process count as the
    /// variant's, so the minimum of several sessions is taken.
    pub fn buffer_bytes(&self, name: &str, input: &A::Input) -> u64 {
        const SESSIONS: u32 = 20;
        let team = Team::new(1).expect("a thread");
        let arena = Arena::default();
        let target = Target::host(&team);
        let bytes = |_| self.opened(self.variant(name), input, &arena, &target).buffer_bytes();
        (0..SESSIONS).map(bytes).min().expect("some sessions")
    }

    fn measure(
        &self,
        variant: &'static LoadedVariant,
        session: &mut dyn Session<A>,
        input: &A::Input,
    ) -> Outcome {
        let ran = session.reset().and_then(|()| session.poison()).and_then(|()| session.run());
        ran.map_err(|error| error.to_string())?;
        let stages = session.stages().map_err(|error| error.to_string())?;
        session.inspect().map_err(|error| error.to_string())?;
        let promise = of_plugin::<A>(variant).promise(input);
        let reference = self.task.reference(input, promise.semantics);
        let output = session.output().expect("a run");
        let checked = self.task.check(input, reference.as_ref(), &output, promise);
        drop(output);
        session.release();
        checked.map_err(|error| error.to_string())?;
        Ok(stages)
    }
}

/// Asserts that `algorithms/cub` has variants with these names and summaries, followed by the text
/// of `then`.
pub fn assert_in_baseline<A: PluginTask>(
    listed: &[Variant<A>],
    then: impl Fn(&Variant<A>) -> String,
) {
    for variant in listed {
        let stem = variant.name.trim_start_matches("cub-").replace('-', "_");
        let file = repository().join(format!("algorithms/cub/{stem}.cu"));
        let source = std::fs::read_to_string(file).expect("readable");
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = variant.name;
        let summary = variant.summary;
        let then = then(variant);
        let described = format!("\"{name}\", \"{summary}\",{then}");
        assert!(source.contains(&described), "{stem}.cu: {described}");
    }
}

/// Compiles a source that includes the header; `None` without a compiler.
pub fn compile(source: &Path, to: &Path, flags: &[&str]) -> Option<()> {
    let is_c = source.extension().is_some_and(|ending| ending == "c");
    let (name, language) = if is_c { ("cc", "-std=gnu17") } else { ("c++", "-std=c++17") };
    let mut compiler = Command::new(name);
    compiler
        .args(["-O1", "-Wall", "-Werror", language, "-I"])
        .arg(repository().join("docs/plugin"))
        .arg("-I")
        .arg(source.parent()?)
        .args(flags)
        .arg("-o")
        .args([to, source]);
    let Ok(status) = compiler.status() else {
        eprintln!("skipped: no compiler ({name})");
        return None;
    };
    assert!(status.success());
    Some(())
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
