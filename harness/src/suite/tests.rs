//! Suite files and their expansion.

use std::collections::HashSet;

use reports::record::{Params, Point};
use tasks::device::Backend;

use super::*;
use crate::plan::Plan;

/// The head of a suite of one task, whose lines start on line 4.
const SORT: &str = "name = \"test\"\n[[task]]\nname = \"sort\"\n";

fn with_task(lines: &str) -> String {
    format!("{SORT}{lines}\n")
}

fn suite(text: &str) -> Suite {
    Suite::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// The problems as `line:column: text`.
fn problems(text: &str) -> Vec<String> {
    match Suite::parse("test.toml", text) {
        Err(SuiteError::Invalid(error)) => error.problems.iter().map(ToString::to_string).collect(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted: {text}"),
    }
}

/// Checks that there is one problem, with the expected start.
fn check(text: &str, expected: &str) {
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with(expected), "{found:?} for {expected}");
}

/// Checks each line of a table: text to append to `head`, in which `\n` starts a new line, and
/// the start of the problem.
fn check_each(head: &str, table: &str) {
    for case in table.lines().filter(|line| !line.trim().is_empty()) {
        let (text, expected) = case.split_once(" | ").expect("two cells");
        check(&(head.to_owned() + &text.trim().replace("\\n", "\n")), expected);
    }
}

#[test]
fn unknown_names_are_reported_with_their_position_in_the_file() {
    check_each(
        SORT,
        r#"
            vriants = "*" | 4:1: unknown key "vriants" of a task; did you mean "variants"?
            variants = ["rdst", "std-stabel"] | 4:21: unknown variant "std-stabel"; did you mean
            [task.axes]\nsegmets = 24 | 5:1: unknown axis "segmets" of sort; did you mean "segments"?
            segments = 24 | 4:1: segments is an axis; put it below [task.axes]
            [defaults]\nthread = 1 | 5:1: unknown key "thread" in the defaults; did you mean "threads"?
        "#,
    );
    check_each(
        "",
        r#"
            name = "t"\n[[task]]\nname = "srot" | 3:8: unknown task "srot"; did you mean "sort"?
            name = "t"\n[[task]]\nthreads = 1 | 2:1: this task has no name
            nmae = 1\nname = "t"\n[[task]]\nname = "sort" | 1:1: unknown key "nmae" of a suite; did you mean "name"?
            [[task]]\nname = "sort" | 1:1: this suite has no name
            name = "a/b"\n[[task]]\nname = "sort" | 1:8: use letters
        "#,
    );
}

#[test]
fn invalid_values_are_reported_with_their_position_in_the_file() {
    check_each(
        SORT,
        r#"
            threads = [1, 0] | 4:15: threads "0": use a number of 1 or more
            threads = true | 4:11: threads "true": use a number
            samples = "9..3" | 4:11: samples "9..3": use MIN..MAX
            max-time = "never" | 4:12: max-time "never": use a time
            precision = 0 | 4:13: precision "0": use a percentage
            seed = -1 | 4:8: seed "-1": use a whole number
            seed = [1, 2] | 4:1: seed takes one value, not a list
            cache = "warm" | 4:9: cache "warm": unknown cache
            device = ["gpu"] | 4:11: device "gpu": unknown device
            device = "emulator" | 4:10: device "emulator": the emulator shows
            places = "dies" | 4:10: places "dies": unknown places
            bind = "master" | 4:8: bind "master": unknown binding
            bind = "close+close" | 4:1: bind has 2 levels
            threads = [] | 4:1: threads needs at least one value
            threads = { a = 1 } | 4:11: threads takes numbers and strings; found: table
            axes = 3 | 4:1: axes is a table of its own; found: integer
            exclude = 3 | 4:1: exclude is a list of tables
            variants = "[" | 4:12: variant "[" is not a valid glob
            axes.digis = ["1k", "many"] | 4:21: digis "many": not a whole number
            axes.order = "sideways" | 4:14: order "sideways": unknown order
            axes.digis = 0 | 2:1: sort:
            axes = { digis = 5, rate = "1MHz" } | 2:1: sort: --digis and --rate
        "#,
    );
}

#[test]
fn syntax_is_reported_with_its_line() {
    check_each(
        "",
        r#"
            name = "t"\n[[task]\nthreads = 1 | 2:8: unclosed array table
            name = "t"\nname = "u" | 2:1: duplicate key
            name = "t"\n[task]\nname = "sort" | 2:2: task is a list of tables
        "#,
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = "name = \"t\"\n[defaults]\ncach = \"hot\"\nthreads = 0\n[[task]]\nname = \"srot\"\n\
        [[task]]\nname = \"sort\"\nvariants = \"x*\"\n[task.axes]\nsegmets = 1\norder = \"up\"\n\
        [[task.exclude]]\nvaraint = \"rdst\"\n[[task.include]]\ndigs = 5\n";
    let found = problems(text);
    let lines = found.iter().filter_map(|problem| problem.split(':').next());
    let expected = ["3", "4", "6", "9", "11", "12", "14", "16"];
    assert!(lines.eq(expected), "{found:#?}");
    let error = Suite::parse("t.toml", text).err().expect("an error").to_string();
    assert!(error.starts_with("8 problems in t.toml\nt.toml:3:1: unknown key"));
}

#[test]
fn an_exclude_that_drops_nothing_is_a_typo() {
    check_each(
        SORT,
        r#"
            axes.order = ["random", "time"]\n[[task.exclude]]\nvariant = "rdst"\norder = "jitter:3" | 7:1: no point of the task has this order
            variants = "rdst"\n[[task.exclude]]\nvariant = "concat" | 6:1: no point of the task has this variant
            bind = ["false", "close"]\n[[task.exclude]]\nplaces = "none"\nbind = "close" | 5:1: no point meets all of this
            [[task.exclude]] | 4:1: this exclude is empty
        "#,
    );
}

#[test]
fn points_that_are_there_twice_are_refused() {
    check(&with_task("[[task.include]]"), "4:1: std-stable with");
    let twice = "[[task]]\nname = \"sort\"\nvariants = \"rdst\"\nthreads = 1";
    let text = format!("name = \"t\"\n{twice}\n{twice}\n");
    check(&text, "6:1: rdst with 1 thread and digis=20000000;");
}

#[test]
fn a_suite_without_points_is_refused() {
    check("name = \"t\"", "1:1: no point is left to be measured");
    check_each(
        SORT,
        r#"
            [[task.exclude]]\nvariant = "*" | 1:1: no point is left
            device = "cuda:0"\nvariants = ["std-*"] | 1:1: no point is left
        "#,
    );
}

const PRODUCT: &str = r#"
    variants = ["std-*", "rdst"]
    threads = [1, 2]
    cache = ["hot", "cold"]
    [task.axes]
    digis = ["1k", 2_000]
    order = ["random", "time"]
    duplicates = 0.5
    [[task.exclude]]
    variant = "std-*"
    order = "random"
    threads = 2
    [[task.exclude]]
    digis = "2k"
    cache = "cold"
    [[task.include]]
    digis = "9k"
    threads = 4
    seed = 7
"#;

#[test]
fn a_product_loses_what_is_excluded_and_gains_what_is_included() {
    let suite = suite(&with_task(PRODUCT));
    let [product, include] = &suite.parts[..] else {
        panic!("{} parts", suite.parts.len());
    };
    // 3 variants × 2 threads × 2 caches × 2 digis × 2 orders; the first
    // exclude drops 2 × 2 × 2, the second 3 × 2 × 2, and both of them 2.
    assert_eq!(product.points().count(), 48 - 8 - 12 + 2);
    let has = |point: &Point, axis, value| point.params.get(axis) == Some(value);
    let first = |point: &Point| {
        has(point, "order", "random") && point.threads == 2 && point.variant.starts_with("std")
    };
    let second = |point: &Point| has(point, "digis", "2000") && point.cache == "cold";
    assert!(!suite.points().any(|point| first(point) || second(point)));
    assert_eq!(include.points().count(), 3 * 2);
    let first = "digis=9000;duplicates=0.5;order=random;segments=1792;skew=1;timeslice=2147483648";
    let first: Params = first.parse().expect("well formed");
    let is_included = |point: &Point| point.params == first && point.threads == 4;
    assert!(include.points().all(is_included));
    assert_eq!((product.settings.seed, include.settings.seed), (1, 7));
}

#[test]
fn defaults_are_overridden_by_tasks() {
    let text = "name = \"t\"\n[defaults]\nthreads = [1, 2]\nmax-time = \"2s\"\nbind = false\n\
        [[task]]\nname = \"sort\"\nthreads = 3\nplaces = [\"cores\", \"{0}\"]\nbind = \"close\"\n";
    let suite = suite(text);
    let settings = &suite.parts[0].settings;
    let two = Duration::from_secs(2);
    assert_eq!((settings.thread_counts(), settings.max_time), (vec![3.into()], two));
    let variants = suite.parts[0].task.variants();
    let on_cpu = variants.iter().filter(|info| info.backend == Backend::Cpu);
    assert_eq!(suite.points().count(), 2 * on_cpu.count());
    let points = suite.points();
    let cpu_sets: HashSet<_> = points.map(|it| (&it.cpu_sets[..], &it.bind[..])).collect();
    let expected = [("cores", "close"), ("{0}", "close")];
    assert_eq!(cpu_sets, HashSet::from(expected));
}

/// The points that a plan has.
fn planned(part: &Part) -> Vec<Point> {
    let plan = Plan::new(&part.request(&[])).unwrap_or_else(|failure| panic!("{failure}"));
    plan.points().collect()
}

#[test]
fn the_plan_of_a_part_has_all_points_that_it_keeps() {
    let lines = format!("bind = [\"false\", \"close\"]\n{PRODUCT}");
    for part in &suite(&with_task(&lines)).parts {
        let planned = planned(part);
        let kept: HashSet<_> = planned.iter().filter(|point| part.keeps(point)).collect();
        assert_eq!(kept, part.points().collect());
        assert_eq!(kept.len(), part.points().count());
    }
}

#[test]
fn equal_hashes_are_the_same_suite() {
    let hash = |lines: &str| suite(&with_task(&format!("threads = 1\n{lines}"))).hash;
    let base = hash("variants = \"std-*\"\n");
    assert_eq!(base.len(), 16);
    let same = "variants = [\"std-unstable\", \"std-stable\"]\n";
    assert_eq!(base, hash(same));
    for other in
        ["seed = 2", "samples = 10", "max-time = \"9s\"", "precision = 2", "cache = \"cold\""]
    {
        let lines = format!("variants = \"std-*\"\n{other}\n");
        assert_ne!(base, hash(&lines), "{other}");
    }
}

#[test]
fn no_axis_is_named_as_a_key() {
    for task in crate::registry::tasks() {
        for axis in task.axes() {
            let others = ["name", "variants", "variant", "axes", "exclude", "include"];
            let mut keys = settings::KEYS.into_iter().chain(others);
            assert!(!keys.any(|key| key == axis.name), "{}", axis.name);
        }
    }
}

#[test]
fn a_product_too_large_to_measure_is_refused_before_generation() {
    let numbers: Vec<_> = (1..=200).map(|number: u32| number.to_string()).collect();
    let list = numbers.join(", ");
    let axes = format!("axes = {{ digis = [{list}], segments = [{list}] }}");
    check(&with_task(&axes), "2:1: 40000 combinations of axes");
}

#[test]
fn parts_that_can_t_run_here_are_left_out_unless_that_is_all() {
    let task = |device: &str| {
        format!(
            "[[task]]\nname = \"sort\"\nvariants = [\"block-merge\"]\ndevice = \"{device}\"\n\
             axes = {{ segments = 24, digis = \"1k\" }}\n"
        )
    };
    let suite = |tasks: &[String]| {
        let text = format!("name = \"s\"\n{}", tasks.concat());
        Suite::parse("s", &text).unwrap_or_else(|error| panic!("{error}"))
    };
    let mut mixed = suite(&[task("cpu"), task("cuda:9")]);
    let hash = mixed.hash.clone();
    let left_out = mixed.leave_out_unusable();
    assert_eq!(left_out.notes.len(), 1);
    assert!(left_out.notes[0].starts_with("left out: 1 point of sort: cuda:9: "));
    assert_eq!(left_out.devices, ["cuda:9".parse().expect("a device")]);
    assert_eq!((mixed.parts.len(), mixed.hash), (1, hash));
    let mut none = suite(&[task("cuda:9")]);
    assert!(none.leave_out_unusable() == LeftOut::default() && none.parts.len() == 1);
}

#[test]
fn paths_of_plugins_begin_where_the_suite_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = folder.path().join("mine.toml");
    let plugins_of = |text: &str| {
        std::fs::write(&suite, text).expect("written");
        let file = SuiteFile::read(&suite).map_err(|error| error.to_string());
        file.map(|file| file.plugins)
    };
    let here = folder.path().join("libmine.so");
    let named = "name = \"mine\"\nplugins = [\"libmine.so\", \"/opt/other.so\"]\n";
    assert_eq!(plugins_of(named), Ok(vec![here, "/opt/other.so".into()]));
    assert_eq!(plugins_of("name = \"mine\"\n"), Ok(Vec::new()));
    let error = plugins_of("plugins = { file = \"libmine.so\" }\n").expect_err("no list");
    assert!(error.contains("mine.toml:1:11"), "{error}");
}
