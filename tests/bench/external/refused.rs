//! Descriptions that can't be used: refused before anything runs.

use super::TASK;
use crate::common::folder;

#[track_caller]
fn refused(from: &str, to: &str, message: &str) {
    assert!(TASK.contains(from), "{from}");
    let folder = folder();
    folder.write("p.toml", TASK.replace(from, to));
    folder.bench("list copies --plugin p.toml").exits(2).says(message);
}

#[test]
fn a_sound_task_is_listed_and_verified() {
    let folder = folder();
    folder.write("p.toml", TASK);
    folder.bench("list copies --plugin p.toml").exits(0).prints("external-cp");
    folder.bench("verify copies --device cpu --plugin p.toml").exits(0).prints("0 wrong");
}

#[test]
fn tasks_that_can_not_tell_right_from_wrong_are_refused() {
    refused("seq {lines}", "true {lines}", "the right outputs of all hard inputs are empty");
    refused(
        "\"cp\", \"{input}\", \"{output}\"]\n[task",
        "\"sh\", \"-c\", \"cp {input} {output}; date +%N >> {output}\"]\n[task",
        "the reference has another output the second time",
    );
    refused("seq {lines} >", "date +%N{lines} >", "differ the second time, with the same seed");
    refused(
        "\"cp\", \"{input}\", \"{output}\"]\n[task",
        "\"false\", \"{input}\", \"{output}\"]\n[task",
        "the reference of copies ended with exit status: 1",
    );
    refused("output = \"txt\"", "output = \"csv\"\ncolumns = [\"a\"]", "it has no column \"a\"");
}

#[test]
fn names_that_are_taken_are_refused() {
    refused("\"copies\"", "\"sort\"", "there is a task of this name that bench has itself");
    refused("\"copies\"", "\"report\"", "has the name of a command");
    refused("[task.axes.lines]", "[task.axes.threads]", "has another meaning in commands");
    refused("task = \"copies\"", "task = \"copied\"", "the file has no variant for it");
    let twice = format!(
        "{TASK}[[variant]]\ntask = \"copies\"\nname = \"cp\"\ncommand = [\"cp\", \"{{input}}\", \"{{output}}\"]\n"
    );
    let folder = folder();
    folder.write("p.toml", twice);
    folder
        .bench("list copies --plugin p.toml")
        .exits(2)
        .says("has the name of one in the same file");
}

#[test]
fn variants_of_unknown_tasks_are_refused() {
    let folder = folder();
    let text = "[[variant]]\ntask = \"sotr\"\nname = \"a\"\ncommand = [\"cp\", \"{input}\", \"{output}\"]\n";
    folder.write("p.toml", text);
    folder.bench("list sort --plugin p.toml").exits(2).says("is for the task \"sotr\"");
    folder.write("p.toml", text.replace("sotr", "memory-kinds"));
    folder.bench("list sort --plugin p.toml").exits(2).says("whose outputs are in no files");
    folder.write("p.toml", "[[variant]\n");
    folder.bench("list sort --plugin p.toml").exits(2).says("p.toml:1:");
    folder.write("p.toml", [0xff, 0xfe]);
    folder.bench("list sort --plugin p.toml").exits(2).says("invalid utf-8");
}
