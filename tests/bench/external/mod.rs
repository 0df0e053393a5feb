//! External programs: variants and tasks of a description, measured and verified as any others, and
//! failing in all ways that programs have.

mod example;
mod failing;
mod refused;
mod startup;

/// A variant of `sort`, by a shell command with `{input}` and `{output}`.
fn variant(command: &str, keys: &str) -> String {
    format!(
        "[[variant]]\ntask = \"sort\"\nname = \"shell\"\n\
         command = [\"sh\", \"-c\", '''{command}''']\ninput = \"csv\"\n{keys}\n"
    )
}

/// A task of programs.
const TASK: &str = r#"
[[task]]
name = "copies"
input = "txt"
output = "txt"
item = "line"
generate = ["sh", "-c", "seq {lines} > {input}"]
reference = ["cp", "{input}", "{output}"]
[task.axes.lines]
default = 10
[[task.hard]]
name = "five"
lines = 5
[[variant]]
task = "copies"
name = "cp"
command = ["cp", "{input}", "{output}"]
"#;

/// Sorts digis as the task has them.
const SORT: &str = "LC_ALL=C; export LC_ALL; head -n 1 {input} > {output}; tail -n +2 {input} | \
                    sort -s -t , -k 2,2n -k 1,1n -k 3,3n -k 4,4n >> {output}";
