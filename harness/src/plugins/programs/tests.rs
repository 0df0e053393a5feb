use tasks::external::{Comparison, TimeSource};
use tasks::program_task::Items;

use super::*;

fn read_text(text: &str) -> Result<Programs, String> {
    parse("p.toml", text, Path::new("/lab")).map_err(|error| error.to_string())
}

fn problems(text: &str) -> String {
    read_text(text).err().expect("it makes no sense")
}

const SORT: &str = r#"
[[variant]]
task = "sort"
name = "by-hand"
command = ["./sort", "{input}", "{output}", "{threads}"]
input = "csv"
keys = ["address", "channel", "time"]
"#;

const WORDS: &str = r#"
[[task]]
name = "words"
summary = "count words"
item = "word"
head-lines = 1
input = "txt"
generate = ["./words", "{input}", "{count}", "{seed}"]
reference = ["./slow", "{input}", "{output}"]
keys = ["word"]
tolerances = { share = 1e-6 }
[task.axes.count]
default = "10k"
help = "words in a text"
[[task.hard]]
name = "none"
count = 0
[[task.hard]]
name = "ties"
file = "ties.txt"
[[variant]]
task = "words"
name = "fast"
command = ["./fast", "{input}", "{output}"]
report = "took ([0-9.]+)"
unit = "ms"
"#;

#[test]
fn a_variant_of_a_task_has_formats_and_a_comparison() {
    let programs = read_text(SORT).expect("valid");
    let variant = &programs.variants[0];
    assert_eq!((variant.task, variant.name), ("sort", "external-by-hand"));
    assert_eq!([&*variant.input_ending, &*variant.output_ending], ["csv", "csv"]);
    assert!(matches!(variant.time, TimeSource::Wall));
    let Comparison::Table(rules) = &variant.comparison else { panic!("it is a table") };
    assert_eq!(rules.keys, ["address", "channel", "time"]);
}

#[test]
fn a_task_has_axes_hard_inputs_and_variants() {
    let programs = read_text(WORDS).expect("valid");
    let task = &programs.tasks[0];
    assert_eq!((task.name, task.items), ("words", Items::Lines { head: 1 }));
    assert_eq!(task.axes[0].parse("2k"), Ok("2000".to_owned()));
    let names: Vec<&str> = task.hard_inputs.iter().map(|input| &*input.name).collect();
    assert_eq!(names, ["none", "ties"]);
    let variant = &programs.variants[0];
    assert_eq!(variant.comparison, task.comparison);
    assert!(matches!(variant.time, TimeSource::Report { .. }));
    assert_eq!(programs.commands().len(), 3);
}

#[test]
fn all_problems_are_reported_with_their_places() {
    let bad = SORT.replace("{output}", "{outptu}").replace("input = \"csv\"", "inptu = \"csv\"");
    let text = problems(&bad);
    assert!(text.contains("p.toml:5:1: command: there is no placeholder {outptu}"), "{text}");
    assert!(text.contains("p.toml:6:1: unknown key \"inptu\" of a variant"), "{text}");
    for (change, problem) in [
        (("unit = \"ms\"", ""), "report needs a unit"),
        (("([0-9.]+)", "[0-9.]+"), "it has no group"),
        (("[[task.hard]]", "[[task.soft]]"), "this task has no hard inputs"),
        (("reference", "refrence"), "this task has no reference"),
        (("default = \"10k\"", "default = \"many\""), "not a whole number"),
        (("unit = \"ms\"", "unit = \"ms\"\nkeys = [\"word\"]"), "keys belongs to the task words"),
        (("1e-6", "-1"), "not a tolerance"),
        (("{seed}", "{sed}"), "there are {input}, {seed}, {count}, {folder}"),
        (("count = 0", "count = \"few\""), "not a whole number"),
        (("name = \"words\"", "name = \"Words\""), "use lower case letters"),
    ] {
        let text = problems(&WORDS.replace(change.0, change.1));
        assert!(text.contains(problem), "{change:?}: {text}");
    }
    assert!(problems("").contains("it has no programs"));
}

#[test]
fn the_fingerprint_is_that_of_the_programs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.toml");
    let program = folder.path().join("sort");
    std::fs::write(&path, SORT).expect("written");
    let missing = fingerprint(&path).expect("readable");
    std::fs::write(&program, "one").expect("written");
    let one = fingerprint(&path).expect("readable");
    std::fs::write(&program, "two").expect("written");
    let two = fingerprint(&path).expect("readable");
    assert!(one != two && one != missing && one.starts_with("external:"), "{one} {two} {missing}");
}
