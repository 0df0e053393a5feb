//! The events of a farm, in order of time.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::arrivals::{Arrival, Arrivals};
use crate::nodes::{Failures, Farm, WhenFull};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::service::{Drawn, Service, ServiceTime};

/// Maximum number of timeslices of a simulation: each takes some hundred bytes.
pub const MAX_TIMESLICES: u64 = 20_000_000;
/// Nodes that may fail with a timeslice until it is lost.
const MAX_NODES_OF_TIMESLICE: u8 = 2;

/// Simulates a farm; the same seed gives the same outcome.
///
/// # Errors
/// If the farm, what comes to it, or the service times can't be simulated.
pub fn simulate(
    farm: &Farm,
    arrivals: &Arrivals,
    service: &Service,
    seed: u64,
) -> Result<Outcome, Problem> {
    farm.check()?;
    arrivals.check()?;
    service.check()?;
    let count = arrivals.count();
    if count > MAX_TIMESLICES as f64 {
        return Err(Problem::TooMany(count));
    }
    let mut simulation = Simulation::new(*farm, *arrivals, service, seed);
    simulation.begin(count as u64);
    simulation.run();
    Ok(simulation.outcome())
}

/// Something that happens at a time.
#[derive(Clone, Copy, Debug)]
struct Event {
    at_s: f64,
    /// Order of events of the same time: that in which they were made.
    number: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A timeslice is emitted.
    Emitted(usize),
    /// A result is there.
    Result(Work),
    /// A worker is free again.
    Free(Work),
    /// No more is emitted, and what waits is left.
    End,
    Failure(usize),
    Noticed(usize),
    Return(usize),
}

/// A timeslice with a worker of a node, since it was up the last time.
#[derive(Clone, Copy, Debug)]
struct Work {
    node: usize,
    /// Number of failures of the node before.
    epoch: u32,
    timeslice: usize,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The earliest one is the largest: heaps have that first.
impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_s.total_cmp(&self.at_s).then(other.number.cmp(&self.number))
    }
}

#[derive(Clone, Copy, Debug)]
struct Timeslice {
    arrival: Arrival,
    /// Times of the worker that it went to last.
    time: ServiceTime,
    /// Nodes that it went to.
    nodes: u8,
}

/// A timeslice that a worker has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    timeslice: usize,
    since_s: f64,
}

#[derive(Clone, Debug, Default)]
struct Node {
    waiting: VecDeque<usize>,
    working: Vec<Begun>,
    drawn: Drawn,
    /// Workers that are between a result and the next timeslice.
    ending: usize,
    epoch: u32,
    is_down: bool,
    /// True if it gets nothing, as its failure was noticed.
    is_out: bool,
}

struct Simulation<'a> {
    farm: Farm,
    arrivals: Arrivals,
    service: &'a Service,
    random: Xoshiro256PlusPlus,
    events: BinaryHeap<Event>,
    numbers: u64,
    now_s: f64,
    timeslices: Vec<Timeslice>,
    /// Times of the source.
    drawn: Drawn,
    nodes: Vec<Node>,
    /// Timeslices that wait before the nodes.
    before: VecDeque<usize>,
    /// The node whose turn it is.
    next: usize,
    waiting: u64,
    busy_s: f64,
    is_over: bool,
    outcome: Outcome,
}

impl<'a> Simulation<'a> {
    fn new(farm: Farm, arrivals: Arrivals, service: &'a Service, seed: u64) -> Self {
        Simulation {
            farm,
            arrivals,
            service,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            events: BinaryHeap::new(),
            numbers: 0,
            now_s: 0.0,
            timeslices: Vec::new(),
            drawn: Drawn::default(),
            nodes: vec![Node::default(); farm.nodes],
            before: VecDeque::new(),
            next: 0,
            waiting: 0,
            busy_s: 0.0,
            is_over: false,
            outcome: Outcome { workers: farm.nodes * farm.workers, ..Outcome::default() },
        }
    }

    fn at(&mut self, at_s: f64, kind: Kind) {
        self.numbers += 1;
        self.events.push(Event { at_s, number: self.numbers, kind });
    }

    fn begin(&mut self, count: u64) {
        self.outcome.due = count;
        for number in 0..count {
            let arrival = self.arrivals.arrival(number, &mut self.random);
            let time = self.service.draw(arrival.is_pause, &mut self.drawn, &mut self.random);
            self.timeslices.push(Timeslice { arrival, time, nodes: 0 });
            let emitted_s = (arrival.due_s + time.before_s).min(self.arrivals.duration_s);
            self.at(emitted_s, Kind::Emitted(number as usize));
        }
        self.at(self.arrivals.duration_s, Kind::End);
        for node in 0..self.farm.nodes {
            self.plan_failure(node);
        }
    }

    fn run(&mut self) {
        while let Some(Event { at_s, kind, .. }) = self.events.pop() {
            self.now_s = at_s;
            match kind {
                Kind::Emitted(timeslice) => self.emit(timeslice),
                Kind::Result(work) => self.record_result(work),
                Kind::Free(work) => self.free(work),
                Kind::End => self.end(),
                Kind::Failure(node) => self.fail(node),
                Kind::Noticed(node) => self.notice(node),
                Kind::Return(node) => self.restore(node),
            }
        }
    }

    fn outcome(mut self) -> Outcome {
        let lasted_s = self.arrivals.duration_s * self.outcome.workers as f64;
        self.outcome.utilisation = self.busy_s / lasted_s;
        self.outcome
    }

    fn emit(&mut self, timeslice: usize) {
        if self.before.is_empty() && self.assign(timeslice) {
            return;
        }
        match self.farm.when_full {
            WhenFull::Drop => self.outcome.dropped += 1,
            WhenFull::Wait => {
                self.outcome.held += 1;
                self.before.push_back(timeslice);
                self.count_waiting(1);
            }
        }
    }

    fn count_waiting(&mut self, more: u64) {
        self.waiting += more;
        self.outcome.max_waiting = self.outcome.max_waiting.max(self.waiting);
    }

    /// Gives a timeslice to the next node, round robin, that takes it; false if none does.
    fn assign(&mut self, timeslice: usize) -> bool {
        let nodes = self.farm.nodes;
        let takes = |node: &Node| {
            !node.is_out && (self.is_idle(node) || node.waiting.len() < self.farm.queue)
        };
        let mut nodes_from_next = (0..nodes).map(|step| (self.next + step) % nodes);
        let Some(node) = nodes_from_next.find(|node| takes(&self.nodes[*node])) else {
            return false;
        };
        self.next = (node + 1) % nodes;
        self.timeslices[timeslice].nodes += 1;
        self.nodes[node].waiting.push_back(timeslice);
        self.count_waiting(1);
        self.start_work(node);
        true
    }

    fn is_idle(&self, node: &Node) -> bool {
        !node.is_down && node.working.len() + node.ending < self.farm.workers
    }

    /// Idle workers of a node take what waits there.
    fn start_work(&mut self, node: usize) {
        while self.is_idle(&self.nodes[node]) {
            let Some(timeslice) = self.nodes[node].waiting.pop_front() else { return };
            self.waiting -= 1;
            let own = &mut self.nodes[node];
            own.working.push(Begun { timeslice, since_s: self.now_s });
            let work = Work { node, epoch: own.epoch, timeslice };
            let begun = &mut self.timeslices[timeslice];
            let Arrival { is_pause, load, .. } = begun.arrival;
            let drawn = self.service.draw(is_pause, &mut own.drawn, &mut self.random);
            let time = ServiceTime { work_s: drawn.work_s * load, ..drawn };
            begun.time = time;
            self.at(self.now_s + time.work_s, Kind::Result(work));
            self.at(self.now_s + time.busy_s(), Kind::Free(work));
        }
    }

    /// True if the node has not failed since.
    fn is_current(&self, work: Work) -> bool {
        self.nodes[work.node].epoch == work.epoch
    }

    fn record_result(&mut self, work: Work) {
        if !self.is_current(work) {
            return;
        }
        let node = &mut self.nodes[work.node];
        node.working.retain(|begun| begun.timeslice != work.timeslice);
        node.ending += 1;
        self.busy_s += self.timeslices[work.timeslice].time.busy_s();
        self.outcome.done += 1;
        self.outcome.latencies_s.push(self.now_s - self.timeslices[work.timeslice].arrival.due_s);
    }

    fn free(&mut self, work: Work) {
        if !self.is_current(work) {
            return;
        }
        self.nodes[work.node].ending -= 1;
        self.start_work(work.node);
        self.assign_held();
    }

    /// Nodes take what waits before them.
    fn assign_held(&mut self) {
        while let Some(timeslice) = self.before.pop_front() {
            self.waiting -= 1;
            if !self.assign(timeslice) {
                self.before.push_front(timeslice);
                self.waiting += 1;
                return;
            }
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        let of_nodes: usize =
            self.nodes.iter_mut().map(|node| node.waiting.drain(..).count()).sum();
        self.outcome.backlog += (of_nodes + self.before.drain(..).count()) as u64;
        self.waiting = 0;
    }

    fn plan_failure(&mut self, node: usize) {
        let Some(Failures { between_s, .. }) = self.farm.failures else { return };
        let at_s = self.now_s - between_s * (1.0 - self.random.random::<f64>()).ln();
        if at_s < self.arrivals.duration_s {
            self.at(at_s, Kind::Failure(node));
        }
    }

    fn fail(&mut self, node: usize) {
        let Some(failures) = self.farm.failures else { return };
        self.outcome.failures += 1;
        let failed = &mut self.nodes[node];
        failed.is_down = true;
        failed.epoch += 1;
        failed.ending = 0;
        self.busy_s += failed.working.iter().map(|begun| self.now_s - begun.since_s).sum::<f64>();
        self.at(self.now_s + failures.noticed_s, Kind::Noticed(node));
        self.at(self.now_s + failures.repair_s.max(failures.noticed_s), Kind::Return(node));
    }

    /// Gives the timeslices of a failed node to others, before all that waits.
    fn notice(&mut self, node: usize) {
        let failed = &mut self.nodes[node];
        failed.is_out = true;
        let working = std::mem::take(&mut failed.working);
        let waiting: Vec<_> = failed.waiting.drain(..).collect();
        self.waiting -= waiting.len() as u64;
        for timeslice in waiting.into_iter().rev() {
            self.timeslices[timeslice].nodes -= 1;
            self.before.push_front(timeslice);
            self.count_waiting(1);
        }
        for Begun { timeslice, .. } in working.into_iter().rev() {
            if self.timeslices[timeslice].nodes >= MAX_NODES_OF_TIMESLICE || self.is_over {
                self.outcome.lost += 1;
            } else {
                self.outcome.repeated += 1;
                self.before.push_front(timeslice);
                self.count_waiting(1);
            }
        }
        self.assign_held();
    }

    fn restore(&mut self, node: usize) {
        let own = &mut self.nodes[node];
        own.is_down = false;
        own.is_out = false;
        self.plan_failure(node);
        self.start_work(node);
        self.assign_held();
    }
}
