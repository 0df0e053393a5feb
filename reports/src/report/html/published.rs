//! Published figures and measured values.

use maud::{Markup, html};

use super::super::{ReportError, ReportInput};
use super::charts;
use super::parts::scrolling;
use crate::charts::draw_published;
use crate::published::{Reproduction, heading, sentences, table};

pub fn section(input: &ReportInput) -> Result<Markup, ReportError> {
    let figures = input.published.iter().map(figure);
    let figures: Vec<Markup> = figures.collect::<Result<_, _>>()?;
    Ok(html! {
        @if !figures.is_empty() {
            section #published {
                h2 { "Published figures" }
                p.quiet {
                    "Times of other machines are not comparable, and inputs here may be smaller. \
                     So speed-ups and times per item are compared. Times here are medians; a \
                     conclusion holds if their 95 % intervals do not overlap. For few samples the \
                     range replaces the interval."
                }
                @for figure in &figures { (figure) }
            }
        }
    })
}

fn figure(reproduction: &Reproduction) -> Result<Markup, ReportError> {
    let drawn = draw_published(reproduction)?;
    Ok(html! {
        h3 { (heading(reproduction)) }
        ul { @for sentence in sentences(reproduction) { li { (sentence) } } }
        @for chart in &drawn { (charts::figure(chart)) }
        details { summary { "Numbers" } (scrolling("Published and measured numbers", &table(reproduction).html())) }
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::run;
    use super::*;
    use crate::published::fixture::rows;
    use crate::published::{Here, figures, reproduce};

    #[test]
    fn a_figure_has_sentences_a_chart_and_numbers() {
        let run = run(rows());
        let here = Here { record: &run.record, rows: &run.summary, streams: &[] };
        let mut table = figures();
        table.retain(|figure| figure.id == "tab5.1");
        let published = reproduce(table, &here);
        let mut input = ReportInput::for_run(&run);
        assert_eq!(section(&input).expect("nothing").into_string(), "");
        input.published = &published;
        let text = section(&input).expect("a section").into_string();
        let page = roxmltree::Document::parse(&text).expect("well formed");
        let count = |name: &str| page.descendants().filter(|it| it.has_tag_name(name)).count();
        let values = published[0].figure.values.len();
        assert_eq!(count("tr"), 1 + values);
        assert_eq!(count("h3"), 1);
        assert!(text.contains("<svg") && text.contains("Holds here, 2.00 ×"), "{text}");
    }
}
