//! Inputs with their right answers, each made once while somebody needs it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use algorithms::axis::Params;
use algorithms::task::Case;

use crate::failure::Failure;
use crate::plan::{Input, Origin, Plan};

/// An input in memory.
#[derive(Clone)]
pub(super) enum HeldCase<'p> {
    /// Generated for this run.
    Made(Rc<dyn Case>),
    /// Read from a file, before the run.
    Read(&'p dyn Case),
}

/// What makes two inputs the same.
#[derive(PartialEq)]
struct Key {
    task: &'static str,
    params: Params,
    seed: u64,
}

/// The inputs that somebody has at this moment.
#[derive(Default)]
pub(super) struct Cases(RefCell<Vec<(Key, Weak<dyn Case>)>>);

impl HeldCase<'_> {
    pub(super) fn as_dyn(&self) -> &dyn Case {
        match self {
            HeldCase::Made(case) => case.as_ref(),
            HeldCase::Read(case) => *case,
        }
    }
}

impl Cases {
    /// An input, and the time that making it took: none if somebody has it already.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn get<'p>(
        &self,
        plan: &Plan,
        input: &'p Input,
        seed: u64,
    ) -> Result<(HeldCase<'p>, Duration), Failure> {
        let params = match &input.origin {
            Origin::Read { case, .. } => {
                return Ok((HeldCase::Read(case.as_ref()), Duration::ZERO));
            }
            Origin::Generated(params) => params,
        };
        let key = Key {
            task: plan.task().name(),
            params: params.clone(),
            seed,
        };
        if let Some(known) = self.known(&key) {
            return Ok((HeldCase::Made(known), Duration::ZERO));
        }
        let start = Instant::now();
        let case: Rc<dyn Case> = plan.task().generate(params, seed)?.into();
        let mut cases = self.0.borrow_mut();
        cases.retain(|(_, case)| case.strong_count() > 0);
        cases.push((key, Rc::downgrade(&case)));
        Ok((HeldCase::Made(case), start.elapsed()))
    }

    fn known(&self, key: &Key) -> Option<Rc<dyn Case>> {
        let cases = self.0.borrow();
        let found = cases.iter().find(|(known, _)| known == key);
        found.and_then(|(_, case)| case.upgrade())
    }
}

/// Whether two inputs are the same data.
pub(super) fn are_same(a: (&Plan, &Input, u64), b: (&Plan, &Input, u64)) -> bool {
    let generated = |input: &Input| matches!(input.origin, Origin::Generated(_));
    let identity = |(plan, input, seed): (&Plan, &Input, u64)| {
        (plan.task().name(), input.params().clone(), seed)
    };
    generated(a.1) && generated(b.1) && identity(a) == identity(b)
}
