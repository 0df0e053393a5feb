//! Inputs that are asked for again: made once while somebody has them.
//!
//! The tasks of the STS chain take the same timeslices, and a task may be asked for the same
//! input twice. What the same shape and seed make is the same to the last bit, so one will do.
//! The last ones are kept for a while though nobody has them, up to [`KEPT_BYTES`] together.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::axis::Params;

/// Bytes of all inputs that are kept though nobody has them. They are in no plan, so they are
/// small beside what measuring takes.
const KEPT_BYTES: u64 = 256 << 20;

/// Inputs of the process.
static INPUTS: Inputs = Inputs::new(KEPT_BYTES);

/// What makes an input: nothing else may make a difference to it.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    kind: TypeId,
    name: &'static str,
    params: Params,
    seed: u64,
}

type Shared = dyn Any + Send + Sync;

/// Inputs that somebody has, and some that nobody has.
struct Inputs(Mutex<Known>);

struct Known {
    most_bytes: u64,
    alive: Vec<(Key, Weak<Shared>)>,
    /// The last ones, with their bytes, the oldest first.
    kept: VecDeque<(Arc<Shared>, u64)>,
}

/// The input that a name, parameters and a seed stand for: the one that there is already, or
/// else a new one. `bytes` says how large it is.
///
/// # Errors
/// Those of making it.
pub(crate) fn shared<T: Send + Sync + 'static, E>(
    (name, params, seed): (&'static str, &Params, u64),
    bytes: impl FnOnce(&T) -> u64,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    INPUTS.shared((name, params, seed), bytes, make)
}

impl Inputs {
    const fn new(most_bytes: u64) -> Self {
        Inputs(Mutex::new(Known { most_bytes, alive: Vec::new(), kept: VecDeque::new() }))
    }

    fn shared<T: Send + Sync + 'static, E>(
        &self,
        (name, params, seed): (&'static str, &Params, u64),
        bytes: impl FnOnce(&T) -> u64,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let key = Key { kind: TypeId::of::<T>(), name, params: params.clone(), seed };
        let found = self.known().find(&key);
        if let Some(found) = found.and_then(|input| input.downcast().ok()) {
            return Ok(found);
        }
        // Nobody waits meanwhile: making an input may take others.
        let input = Arc::new(make()?);
        let bytes = bytes(&input);
        self.known().note(key, Arc::clone(&input) as Arc<Shared>, bytes);
        Ok(input)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn find(&self, key: &Key) -> Option<Arc<Shared>> {
        let (_, input) = self.alive.iter().find(|(known, _)| known == key)?;
        input.upgrade()
    }

    fn note(&mut self, key: Key, input: Arc<Shared>, bytes: u64) {
        self.alive.retain(|(known, input)| *known != key && input.strong_count() > 0);
        self.alive.push((key, Arc::downgrade(&input)));
        if bytes > self.most_bytes {
            return;
        }
        self.kept.push_back((input, bytes));
        while self.kept.iter().map(|(_, bytes)| bytes).sum::<u64>() > self.most_bytes {
            self.kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(digis: &str) -> Params {
        let mut params = Params::default();
        params.set("digis", digis);
        params
    }

    /// The input of so many digis, and whether it had to be made.
    fn ask(inputs: &Inputs, name: &'static str, digis: &str, seed: u64) -> (Arc<Vec<u8>>, bool) {
        let mut made = false;
        let make = || {
            made = true;
            Ok::<_, ()>(vec![0_u8; 10])
        };
        let asked = (name, &params(digis), seed);
        let input = inputs.shared(asked, |input: &Vec<u8>| input.len() as u64, make);
        (input.expect("made"), made)
    }

    #[test]
    fn what_somebody_has_is_shared() {
        let inputs = Inputs::new(0);
        let (first, made) = ask(&inputs, "sts", "7", 1);
        assert!(made);
        let (second, made) = ask(&inputs, "sts", "7", 1);
        assert!(!made && Arc::ptr_eq(&first, &second));
        for (name, digis, seed) in [("sts", "8", 1), ("sts", "7", 2), ("sort", "7", 1)] {
            assert!(ask(&inputs, name, digis, seed).1, "another input");
        }
        drop((first, second));
        assert!(ask(&inputs, "sts", "7", 1).1, "nobody had it");
    }

    #[test]
    fn inputs_of_other_types_are_others() {
        let inputs = Inputs::new(100);
        ask(&inputs, "sts", "7", 1);
        let asked = ("sts", &params("7"), 1);
        let text = inputs.shared(asked, |_: &String| 1, || Ok::<_, ()>("made".to_owned()));
        assert_eq!(text.as_deref(), Ok(&"made".to_owned()));
    }

    #[test]
    fn the_last_ones_are_kept_for_a_while() {
        let inputs = Inputs::new(25);
        for digis in ["1", "2", "3"] {
            assert!(ask(&inputs, "sts", digis, 1).1);
        }
        assert!(!ask(&inputs, "sts", "3", 1).1);
        assert!(!ask(&inputs, "sts", "2", 1).1);
        assert!(ask(&inputs, "sts", "1", 1).1, "two of 10 bytes are kept");
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_what_fails_is_not_known() {
        let inputs = Inputs::new(9);
        assert!(ask(&inputs, "sts", "1", 1).1 && ask(&inputs, "sts", "1", 1).1);
        let asked = ("sts", &params("1"), 1);
        let failed = inputs.shared(asked, |_: &Vec<u8>| 1, || Err("no"));
        assert_eq!(failed, Err("no"));
    }
}
