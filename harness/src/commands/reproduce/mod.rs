//! `bench reproduce`: published figures, compared with measurements on this machine.
//!
//! | module | does |
//! |---|---|
//! | `streams` | measures the streams that figures need, within a time budget |

mod streams;

use std::path::Path;

use crate::registry;
use reports::charts;
use reports::portability::Pair;
use reports::published::{
    self, Figure, Here, PublishedTables, Reproduction, Value, read_figures, read_published_streams,
};
use reports::rank::Rank;
use reports::record::Point;
use reports::report::{self, ReportInput};
use reports::screen::Screen;
use reports::store::Run;
use reports::table::Tabular;
use text::Untrusted;

use super::open_suite;
use super::pairs::{all_pairs, counterparts};
use super::suite::not_empty;
use super::suite_run::SuiteRun;
use crate::failure::{Exit, Failure};
use crate::measure::KernelTimes;
use crate::plan::select_variants;
use crate::platform::{Interrupt, usable_threads};
use crate::plugins::{self, Baseline};
use crate::request::ReproduceRequest;
use crate::request::values::{each_once, instead_of};
use crate::suite::Suite;

/// All published figures of this program.
pub(super) fn figures() -> Vec<Figure> {
    let tables = registry::published().map(|own| PublishedTables {
        figures: own.figures,
        values: own.values,
        claims: own.claims,
        streams: own.streams,
    });
    tables.map_or_else(Vec::new, |tables| read_figures(&tables))
}

/// Suite with the measurements of the figures; empty without figures.
pub(super) fn suite_of_figures() -> &'static str {
    registry::published().map_or("", |own| own.suite)
}

/// The page in the run's folder.
const PAGE: &str = "reproduce.html";

pub(super) fn run(request: &ReproduceRequest) -> Result<Exit, Failure> {
    let figures = wanted(&request.figures)?;
    if request.list {
        super::put(&request.output.format, |format, _| {
            Ok(figures.render(format, Screen::default())?)
        })?;
        return Ok(Exit::Success);
    }
    say_what_is_missing(&figures)?;
    plugins::load(&request.plugins, Baseline::Measured)?;
    for problem in unknown_names(&figures) {
        super::say(&format!("note: {problem}"));
    }
    let interrupt = Interrupt::listen();
    let (of_streams, of_suite) = streams::budgets(&figures, request.budget);
    let from = SuiteRun {
        run: request.run.as_deref(),
        budget: of_suite,
        output: &request.output,
        command: &request.command,
        config: &request.config,
        name: "reproduce",
        kernels: KernelTimes::OfSome,
        interrupt: &interrupt,
    };
    let (run, mut exit) = from.run(|| part(&figures, &all_pairs()))?;
    if request.run.is_none() {
        let measured = streams::measure(&figures, of_streams, &run.folder, &from)?;
        exit = measured.map_or(exit, |streams| streams::joined(exit, streams));
    }
    let streams = read_published_streams(&run.folder, &figures)?;
    let here = Here { record: &run.record, rows: &run.summary, streams: &streams };
    let reproduced = published::reproduce(figures, &here);
    if interrupt.asked() {
        exit = Exit::Interrupted;
    }
    if !reproduced.iter().any(Reproduction::is_measured) {
        if interrupt.asked() {
            super::say(&format!(
                "bench: interrupted before anything of these figures was measured; {} holds what was",
                run.folder.escaped()
            ));
            return Ok(exit);
        }
        let folder = run.folder.escaped();
        let nothing = format!("nothing of these figures was measured in {folder}");
        return Err(Failure::NothingMeasured(nothing));
    }
    present(&reproduced, &run, &from)?;
    Ok(exit)
}

/// Returns the figures with these ids and groups; all if `ids` is empty.
fn wanted(ids: &[String]) -> Result<Vec<Figure>, Failure> {
    let mut figures = figures();
    let names = |figure: &Figure| [figure.id.clone(), figure.group.clone()];
    let known: Vec<String> = figures.iter().flat_map(names).collect();
    if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
        let names = known.iter().map(String::as_str).filter(|name| !name.is_empty());
        let mut known: Vec<&str> = names.collect();
        each_once(&mut known);
        let instead = instead_of(unknown, &known);
        return Err(Failure::Usage(format!("unknown figure {}; {instead}", unknown.quoted())));
    }
    let is_wanted = |figure: &Figure| names(figure).iter().any(|name| ids.contains(name));
    figures.retain(|figure| ids.is_empty() || is_wanted(figure));
    Ok(figures)
}

/// Prints why figures are not available.
fn say_what_is_missing(figures: &[Figure]) -> Result<(), Failure> {
    let (there, missing): (Vec<_>, Vec<_>) =
        figures.iter().partition(|figure| figure.reason.is_empty());
    let why = |figure: &Figure| format!("{}: {}", figure.id, figure.reason);
    if there.is_empty() {
        let why: Vec<String> = missing.into_iter().map(why).collect();
        return Err(Failure::NothingMeasured(format!("nothing to measure: {}", why.join("; "))));
    }
    missing.into_iter().for_each(|figure| super::say(&format!("note: {}", why(figure))));
    Ok(())
}

/// Writes charts and page, then prints: a closed pipe does not affect files.
fn present(figures: &[Reproduction], run: &Run, from: &SuiteRun<'_>) -> Result<(), Failure> {
    if let Some(folder) = from.folder(run) {
        if from.output.charts {
            for figure in figures {
                charts::write(folder, &charts::draw_published(figure)?)?;
            }
        }
        write(&folder.join(PAGE), &page(figures, run, folder, from.output.rank)?)?;
    }
    super::put(&from.output.format, |format, _| Ok(figures.render(format, Screen::default())?))
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    let folder = path.parent().map_or(Ok(()), files::create_folder);
    let written = folder.and_then(|()| files::write_own(path, page));
    written.map_err(Failure::writing(path))?;
    super::say(&format!("page: {}", path.escaped()));
    Ok(())
}

fn page(figures: &[Reproduction], run: &Run, folder: &Path, rank: Rank) -> Result<String, Failure> {
    let input = ReportInput {
        title: Some("Published figures, measured again"),
        published: figures,
        rank,
        samples_link: (folder == run.folder).then_some("samples.csv"),
        ..ReportInput::for_run(run)
    };
    Ok(report::html(&input)?)
}

/// The part of the suite that figures need, with the variants of plugins that are compared with native
/// ones; nothing if the figures are all about streams.
fn part(figures: &[Figure], pairs: &[Pair]) -> Result<Suite, Failure> {
    let max_threads = usable_threads();
    let is_wanted = |point: &Point| figures.iter().any(|figure| figure.wants(point, max_threads));
    // The suite does not know of plugins: theirs are measured wherever it has the native variant.
    let suite = open_suite(Path::new(suite_of_figures()), &[])?;
    let suite = suite.with_variants(|point| counterparts(pairs, point))?.restricted(is_wanted);
    if figures.iter().all(|figure| figure.stream.is_some()) {
        return Ok(suite);
    }
    not_empty(suite, "no task of this program is what these figures show")
}

/// Tasks and variants of figures that are not here, each once.
fn unknown_names(figures: &[Figure]) -> Vec<String> {
    let mut problems: Vec<String> = Vec::new();
    // Streams are no tasks.
    for figure in figures.iter().filter(|figure| figure.stream.is_none()) {
        let (of_plugins, others): (Vec<&Value>, Vec<&Value>) =
            figure.values.iter().partition(|value| is_in_missing_plugin(value));
        let named = others.into_iter().filter_map(problem).chain(missing_plugins(&of_plugins));
        problems.extend(named.map(|problem| format!("{}: {problem}", figure.id)));
    }
    each_once(&mut problems);
    problems
}

/// True for a value of a variant in a plugin that is not loaded.
fn is_in_missing_plugin(wanted: &Value) -> bool {
    let Some(task) = registry::task(&wanted.task).filter(|_| !wanted.plugin.is_empty()) else {
        return false;
    };
    select_variants(&task.variants(), std::slice::from_ref(&wanted.variant)).is_err()
}

/// Scripts that build the plugins of values, each with its variants.
fn missing_plugins(values: &[&Value]) -> Vec<String> {
    let mut scripts: Vec<&str> = values.iter().map(|value| value.plugin.as_str()).collect();
    each_once(&mut scripts);
    let message = |script: &&str| {
        let of_script = values.iter().filter(|value| value.plugin == **script);
        let variants: Vec<&str> = of_script.map(|value| value.variant.as_str()).collect();
        let verb = if variants.len() == 1 { "is" } else { "are" };
        format!(
            "{} {verb} in a plugin: build it with {script}, and name it with --plugin",
            variants.join(", ")
        )
    };
    scripts.iter().map(message).collect()
}

fn problem(wanted: &Value) -> Option<String> {
    // Series that were only published have no counterpart.
    if wanted.task.is_empty() {
        return None;
    }
    let Some(task) = registry::task(&wanted.task) else {
        let known: Vec<_> = registry::tasks().iter().map(|task| task.name()).collect();
        let instead = instead_of(&wanted.task, &known);
        return Some(format!("unknown task {}; {instead}", wanted.task.quoted()));
    };
    let infos = task.variants();
    if let Err(unknown) = select_variants(&infos, std::slice::from_ref(&wanted.variant)) {
        return Some(unknown);
    }
    let backend = wanted.device.split('+').next().unwrap_or_default();
    let runs_there =
        infos.iter().any(|info| info.name == wanted.variant && info.backend.to_string() == backend);
    (!runs_there)
        .then(|| format!("no variant {} of {} for {}", wanted.variant, wanted.task, wanted.device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_plugins_come_with_the_script_that_builds_them() {
        let problems = unknown_names(&figures());
        assert_eq!(
            problems,
            [
                "fig4.4: sycl-epoch-parallel is in a plugin: build it with scripts/build-sycl.sh, and \
              name it with --plugin",
                "allen.idioms: sycl-block-merge, sycl-block-merge-votes, sycl-block-merge-slices, \
                 sycl-segmented-radix, sycl-segmented-radix-atomics are in a plugin: build it with \
                 scripts/build-sycl.sh, and name it with --plugin"
            ]
        );
    }
    #[test]
    fn variants_of_plugins_are_measured_next_to_native_ones() {
        // A variant that the suite does not have, as if a plugin had brought it.
        let variant = "tiles";
        let mut figures = figures();
        figures.retain(|figure| figure.id == "fig4.4");
        let value = figures[0].values.iter_mut().find(|value| !value.plugin.is_empty());
        value.expect("a variant of a plugin").variant = variant.to_owned();
        let points = |pairs: &[Pair]| {
            let suite = part(&figures, pairs).expect("points");
            let of = |name: &str| suite.points().filter(|point| point.variant == name).count();
            [of("epoch-parallel"), of(variant)]
        };
        assert_eq!(points(&[]), [3, 0], "on a GPU by CUDA, and by shaders twice");
        let pair = Pair {
            task: "unpack",
            native: "epoch-parallel",
            variant,
            backend: "cuda",
            written_as: "a layer",
            differs: "",
        };
        assert_eq!(points(&[pair]), [3, 1]);
    }
}
