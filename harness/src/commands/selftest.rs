//! `bench selftest`: how often the gate of comparisons errs on this machine.
//!
//! The same points are measured again and again, as a nightly run does: in
//! runs one after the other, without any difference (A) and with a known
//! slowdown of each sample. Each slowed run is compared with the A run before
//! it, each A run with the A run before it: what the gate calls a change there
//! is a false alarm.

use std::path::PathBuf;

use reports::compare::render::selftest as rendered;
use reports::compare::{Comparison, Measured, Terms, Thresholds, Verdict, compare};
use reports::history::Store;
use reports::record::{SCHEMA_VERSION, SelfTest, Trial};

use super::refuse_development_build;
use super::say;
use crate::cli::{MeasureRequest, SelfTestRequest};
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Job, Session, Start, default_folder, now};
use crate::plan::Plan;
use crate::platform::{self, Interrupt};
use crate::suite::Suite;

/// The slowdowns that the gate has to find.
const SLOWDOWNS: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

pub(super) fn run(request: &SelfTestRequest) -> Result<Exit, Failure> {
    refuse_development_build()?;
    let suite = Suite::open(&request.suite)?;
    let requests = suite.requests(&request.command);
    let plans = suite.plans(&requests)?;
    let interrupt = Interrupt::listen();
    let runs = Runs {
        request,
        requests: &requests,
        plans: &plans,
        folder: request
            .out
            .clone()
            .unwrap_or_else(|| default_folder("selftest")),
        interrupt: &interrupt,
    };
    let Some(trials) = runs.trials()? else {
        say("bench: interrupted; a self-test has to be complete to say anything");
        return Ok(Exit::Interrupted);
    };
    let test = self_test(trials);
    Store::create_or_open(&request.store)?.put_self_test(&test)?;
    super::print(&rendered(&test))?;
    if !request.quiet {
        let (runs, store) = (runs.folder.display(), request.store.display());
        say(&format!(
            "runs: {runs}; kept in {store} for the foot of comparisons"
        ));
    }
    Ok(Exit::Success)
}

/// The runs of a self-test.
struct Runs<'a> {
    request: &'a SelfTestRequest,
    requests: &'a [MeasureRequest],
    plans: &'a [Plan],
    folder: PathBuf,
    interrupt: &'a Interrupt,
}

impl Runs<'_> {
    /// An A run, and after it each slowed run followed by a further A run;
    /// `None` if the user asked for an end.
    fn trials(&self) -> Result<Option<Vec<Trial>>, Failure> {
        let mut trials = vec![trial(0.0)];
        trials.extend(SLOWDOWNS.map(trial));
        let all = 1 + 2 * SLOWDOWNS.len() * self.request.repeats;
        let Some(mut last) = self.measure("run-0", 0.0, all)? else {
            return Ok(None);
        };
        for repeat in 0..self.request.repeats {
            for (i, slowdown) in SLOWDOWNS.into_iter().enumerate() {
                let number = 1 + 2 * (repeat * SLOWDOWNS.len() + i);
                let slowed = self.measure(&format!("run-{number}"), slowdown, all)?;
                let alike = self.measure(&format!("run-{}", number + 1), 0.0, all)?;
                let (Some(slowed), Some(alike)) = (slowed, alike) else {
                    return Ok(None);
                };
                count(&mut trials[i + 1], &judged(&last, &slowed)?);
                count(&mut trials[0], &judged(&last, &alike)?);
                last = alike;
            }
        }
        Ok(Some(trials))
    }

    /// Measures all points once; `None` if the user asked for an end.
    fn measure(&self, name: &str, slowdown: f64, all: usize) -> Result<Option<Measured>, Failure> {
        let out = self.folder.join(name);
        if !self.request.quiet {
            say(&format!(
                "{name} of {}, {} % slower",
                all - 1,
                100.0 * slowdown
            ));
        }
        let assignment = Assignment {
            command: &self.request.command,
            jobs: Job::of(self.requests, self.plans),
            out: out.clone(),
            start: Start::New,
            suite: None,
            budget: None,
            ceilings: false,
            slowdown,
            quiet: true,
        };
        let outcome = Session::run(&assignment, self.interrupt)?;
        if outcome.wrong > 0 {
            let problem = "a variant's output was wrong: see bench verify";
            return Err(Failure::NothingMeasured(problem.to_owned()));
        }
        match outcome.interrupted {
            true => Ok(None),
            false => Ok(Some(Measured::read(&out)?)),
        }
    }
}

fn judged(base: &Measured, new: &Measured) -> Result<Comparison, Failure> {
    Ok(compare(base, new, &Terms::default())?)
}

fn count(trial: &mut Trial, comparison: &Comparison) {
    trial.pairs += 1;
    trial.points += comparison.points.len();
    trial.slower += comparison.count(Verdict::Slower);
    trial.faster += comparison.count(Verdict::Faster);
    trial.inconclusive += comparison.count(Verdict::Inconclusive);
}

fn trial(slowdown: f64) -> Trial {
    Trial {
        slowdown,
        pairs: 0,
        points: 0,
        slower: 0,
        faster: 0,
        inconclusive: 0,
    }
}

fn self_test(trials: Vec<Trial>) -> SelfTest {
    let thresholds = Thresholds::default();
    let software = platform::software();
    SelfTest {
        schema_version: SCHEMA_VERSION,
        machine_key: platform::machine_key(),
        finished: now(),
        git_commit: software.git_commit,
        min_effect: thresholds.min_effect,
        significance: thresholds.significance,
        trials,
    }
}
