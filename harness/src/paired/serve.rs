//! Main loop of a child: takes samples on request. See [`protocol`](super::protocol).

use std::time::Instant;

use reports::record::Software;

use super::protocol::{BlockRequest, InputPoints, PreparedInput, Request, Response, VERSION};
use crate::measure::input_groups::{self, InputSlot};
use crate::measure::{InputState, Resources};
use crate::plan::{Candidates, Plan};
use crate::platform::{self, Exit};
use crate::workers::{IpcError, recv, send};

/// Message for an input that does not exist, or without usable points.
const NONE: &str = "no point of this input can be measured";

/// Error of the channel or the protocol.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The other side is not a coordinator of this version.
    #[error(
        "`bench sample --serve` is for `bench run SUITE --against RUN`, which asks otherwise: {0}"
    )]
    UnknownRequest(String),
    /// The channel can't be read or written any more.
    #[error("standard output: {0}")]
    Channel(std::io::Error),
}

impl From<IpcError> for ServeError {
    fn from(error: IpcError) -> Self {
        match error {
            IpcError::NotUnderstood(problem) => ServeError::UnknownRequest(problem),
            IpcError::PeerClosed(error) => ServeError::Channel(error),
        }
    }
}

impl ServeError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            ServeError::UnknownRequest(_) => Exit::Usage,
            ServeError::Channel(_) => Exit::Failed,
        }
    }
}

/// Serves requests until the input is closed.
pub(crate) fn serve() -> Result<(), ServeError> {
    let mut is_known = false;
    let inputs = loop {
        match recv()? {
            None => return Ok(()),
            Some(Request::Hello { again, .. }) => {
                is_known = again;
                send(&hello(again))?;
            }
            Some(Request::Open { inputs }) => break inputs,
            Some(_) => send(&error("inputs have to be opened first"))?,
        }
    };
    let planned: Vec<_> = inputs.iter().map(|input| Plan::from_points(&input.points)).collect();
    let plans = planned.iter().filter_map(|(plan, _)| plan.as_ref());
    let resources = match Resources::to_serve(plans, is_known) {
        Ok(resources) => resources,
        Err(problem) => return Ok(send(&error(problem))?),
    };
    let slots = input_groups::input_slots(inputs.len());
    let mut server = Server::new(&resources, &inputs, &planned, &slots);
    send(&server.opened())?;
    while let Some(request) = recv()? {
        let response = server.respond(request).unwrap_or_else(error);
        send(&response)?;
    }
    Ok(())
}

fn hello(again: bool) -> Response {
    let software = if again { Software::default() } else { platform::software() };
    Response::Hello { protocol: VERSION, software: Box::new(software) }
}

fn error(problem: impl ToString) -> Response {
    Response::Error { problem: problem.to_string() }
}

/// Inputs by index.
struct Server<'p>(Vec<ServedInput<'p>>);

struct ServedInput<'p> {
    seed: u64,
    plan: Option<&'p Plan>,
    slot: &'p InputSlot,
    /// Candidate of each point.
    candidates: &'p Candidates,
    /// Present if any point of the input can be measured.
    state: Option<InputState<'p>>,
}

impl<'p> Server<'p> {
    fn new(
        resources: &'p Resources,
        inputs: &[InputPoints],
        planned: &'p [(Option<Plan>, Candidates)],
        slots: &'p [InputSlot],
    ) -> Self {
        let served = inputs.iter().zip(planned).zip(slots);
        let served = served.map(|((input, (plan, candidates)), slot)| {
            let state = |plan: &'p Plan| {
                let planned = plan.inputs.first()?;
                Some(InputState::new(resources, plan, planned, input.seed))
            };
            ServedInput {
                seed: input.seed,
                plan: plan.as_ref(),
                slot,
                candidates,
                state: plan.as_ref().and_then(state),
            }
        });
        Server(served.collect())
    }

    /// Reasons for points that can't be measured, and the fingerprints of the others; these are
    /// empty if they are known.
    fn opened(&self) -> Response {
        let problems = |served: &ServedInput<'p>| {
            let points = served.candidates.iter();
            points.map(|candidate| candidate.clone().err()).collect()
        };
        let fingerprints = |served: &ServedInput<'p>| {
            let of_point = |candidate: &Result<usize, String>| {
                let known = served.state.as_ref().zip(candidate.as_ref().ok());
                known.map_or_else(String::new, |(state, &number)| state.fingerprint(number))
            };
            served.candidates.iter().map(of_point).collect()
        };
        Response::Open {
            unknown: self.0.iter().map(problems).collect(),
            fingerprints: self.0.iter().map(fingerprints).collect(),
        }
    }

    fn respond(&mut self, request: Request) -> Result<Response, String> {
        match request {
            Request::Hello { .. } | Request::Open { .. } => {
                Err("inputs are open already".to_owned())
            }
            Request::Prepare { input } => {
                let served = self.0.get_mut(input).ok_or(NONE)?;
                Ok(Response::Prepare(served.prepare()?))
            }
            Request::SampleBlock(order) => self.sample_block(&order),
            Request::Finish { input, point, stopped_by, samples } => {
                let (state, number) = self.find(input, point)?;
                let rows = state.summary(number, &stopped_by, &samples);
                Ok(Response::Finish { rows })
            }
        }
    }

    fn sample_block(&mut self, order: &BlockRequest) -> Result<Response, String> {
        let start = Instant::now();
        let (state, number) = self.find(order.input, order.point)?;
        let (rows, failed) = state.sample_one(number, order, start);
        Ok(Response::SampleBlock { rows, seconds: start.elapsed().as_secs_f64(), failed })
    }

    fn find(&mut self, input: usize, point: usize) -> Result<(&mut InputState<'p>, usize), String> {
        let found = self.0.get_mut(input).and_then(|served| {
            let candidate = served.candidates.get(point)?.as_ref().ok()?;
            Some((served.state.as_mut()?, *candidate))
        });
        found.ok_or_else(|| format!("there is no point {point} of input {input}"))
    }
}

impl ServedInput<'_> {
    /// Generates the input and checks its points.
    fn prepare(&mut self) -> Result<PreparedInput, String> {
        let served = self.plan.zip(self.state.as_mut());
        let (plan, state) = served.ok_or(NONE)?;
        let made = input_groups::make_case(self.slot, plan, &plan.inputs[0], self.seed);
        let (case, took) = made.map_err(|error| error.to_string())?;
        state.set_case(case, took);
        let refused = self.candidates.iter().map(|candidate| match candidate {
            Ok(number) => state.check_one(*number),
            Err(_) => Vec::new(),
        });
        let refused: Vec<_> = refused.collect();
        let quality = self.candidates.iter().map(|candidate| match candidate {
            Ok(number) => state.quality(*number),
            Err(_) => Vec::new(),
        });
        let work = case.work();
        Ok(PreparedInput {
            items: work.items,
            input_bytes: work.input_bytes,
            quality: quality.collect(),
            refused,
            generating_s: state.effort.generating_s,
            reference_s: state.effort.reference_s,
            checking_s: state.effort.checking_s,
        })
    }
}
