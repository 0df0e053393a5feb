//! Common elements of several sections.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

/// Wide content in a scrollable box, so that the page itself does not scroll.
pub fn scrolling(label: &str, content: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) { (content) }
    }
}

/// Number of omitted items.
pub fn and_more(hidden: usize, what: &str) -> Markup {
    html! {
        @if hidden > 0 { p.quiet { "And " (hidden) " more " (what) "." } }
    }
}

/// Names with values; unknown and empty ones are omitted.
pub fn facts(list: &[(&str, Option<String>)]) -> Markup {
    let known = list.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    html! {
        dl.facts {
            @for (name, value) in known.filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { (value.escaped().at_most(SENTENCE)) } }
            }
        }
    }
}

/// A number of an SVG attribute, to a tenth of a pixel.
pub fn pixels(value: f64) -> String {
    format!("{value:.1}")
}
