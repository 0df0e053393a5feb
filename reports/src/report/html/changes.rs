//! Changes since another run.

use std::path::Path;

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::super::facts::command::short_path;
use super::super::facts::counted;
use super::super::facts::settings::Settings;
use super::super::facts::time::minute;
use super::super::facts::verdict::{changed_points, ratio};
use super::interval::{self, Scale};
use super::parts::{and_more, scrolling};
use crate::code::Code;
use crate::compare::render::{hints, steps};
use crate::compare::{Comparison, PointVerdict, Unmatched, Verdict, gate};
use crate::shape::point_axes;
use crate::units;

/// Maximum number of rows; further ones are counted.
const MAX_ROWS: usize = 300;

pub fn section(comparison: &Comparison) -> Markup {
    let settings =
        Settings::from_points(comparison.points.iter().map(|point| point_axes(&point.key.point)));
    let limit = comparison.thresholds.min_effect;
    let scale = Scale::for_points(comparison.points.iter(), limit);
    html! {
        section #changes {
            h2 { "What changed" }
            p { (compared_with(comparison)) }
            (counts(comparison))
            (wrong(comparison))
            @if !settings.common().is_empty() { p.quiet { "All points: " (settings.common()) "." } }
            (changed(comparison, &settings, &scale))
            (next(comparison))
            (unchanged(comparison, &settings, &scale))
            (unmatched(comparison))
            @for note in &comparison.notes { p.note { "Note: " (note.escaped().at_most(SENTENCE)) } }
            p.quiet { (gate::sentence(comparison)) "." }
        }
    }
}

fn compared_with(comparison: &Comparison) -> Markup {
    let base = &comparison.base;
    let limits = &comparison.thresholds;
    html! {
        "Compared with the run of " (minute(&base.started)) " in " code title=(Path::new(&base.folder).escaped()) { (short_path(&base.folder).escaped()) }
        @if let Some(commit) = &base.git_commit { " by commit " code { (commit.escaped()) } }
        ". A change counts if the whole 95 % interval of the ratio of the medians lies more than "
        (percent(limits.min_effect)) " from 1 and the rank test agrees (p < " (limits.significance)
        "). Of all reported changes, at most " (percent(limits.false_discovery))
        " are expected to be false."
        @if base.machine_key != comparison.new.machine_key {
            strong { " The machines differ (" (base.cpu_model.escaped()) " before, " (comparison.new.cpu_model.escaped())
            " now): the ratios include that." }
        }
    }
}

fn counts(comparison: &Comparison) -> Markup {
    html! {
        ul.counts {
            @for verdict in Verdict::ALL {
                li class=(interval::class(verdict)) {
                    span aria-hidden="true" { (interval::sign(verdict)) }
                    " " strong { (comparison.count(verdict)) } " " (verdict)
                }
            }
        }
    }
}

fn changed(comparison: &Comparison, settings: &Settings, scale: &Scale) -> Markup {
    let points = changed_points(comparison);
    html! {
        @if points.is_empty() {
            p { "No point changed." }
        } @else {
            (table("Points that changed, or may have", &points, settings, scale))
        }
    }
}

fn unchanged(comparison: &Comparison, settings: &Settings, scale: &Scale) -> Markup {
    let points: Vec<_> = comparison.with_verdict(Verdict::Same).collect();
    html! {
        @if !points.is_empty() {
            details {
                summary { (counted(points.len(), "point")) " without a change that would matter" }
                (table("Points without a change", &points, settings, scale))
            }
        }
    }
}

fn table(label: &str, points: &[&PointVerdict], settings: &Settings, scale: &Scale) -> Markup {
    let table = html! {
        table.cards {
            thead { tr {
                th scope="col" { "verdict" }
                th scope="col" { "point" }
                th.number scope="col" { "ratio [95 %]" }
                th scope="col" { "ratio " (scale.axis()) }
                th.number scope="col" { "before" }
                th.number scope="col" { "now" }
                th scope="col" { "why" }
            } }
            tbody { @for point in points.iter().take(MAX_ROWS) { (row(point, settings, scale)) } }
        }
    };
    html! {
        (scrolling(label, &table))
        (and_more(points.len().saturating_sub(MAX_ROWS), "points"))
    }
}

fn row(point: &PointVerdict, settings: &Settings, scale: &Scale) -> Markup {
    html! {
        tr {
            td.verdict-cell.(interval::class(point.verdict)) data-label="verdict" {
                span { span aria-hidden="true" { (interval::sign(point.verdict)) } " " (point.label()) }
            }
            th.point scope="row" {
                (point.key.name()) " "
                span.quiet { (settings.apart(&point_axes(&point.key.point))) }
            }
            td.number data-label="ratio" { (ratio(point)) }
            td { (scale.plot(point)) }
            td.number data-label="before" { (units::seconds(point.base.median_s, 3)) }
            td.number data-label="now" { (units::seconds(point.new.median_s, 3)) }
            td.words data-label="why" { (point.reason.escaped().at_most(SENTENCE)) (code(point)) }
        }
    }
}

/// Note on changed machine code; unchanged code is part of the reason.
fn code(point: &PointVerdict) -> Markup {
    let words = match (point.verdict, point.code) {
        (Verdict::Slower | Verdict::Faster, Code::Changed) => "; the machine code changed",
        _ => "",
    };
    html! { (words) }
}

/// Next steps without repeats: commands are long, and meant to be copied.
fn next(comparison: &Comparison) -> Markup {
    let steps = steps(comparison);
    let hints = hints(comparison);
    html! {
        @if !steps.is_empty() || !hints.is_empty() {
            h3 { "What to do next" }
            @for hint in &hints { p { (hint) } }
            ul { @for step in &steps { li { code { (step) } } } }
        }
    }
}

/// Points with a wrong output that were right in the base: they must not be overlooked.
fn wrong(comparison: &Comparison) -> Markup {
    let points: Vec<_> = comparison.wrong().collect();
    html! {
        @if !points.is_empty() {
            p.note { strong { (counted(points.len(), "point")) " of the base: wrong output now, or \
                failed" } }
            (partners(&points))
        }
    }
}

fn unmatched(comparison: &Comparison) -> Markup {
    let lost = comparison.only_base.iter().filter(|point| !point.is_wrong());
    let sides: [(&str, Vec<&Unmatched>); 2] = [
        ("in the base only", lost.collect()),
        ("in this run only", comparison.only_new.iter().collect()),
    ];
    html! {
        @for (side, points) in sides {
            @if !points.is_empty() {
                details {
                    summary { (counted(points.len(), "point")) " " (side) }
                    (partners(&points))
                }
            }
        }
    }
}

fn partners(points: &[&Unmatched]) -> Markup {
    let settings = Settings::from_points(points.iter().map(|point| point_axes(&point.key.point)));
    html! {
        ul.notes {
            @for point in points.iter().take(MAX_ROWS) {
                li { (point.key.name()) " "
                    span.quiet { (settings.apart(&point_axes(&point.key.point))) } ": " (point.reason.escaped().at_most(SENTENCE)) }
            }
        }
        (and_more(points.len().saturating_sub(MAX_ROWS), "points"))
    }
}

fn percent(fraction: f64) -> String {
    // To a tenth: 1 %, 2.5 %.
    format!("{} %", (fraction * 1000.0).round() / 10.0)
}
