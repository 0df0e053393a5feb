//! A child of a coordinator: takes samples when it is asked to. See
//! [`duet::protocol`](crate::duet::protocol).

use std::io::{BufRead, Write};
use std::time::Instant;

use reports::record::{SampleRow, Software, SummaryRow};

use super::cases::{self, CaseCell};
use super::gpu::on_gpu::Care;
use super::input::InputState;
use super::workplace::Workplace;
use crate::duet::protocol::{Answer, Ask, InputPoints, Prepared, VERSION, VisitOrder};
use crate::failure::Failure;
use crate::plan::Plan;
use crate::platform;

/// Answers until nobody asks any more.
///
/// # Errors
/// If the channel breaks, or is no channel of this protocol.
pub(crate) fn serve(asks: impl BufRead, mut answers: impl Write) -> Result<(), Failure> {
    let mut lines = asks.lines();
    let mut next = || -> Result<Option<Ask>, Failure> {
        let line = lines.next().transpose()?;
        line.map(|line| parse(&line)).transpose()
    };
    let mut answer = |answer: &Answer| -> Result<(), Failure> {
        let text = serde_json::to_string(answer).map_err(std::io::Error::from)?;
        writeln!(answers, "{text}")?;
        Ok(answers.flush()?)
    };
    let mut is_known = false;
    let inputs = loop {
        match next()? {
            None => return Ok(()),
            Some(Ask::Hello { again, .. }) => {
                is_known = again;
                answer(&hello(again))?;
            }
            Some(Ask::Open { inputs }) => break inputs,
            Some(_) => answer(&error("inputs have to be opened first"))?,
        }
    };
    let (plans, places, unknown) = planned(&inputs);
    let opened = Workplace::of(plans.iter().flatten(), Care::Full);
    let workplace = match opened {
        Ok(workplace) if is_known => workplace.of_what_is_known(),
        Ok(workplace) => workplace,
        Err(problem) => return answer(&error(problem)),
    };
    let cells = cases::cells(inputs.len());
    let mut server = Server::new(&workplace, &inputs, &plans, &places, &cells);
    let fingerprints = server.fingerprints();
    answer(&Answer::Open {
        unknown,
        fingerprints,
    })?;
    while let Some(ask) = next()? {
        let said = server.answer(ask).unwrap_or_else(error);
        answer(&said)?;
    }
    Ok(())
}

fn parse(line: &str) -> Result<Ask, Failure> {
    serde_json::from_str(line).map_err(|problem| {
        Failure::Usage(format!(
            "`bench sample --serve` is for `bench run --against`, which asks otherwise: {problem}"
        ))
    })
}

fn hello(again: bool) -> Answer {
    let software = match again {
        true => Software::default(),
        false => platform::software(),
    };
    Answer::Hello {
        protocol: VERSION,
        software: Box::new(software),
    }
}

fn error(problem: impl ToString) -> Answer {
    Answer::Error {
        problem: problem.to_string(),
    }
}

/// Where a point is in the plan of its input; `None` if it can't be measured.
type Places = Vec<Vec<Option<usize>>>;

/// Why a point can't be measured, by input and point.
type Problems = Vec<Vec<Option<String>>>;

/// A plan for each input that has points which can be measured, where its points are in
/// it, and why others can't be.
fn planned(inputs: &[InputPoints]) -> (Vec<Option<Plan>>, Places, Problems) {
    let (mut plans, mut places, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for input in inputs {
        let (plan, problems) = Plan::of_points(&input.points);
        let mut next = 0..;
        let place = |problem: &Option<String>| match problem {
            None => next.next(),
            Some(_) => None,
        };
        places.push(problems.iter().map(place).collect());
        plans.push(plan);
        unknown.push(problems);
    }
    (plans, places, unknown)
}

/// Inputs that are prepared and sampled by their numbers.
struct Server<'p> {
    states: Vec<Option<InputState<'p>>>,
    inputs: &'p [InputPoints],
    plans: &'p [Option<Plan>],
    places: &'p Places,
    cells: &'p [CaseCell],
}

impl<'p> Server<'p> {
    fn new(
        workplace: &'p Workplace,
        inputs: &'p [InputPoints],
        plans: &'p [Option<Plan>],
        places: &'p Places,
        cells: &'p [CaseCell],
    ) -> Self {
        let state = |(input, plan): (&InputPoints, &'p Option<Plan>)| {
            let plan = plan.as_ref()?;
            let planned = plan.inputs.first()?;
            Some(InputState::new(workplace, plan, planned, input.seed))
        };
        Server {
            states: inputs.iter().zip(plans).map(state).collect(),
            inputs,
            plans,
            places,
            cells,
        }
    }

    fn answer(&mut self, ask: Ask) -> Result<Answer, Failure> {
        match ask {
            Ask::Hello { .. } | Ask::Open { .. } => Ok(error("inputs are open already")),
            Ask::Prepare { input } => self.prepare(input),
            Ask::Visit(order) => self.visit(order),
            Ask::Finish {
                input,
                point,
                stopped_by,
                samples,
            } => {
                let (state, number) = self.find(input, point)?;
                let rows = state.summary(number, &stopped_by, &samples);
                Ok(Answer::Finish { rows })
            }
        }
    }

    /// Those of all points; empty where they can't be measured, or are known.
    fn fingerprints(&self) -> Vec<Vec<String>> {
        let of_input = |(state, places): (&Option<InputState<'p>>, &Vec<Option<usize>>)| {
            let of_point = |place: &Option<usize>| {
                let state = state.as_ref().zip(*place);
                state.map_or_else(String::new, |(state, number)| state.fingerprint(number))
            };
            places.iter().map(of_point).collect()
        };
        self.states.iter().zip(self.places).map(of_input).collect()
    }

    fn prepare(&mut self, input: usize) -> Result<Answer, Failure> {
        let plan = self.plans.get(input).and_then(Option::as_ref);
        let Some((plan, Some(state))) = plan.zip(self.states.get_mut(input)) else {
            return Ok(error("no point of this input can be measured"));
        };
        let seed = self.inputs[input].seed;
        let (case, took) = cases::make(&self.cells[input], plan, &plan.inputs[0], seed)?;
        state.hold(case, took);
        let work = case.work();
        let mut refused = Vec::new();
        for place in &self.places[input] {
            refused.push(place.map_or_else(Vec::new, |number| state.ready(number)));
        }
        Ok(Answer::Prepare(Prepared {
            items: work.items,
            input_bytes: work.input_bytes,
            refused,
            generating_s: state.effort.generating_s,
            reference_s: state.effort.reference_s,
            checking_s: state.effort.checking_s,
        }))
    }

    fn visit(&mut self, order: VisitOrder) -> Result<Answer, Failure> {
        let start = Instant::now();
        let (state, number) = self.find(order.input, order.point)?;
        let (rows, failed): (Vec<SampleRow>, Vec<SummaryRow>) = state.visit_one(number, &order);
        Ok(Answer::Visit {
            rows,
            seconds: start.elapsed().as_secs_f64(),
            failed,
        })
    }

    fn find(
        &mut self,
        input: usize,
        point: usize,
    ) -> Result<(&mut InputState<'p>, usize), Failure> {
        let places = self.places.get(input);
        let place = places.and_then(|places| *places.get(point)?);
        let state = self.states.get_mut(input).and_then(Option::as_mut);
        state
            .zip(place)
            .ok_or_else(|| Failure::Usage(format!("there is no point {point} of input {input}")))
    }
}
