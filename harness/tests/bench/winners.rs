//! `bench winners`.

use crate::common::measuring;

#[test]
fn winners_are_reported_and_drawn() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 2k --segments 4,8 --order random,time --variant std-* --threads 1 \
                --samples 8 --quiet --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    let line = "winners run --out maps --format table --format csv=winners.csv";
    let reported = folder.bench(line).exits(0);
    let lines: Vec<&str> = reported.stdout.lines().collect();
    assert!(lines[1].contains("segments") && lines[1].contains("winner"), "{lines:?}");
    assert_eq!(lines.len(), 2 + 4, "{lines:?}");
    folder.has("maps/winners.svg maps/winners.png winners.csv");
    assert_eq!(folder.read("winners.csv").lines().count(), 1 + 4);
}

#[test]
fn points_that_are_not_there_have_no_winner() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 2k --segments 4 --variant std-stable --threads 1 --samples 3 --quiet \
                --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    folder.bench("winners run --out maps").exits(0).says("no map was drawn");
    folder.bench("winners run --over orders").exits(2).says("no such axis varies");
    let none = folder.bench("winners run --variant no-such-*").exits(5);
    none.says("has no such point");
}
