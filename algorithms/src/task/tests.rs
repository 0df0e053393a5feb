//! Inputs that are shared, and references that are freed.

use super::*;
use crate::device::Team;
use crate::registry::tasks;
use crate::sts::task::Timeslices;

#[test]
fn an_input_is_made_once_for_all_tasks_that_take_it() {
    let tasks = tasks();
    let named = |name: &str| *tasks.iter().find(|task| task.name() == name).expect(name);
    let mut params = Params::default();
    params.set("preset", "mcbm-2024");
    params.set("scale", "0.001");
    let params = named("presort").plan(params).expect("sensible").params;
    let of_hits = named("hits").plan(params.clone());
    assert_eq!(of_hits.expect("sensible").params, params);
    let cases =
        ["presort", "hits", "sts"].map(|name| named(name).generate(&params, 77).expect("made"));
    let digis = cases.each_ref().map(|case| case.work().items);
    assert!(digis[0] > 0 && digis == [digis[0]; 3]);
    let not_there = || Err::<_, ()>(());
    let asked = ("sts", &params, 77);
    let input = shared_inputs::shared(asked, |_: &Timeslices| 0, not_there);
    let holders = Arc::strong_count(&input.expect("it was made"));
    assert!(holders > cases.len(), "{holders}");
}

#[test]
fn released_references_are_found_anew() {
    let team = Team::new(1).expect("a thread");
    let place = Place::host(&team);
    for task in tasks() {
        let (_, case) = task.hard_cases(5).swap_remove(0);
        let Ok(mut candidate) = case.prepare(0, &place) else {
            continue;
        };
        for _ in 0..2 {
            let ran = candidate.reset().and_then(|()| candidate.run());
            assert_eq!(ran, Ok(()));
            assert!(candidate.check().is_ok(), "{}", task.name());
            case.release_references();
        }
    }
}
