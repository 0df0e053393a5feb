//! The processes that drive streams: children of this one, each with a thread that listens to it.

use std::io::Write;
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::part::SUBCOMMAND;
use super::protocol::{Answer, Ask, Opening};
use crate::platform::worker::{Worker, end_of, line};
use crate::platform::{Interrupt, lines, process_time_of};
use crate::request::DevicePlace;
use crate::throughput::plan::PointSpec;
use crate::throughput::point::{Refusal, Setup};

/// How long the answer of one whose stream has failed is waited for.
const LAST_ANSWER: Duration = Duration::from_secs(10);
/// Between two looks at whether the user wants an end.
const LOOK: Duration = Duration::from_millis(20);

/// All processes of a point. They end when this is dropped.
#[derive(Default)]
pub(in crate::throughput) struct Parts {
    running: Vec<Part>,
    /// What they have said and nobody has looked at.
    said: Option<Receiver<(usize, Option<Answer>)>>,
    /// Where their streams are: elsewhere others drive them.
    place: Option<(DevicePlace, usize)>,
}

struct Part {
    /// The device that its streams are on, or where they are dealt out.
    device: String,
    process: Child,
    asks: Option<ChildStdin>,
    listener: JoinHandle<()>,
    words: Receiver<String>,
}

impl Parts {
    /// Starts the processes of a point that are not there.
    ///
    /// # Errors
    /// If one can't be started.
    pub(super) fn fill(&mut self, point: &PointSpec, setup: &Setup<'_>) -> Result<(), Refusal> {
        let place = Some((point.place.clone(), point.busy_processes()));
        if self.place == place {
            return Ok(());
        }
        self.end();
        let (sender, receiver) = channel();
        for process in 0..point.busy_processes() {
            let part = Part::start(process, point, setup, sender.clone());
            self.running.push(part.map_err(|problem| {
                let problem = format!("not run: process {process} can't be started: {problem}");
                Refusal::Unavailable(problem)
            })?);
        }
        (self.said, self.place) = (Some(receiver), place);
        Ok(())
    }

    /// Says something to each of them.
    ///
    /// # Errors
    /// If one is gone.
    pub(super) fn tell(&mut self, ask: impl Fn(usize) -> Ask) -> Result<(), Refusal> {
        for number in 0..self.running.len() {
            let said = line(&ask(number));
            let asks = self.running[number].asks.as_mut();
            if asks.is_none_or(|asks| asks.write_all(said.as_bytes()).is_err()) {
                return Err(self.lost(number));
            }
        }
        Ok(())
    }

    /// The next answer of each of them, in their order.
    ///
    /// # Errors
    /// If one refuses or is gone, or the user wants an end.
    pub(super) fn each(&mut self, interrupt: &Interrupt) -> Result<Vec<Answer>, Refusal> {
        let mut answers: Vec<Option<Answer>> = self.running.iter().map(|_| None).collect();
        while answers.iter().any(Option::is_none) {
            if interrupt.asked() {
                return Err(Refusal::Interrupted);
            }
            if let Some((number, answer)) = self.next(LOOK)? {
                answers[number] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Whether all of them are still there, while nobody has to answer. Who is beyond the window
    /// says so before that is over here, so its answer is kept.
    ///
    /// # Errors
    /// If one refuses or is gone.
    pub(super) fn look(&mut self) -> Result<(), Refusal> {
        for number in 0..self.running.len() {
            if self.running[number].listener.is_finished() {
                return Err(self.lost(number));
            }
        }
        Ok(())
    }

    fn next(&mut self, most: Duration) -> Result<Option<(usize, Answer)>, Refusal> {
        let Some(said) = &self.said else { return Ok(None) };
        match said.recv_timeout(most) {
            Ok((number, Some(Answer::Refused(Refusal::Interrupted)))) => Err(self.failed(number)),
            Ok((_, Some(Answer::Refused(refusal)))) => Err(refusal),
            Ok((number, Some(answer))) => Ok(Some((number, answer))),
            Ok((number, None)) => Err(self.lost(number)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.lost(0)),
        }
    }

    /// What one of them refuses whose stream has failed: it says so once it is told to end.
    fn failed(&mut self, number: usize) -> Refusal {
        self.running[number].asks = None;
        let until = Instant::now() + LAST_ANSWER;
        let left = || until.saturating_duration_since(Instant::now());
        let said = self.said.as_ref();
        let next = || said.and_then(|said| said.recv_timeout(left()).ok());
        let own = std::iter::from_fn(next).filter(|(from, _)| *from == number);
        let refusal = own.map(|(_, answer)| answer).find_map(|answer| match answer {
            Some(Answer::Refused(refusal)) => Some(Some(refusal)),
            None => Some(None),
            Some(_) => None,
        });
        refusal.flatten().unwrap_or_else(|| self.lost(number))
    }

    /// That one of them is gone, and how that was.
    fn lost(&mut self, number: usize) -> Refusal {
        let part = &mut self.running[number];
        part.asks = None;
        // It has closed its answers, or does not hear any more.
        let _ = part.process.kill();
        let how = end_of(&mut part.process, &part.words);
        Refusal::Wrong(format!("failed: process {number} on {} {how}", part.device))
    }

    /// The CPU time of all of them.
    pub(super) fn cpu_time(&self) -> Duration {
        self.running.iter().filter_map(|part| process_time_of(part.process.id())).sum()
    }

    /// Ends all of them, whatever they do.
    pub(super) fn end(&mut self) {
        for mut part in self.running.drain(..) {
            part.asks = None;
            // One that has ended is not there to be killed.
            let _ = part.process.kill();
            let _ = part.process.wait();
            let _ = part.listener.join();
        }
        (self.said, self.place) = (None, None);
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.end();
    }
}

impl Part {
    fn start(
        number: usize,
        point: &PointSpec,
        setup: &Setup<'_>,
        said: Sender<(usize, Option<Answer>)>,
    ) -> std::io::Result<Self> {
        let Worker { process, mut asks, answers, words } = Worker::start(SUBCOMMAND, |_| ())?;
        let opening = Opening {
            command: setup.command.words.to_vec(),
            config: setup.command.config.map(Into::into),
        };
        // One that is gone says nothing, which is noticed next.
        let _ = asks.write_all(line(&Ask::Open(opening)).as_bytes());
        let listener = Builder::new().spawn(move || listen(number, answers, &said))?;
        let device = match point.processes % point.place.devices().len() {
            0 => point.place.of_stream(number).to_string(),
            _ => point.place.to_string(),
        };
        Ok(Part { device, process, asks: Some(asks), listener, words })
    }
}

/// Passes on what a process says, and that it is gone.
fn listen(number: usize, answers: ChildStdout, said: &Sender<(usize, Option<Answer>)>) {
    for line in lines(answers).map_while(Result::ok) {
        let Ok(answer) = serde_json::from_str(&line) else { break };
        if said.send((number, Some(answer))).is_err() {
            return;
        }
    }
    // Who does not wait any more has ended it.
    let _ = said.send((number, None));
}
