//! Section of one task: its charts as they are drawn into the run folder, a table for each setting
//! with the fastest variant first, and the stages of variants.

use maud::{Markup, PreEscaped, html};
use text::{SENTENCE, Untrusted};

use super::super::ReportInput;
use super::super::facts::{Refusal, Settings, Tally, counted, refusals, rows_of};
use super::{and_more, history, machines, scrolling};
use crate::breakdown::{Bar, Breakdown, OTHER, Part, breakdowns, stages};
use crate::charts::{NamedSvg, series_color};
use crate::rank::Rank;
use crate::record::SummaryRow;
use crate::run_table::{Block, blocks, gather};
use crate::shape::{self, name};
use crate::table::{NUMBER, Row, cards};
use crate::units;

pub fn section(input: &ReportInput, algorithm: &str, id: &str, drawn: &[NamedSvg]) -> Markup {
    let rows = rows_of(&input.run.summary, algorithm);
    let settings = Settings::from_rows(rows.iter().copied());
    html! {
        section id=(id) {
            h2 { (algorithm.escaped()) }
            p { (measured(&rows)) " In common: " (settings.common()) "." }
            (charts_section(algorithm, drawn))
            (table_section(&rows, &settings, input.rank))
            (stages_section(&rows, &settings))
            (machines::ceilings_section(&rows, &settings))
            (history::section(input, algorithm, &settings))
            (not_valid(&rows))
        }
    }
}

fn measured(rows: &[&SummaryRow]) -> String {
    let tally = Tally::from_rows(rows.iter().copied());
    format!(
        "{}, {}, {}.",
        counted(tally.variants, "variant"),
        counted(tally.settings, "setting"),
        counted(tally.samples, "sample")
    )
}

fn not_valid(rows: &[&SummaryRow]) -> Markup {
    let refusals = refusals(rows);
    let columns = [("variant", None), ("points", NUMBER), ("reason", Some("words"))];
    let row = |refusal: &Refusal| Row {
        cells: vec![
            html! { (refusal.variant.escaped()) },
            html! { (refusal.points) },
            html! { (refusal.reason.escaped().at_most(SENTENCE)) },
        ],
        ..Row::default()
    };
    let table = cards(&columns, refusals.iter().map(row));
    html! {
        @if !refusals.is_empty() {
            h3 { "Without a valid time" }
            (scrolling("Points without a valid time", &table))
        }
    }
}

/// Number of tables that are open initially.
const OPEN: usize = 4;

fn table_section(rows: &[&SummaryRow], settings: &Settings, rank: Rank) -> Markup {
    let valid = rows.iter().copied().filter(|row| row.valid_median().is_some());
    let valid: Vec<SummaryRow> = valid.cloned().collect();
    let mut blocks = blocks(&valid, rank);
    let remarks = gather(&mut blocks);
    html! {
        @if !valid.is_empty() {
            h3 { "Tables" }
            @for (i, block) in blocks.iter().enumerate() {
                (table(block, settings, i < OPEN))
            }
            @if !remarks.is_empty() {
                ul.notes { @for remark in &remarks { li { (remark.escaped().at_most(SENTENCE)) } } }
            }
        }
    }
}

fn table(block: &Block, settings: &Settings, open: bool) -> Markup {
    let mut heading = settings.apart(&block.axes);
    if let Some(rank) = block.ranked_by {
        heading = [heading, rank.sentence()].join(shape::SEPARATOR);
    }
    html! {
        details open[open] {
            summary { (heading) }
            (scrolling(&heading, &block.table.html()))
            @if !block.notes.is_empty() {
                details.remarks {
                    summary { (counted(block.notes.len(), "remark")) }
                    ul.notes { @for note in &block.notes { li { (note.to_string()) } } }
                }
            }
        }
    }
}

/// Maximum number of settings; further ones are in the tables only.
const MAX_SETTINGS: usize = 12;
/// Minimum share of the width for a part whose share is written in it.
const ROOM_FOR_SHARE: f64 = 0.1;
/// The colour of the remainder, which was not measured itself.
const REST: &str = "#8a8a8a";

fn stages_section(rows: &[&SummaryRow], settings: &Settings) -> Markup {
    let breakdowns = breakdowns(rows, name);
    let stages = stages(&breakdowns);
    html! {
        @if !breakdowns.is_empty() {
            h3 { "Stages" }
            p.quiet { "Medians of the stages; other: the remainder of the median total. The bars \
                of a setting have one scale." }
            ul.legend { @for (i, stage) in stages.iter().enumerate() {
                li { span.swatch style={ "background:" (color(stage, i)) } {} (stage.escaped()) }
            } }
            @for breakdown in breakdowns.iter().take(MAX_SETTINGS) {
                (figure(breakdown, &stages, settings))
            }
            (and_more(breakdowns.len().saturating_sub(MAX_SETTINGS), "settings are in the tables"))
        }
    }
}

fn figure(breakdown: &Breakdown, stages: &[&str], settings: &Settings) -> Markup {
    let longest = breakdown.bars.iter().map(|bar| bar.sum_s().max(bar.total_s));
    let longest = longest.fold(0.0, f64::max);
    html! {
        figure {
            figcaption { (settings.apart(&breakdown.axes)) }
            dl.bars { @for bar in &breakdown.bars {
                dt { (bar.variant.escaped()) " " span.quiet { (units::seconds(bar.total_s, 3)) } }
                dd { (picture(bar, stages, longest)) }
            } }
        }
    }
}

/// The colour of a stage as in the charts, for CSS.
fn color(stage: &str, index: usize) -> String {
    if stage == OTHER {
        return REST.to_owned();
    }
    let (red, green, blue) = series_color(index);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The parts of a bar as boxes, whose texts keep their size on a small screen.
fn picture(bar: &Bar, stages: &[&str], longest: f64) -> Markup {
    let width = |seconds: f64| format!("{:.2}%", 100.0 * seconds / longest);
    html! {
        div.stacked role="img" aria-label=(words(bar)) {
            @for part in &bar.parts {
                @let index = stages.iter().position(|name| *name == part.stage).unwrap_or(0);
                @let (width, color) = (width(part.seconds), color(&part.stage, index));
                span title=(part_words(part, bar))
                    style={ "width:" (width) ";background:" (color) } {
                    @if part.seconds / longest > ROOM_FOR_SHARE { (share(part.seconds, bar)) }
                }
            }
        }
    }
}

/// `count 1.20 ms (12 %), scatter 8.80 ms (88 %)`.
fn words(bar: &Bar) -> String {
    let parts = bar.parts.iter();
    let parts = parts.map(|part| part_words(part, bar));
    parts.collect::<Vec<_>>().join(", ")
}

fn part_words(part: &Part, bar: &Bar) -> String {
    let Part { stage, seconds, given } = part;
    let given =
        if given.is_empty() { String::new() } else { format!(", given {}", given.escaped()) };
    format!("{} {} ({}){given}", stage.escaped(), units::seconds(*seconds, 3), share(*seconds, bar))
}

fn share(seconds: f64, bar: &Bar) -> String {
    format!("{:.0} %", 100.0 * seconds / bar.total_s)
}

/// Maximum number of charts; further ones are only in the run folder.
const MAX_CHARTS: usize = 24;

/// Maximum magnification of a chart.
const MAX_SCALE: f64 = 1.5;
/// Width in pixels from which on charts do not fit side by side.
const WIDE: u32 = 900;

/// Maximum number of maps of winners at the top of the page.
pub const MAX_MAPS: usize = 3;

/// True for a map of winners.
pub fn is_map(chart: &NamedSvg) -> bool {
    chart.chart == "winners" && chart.page == 1
}

fn charts_section(algorithm: &str, drawn: &[NamedSvg]) -> Markup {
    let maps = drawn.iter().filter(|chart| is_map(chart)).take(MAX_MAPS);
    let at_the_top: Vec<&str> = maps.map(|map| map.name.as_str()).collect();
    let of_task = drawn.iter().filter(|chart| chart.algorithm == algorithm);
    let of_task = of_task.filter(|chart| !at_the_top.contains(&chart.name.as_str()));
    let (first, mut further): (Vec<_>, Vec<_>) = of_task.partition(|chart| chart.page == 1);
    let hidden = further.split_off(further.len().min(MAX_CHARTS));
    html! {
        @if !first.is_empty() {
            h3 { "Charts" }
            div.charts { @for chart in &first { (chart_figure(chart)) } }
            @if !further.is_empty() {
                details {
                    summary { (counted(further.len(), "image")) " with further panels" }
                    div.charts { @for chart in &further { (chart_figure(chart)) } }
                    (and_more(hidden.len(), "are in the run folder"))
                }
            }
        }
    }
}

/// A chart with a text for screen readers.
pub fn chart_figure(chart: &NamedSvg) -> Markup {
    let caption = chart.caption.iter().map(|line| line.escaped().at_most(SENTENCE).to_string());
    let caption = caption.collect::<Vec<_>>().join(" ");
    let answer = chart.headline.iter().map(|headline| format!("{}. ", headline.escaped()));
    let words = format!("{}{}. {caption}", answer.collect::<String>(), chart.title.escaped());
    let largest = MAX_SCALE * f64::from(chart.width);
    let is_wide = chart.width > WIDE;
    let picture = html! {
        div.chart role="img" aria-label=(words) style={ "max-width:" (largest) "px" } {
            (PreEscaped(&chart.svg))
        }
    };
    html! { figure.wide-chart[is_wide] { (scrolling(&chart.title.escaped().to_string(), &picture)) } }
}
