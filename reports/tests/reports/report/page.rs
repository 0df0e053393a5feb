//! Content and size of the page and of the text for a merge request; numbers that are not finite
//! are not displayed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use reports::rank::Rank;
use reports::record::SummaryRow;
use reports::report::{ReportInput, html, markdown};
use reports::run_table::{Detail, RunTable};
use reports::screen::Screen;
use reports::store::Run;
use reports::table::{Format, Tabular};

use super::fixture::{Fixture, HOSTILE, large, row, run};

fn page() -> String {
    html(&Fixture::new().input()).expect("a page")
}

/// A page of a single run.
fn page_of(run: &Run) -> String {
    html(&ReportInput::for_run(run)).expect("a page")
}

/// The values of an attribute in the order of the page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let values = page.split(start.as_str()).skip(1);
    values.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn values_of_a_run_are_escaped() {
    let fixture = Fixture::new();
    let mut input = fixture.input();
    input.title = Some(HOSTILE);
    let page = html(&input).expect("a page");
    assert!(!page.contains("<script"), "a script is in the page");
    for expected in [
        "&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;amp;",
        "EPYC &lt;9000&gt; &amp; &quot;more&quot;",
        "results/&lt;accepted&gt;",
        "input &lt;i&gt;.csv",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = page();
    let targets = ["href", "src", "xlink:href"].map(|name| values(&page, name)).concat();
    let is_inside = |target: &&str| target.starts_with('#') || target.starts_with("data:");
    assert!(targets.len() > 5);
    assert!(targets.iter().all(is_inside), "{targets:?}");
    assert!(!page.contains("url(") && !page.contains("@import"));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn every_section_is_there() {
    let page = page();
    for heading in [
        "What changed",
        "Machines",
        "sort",
        "Charts",
        "Tables",
        "Stages",
        "Share of the measured ceilings",
        "History",
        "Without a valid time",
        "Methods",
        "Raw data",
        "To run it again",
    ] {
        let found = ["h2", "h3"].map(|tag| format!("<{tag}>{heading}</{tag}>"));
        assert!(found.iter().any(|text| page.contains(text)), "{heading}");
    }
}

#[test]
fn missing_content_has_no_section() {
    let page = page_of(&run(vec![row("a", "n=1", 1e-3)]));
    for heading in ["What changed", "Stages", "History", "Without a valid time"] {
        assert!(!page.contains(&format!(">{heading}</h")), "{heading}");
    }
    assert!(page.contains("<h2>Machine</h2>"));
}

#[test]
fn headings_leave_no_level_out() {
    let page = page();
    let levels = page.split("<h").skip(1);
    let levels = levels.filter_map(|rest| rest.chars().next()?.to_digit(10));
    let levels: Vec<u32> = levels.collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn pictures_have_words_and_links_have_targets() {
    let page = page();
    // Charts are within an element with a label, all others have their own.
    let (charts, own) =
        (page.matches("class=\"chart\"").count(), page.matches("<svg class=").count());
    assert_eq!(page.matches("<svg").count(), charts + own);
    let stacked = page.matches("class=\"stacked\"").count();
    assert_eq!(page.matches("role=\"img\"").count(), charts + own + stacked);
    let labels = values(&page, "aria-label");
    assert!(labels.iter().all(|label| !label.is_empty()));
    let ids: Vec<&str> = values(&page, "id");
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len());
    let links = values(&page, "href").into_iter();
    for link in links.filter_map(|link| link.strip_prefix('#')) {
        assert!(distinct.contains(link), "#{link}");
    }
}

#[test]
fn machines_are_listed_and_not_mixed() {
    let page = page();
    assert!(page.contains("Another CPU"));
    // Seven earlier runs, one of them on another machine.
    assert!(page.contains("Medians of 7 runs on this machine"), "history");
    assert!(page.contains("commit c0ffee000003") && !page.contains("commit c0ffee000004"));
}

#[test]
fn stages_make_up_the_whole() {
    let page = page();
    let words = "count 200 µs (20 %), scatter 500 µs (50 %), sort within channels 220 µs (22 %), \
        other 80.0 µs (8 %)";
    assert!(page.contains(words));
}

#[test]
fn five_hundred_points_make_a_page_that_can_be_sent() {
    let page = page_of(&large());
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    assert!(page.contains("download=\"samples.csv.gz\""));
}

#[test]
fn a_run_without_any_valid_point_has_a_page_that_says_why() {
    let mut refused = row("a", "n=1", 1.0);
    refused.valid = reports::record::YesNo::No;
    refused.note = "digi 3 differs".into();
    let page = page_of(&run(vec![refused]));
    assert!(page.contains("digi 3 differs"));
    assert!(!page.contains("<h3>Charts</h3>"));
}

/// Points that took no time, and one that did.
fn instant() -> Run {
    let timeless = |variant: &str| SummaryRow {
        items_per_s: None,
        bytes_per_s: None,
        peak_fraction: None,
        ..row(variant, "digis=1000", 0.0)
    };
    run(vec![timeless("a"), timeless("b"), row("c", "digis=1000", 1e-3)])
}

/// Words of a text that parse as numbers but are not.
fn odd_words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| ["NaN", "inf"].contains(word)).collect()
}

#[test]
fn a_report_omits_unknown_values() {
    let run = instant();
    let mut fixture = Fixture::new();
    for point in &mut fixture.comparison.points {
        (point.ratio, point.interval) = (f64::NAN, None);
    }
    let mut input = fixture.input();
    input.run = &run;
    let page = html(&input).expect("a page");
    // Packed or embedded data contain such letters by chance.
    let parts = page.split("base64,").map(|part| match part.find('"') {
        Some(end) if !part.starts_with('<') => &part[end..],
        _ => part,
    });
    for part in parts {
        assert_eq!(odd_words(part), [""; 0]);
    }
    assert_eq!(odd_words(&markdown(&input)), [""; 0]);
}

#[test]
fn tables_omit_them_too() {
    let Run { record, summary: rows, .. } = instant();
    let table = RunTable { run: &record, rows: &rows, rank: Rank::Total, detail: Detail::Ranking };
    for format in [Format::Table, Format::Markdown, Format::Csv, Format::Json] {
        let text = table.render(format, Screen::default()).expect("a table");
        assert_eq!(odd_words(&text), [""; 0], "{text}");
    }
}

#[test]
fn all_lines_of_a_table_have_the_same_columns() {
    let text = markdown(&Fixture::new().input());
    let mut columns = None;
    for line in text.lines() {
        let bars = line.replace("\\|", "").matches('|').count();
        match columns {
            _ if !line.starts_with('|') => columns = None,
            None => columns = Some(bars),
            Some(columns) => assert_eq!(bars, columns, "{line}"),
        }
    }
    assert!(!text.contains("<script"));
    assert!(!text.contains("SAME** |"), "what is the same is only counted");
}

#[test]
fn a_large_run_stays_short() {
    let fixture = Fixture::new();
    let run = large();
    let mut input = fixture.input();
    input.run = &run;
    let text = markdown(&input);
    assert!(text.lines().count() < 150, "{text}");
    assert!(text.contains("and 92 more settings"), "{text}");
}

/// Measurements of a browser for a page in a frame of some width.
#[derive(Debug)]
struct PageMeasurements {
    /// `inner=360 overflow=0 broken=0 drawn=true`
    measures: String,
    /// Messages in its log.
    console: Vec<String>,
}

/// The binary of Chromium; `None` if there is none.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = folders.iter().flat_map(|folder| names.map(|name| folder.join(name)));
    let found = named.or_else(|| found.into_iter().find(|path| path.is_file()));
    if found.is_none() {
        eprintln!("skipped: no chromium");
    }
    found
}

/// A page around `page.html` that measures it with everything unfolded.
///
/// A window can't be as narrow as a phone, a frame can.
fn probe(width: u32) -> String {
    format!(
        r#"<!doctype html><title>probe</title>
<iframe id="frame" src="page.html" style="border:0;width:{width}px;height:800px"></iframe>
<pre id="seen">nothing</pre>
<script>
addEventListener("load", () => {{
  const frame = document.getElementById("frame"), page = frame.contentDocument;
  const root = page.documentElement;
  page.querySelectorAll("details").forEach(part => part.open = true);
  const images = [...page.images].filter(image => !image.complete || !image.naturalWidth);
  const empty = [...page.querySelectorAll("svg")].filter(svg => !svg.getBoundingClientRect().width);
  document.getElementById("seen").textContent =
    `inner=${{frame.contentWindow.innerWidth}} overflow=${{root.scrollWidth - root.clientWidth}} ` +
    `broken=${{images.length + empty.length}} drawn=${{page.querySelectorAll("svg").length > 0}}`;
}});
</script>"#
    )
}

fn seen(chromium: &Path, page: &str, width: u32) -> PageMeasurements {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("probe.html");
    std::fs::write(folder.path().join("page.html"), page).expect("written");
    std::fs::write(&file, probe(width)).expect("written");
    let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        // Otherwise the probe may not access the frame.
        .arg("--allow-file-access-from-files")
        .args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=20000"])
        .args(["--window-size=1400,900", "--dump-dom", &profile])
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("chromium runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let dom = text(&output.stdout);
    let measures = dom.split("<pre id=\"seen\">").nth(1);
    let measures = measures.and_then(|rest| rest.split("</pre>").next());
    let errors = text(&output.stderr);
    let console = errors.lines().filter(|line| line.contains("CONSOLE"));
    PageMeasurements {
        measures: measures.unwrap_or(&dom).to_owned(),
        console: console.map(str::to_owned).collect(),
    }
}

fn check(page: &str) {
    let Some(chromium) = chromium() else {
        return;
    };
    for width in [360, 1280] {
        let seen = seen(&chromium, page, width);
        let expected = format!("inner={width} overflow=0 broken=0 drawn=true");
        assert_eq!(seen.measures, expected, "{seen:?}");
        assert!(seen.console.is_empty(), "{seen:?}");
    }
}

#[test]
fn a_page_fits_phones_and_screens_without_errors() {
    check(&html(&Fixture::new().input()).expect("a page"));
}

#[test]
fn a_large_page_does_too() {
    let fixture = Fixture::new();
    let run = large();
    let mut input = fixture.input();
    input.run = &run;
    check(&html(&input).expect("a page"));
}
