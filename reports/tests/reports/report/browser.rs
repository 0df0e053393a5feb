//! Pages in a real browser, if one is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use reports::report::html;

use super::fixture::{Fixture, large};

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
