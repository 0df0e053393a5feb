//! Tests of shared inputs.

use std::sync::Arc;

use crate::sts::task::Timeslices;
use tasks::axis::Params;
use tasks::shared_inputs::{self, InputKey};

#[test]
fn an_input_is_made_once_for_all_tasks_that_use_it() {
    let named =
        |name: &str| *crate::TASKS.tasks.iter().find(|task| task.name() == name).expect(name);
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
    let key = InputKey { name: "sts", params: &params, seed: 77 };
    let input = shared_inputs::shared(key, |_: &Timeslices| 0, not_there);
    let holders = Arc::strong_count(&input.expect("it was made"));
    assert!(holders > cases.len(), "{holders}");
}
