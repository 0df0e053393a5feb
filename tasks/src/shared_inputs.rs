//! Cache of inputs that are in use.
//!
//! The tasks of the STS chain use the same timeslices, and a task may request the same input twice.
//! Generators are deterministic, so inputs with equal parameters and seeds can be shared. The last
//! ones are kept for a while after their use, up to 256 MiB in total.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::axis::Params;

/// Maximum size of all unused inputs that are kept. They are not part of any memory plan, so they
/// must be small compared with the memory of a measurement.
const MAX_UNUSED_BYTES: u64 = 256 << 20;

/// Inputs of the process.
static INPUTS: Inputs = Inputs::new(MAX_UNUSED_BYTES);

/// Key of an input: all parameters that it depends on.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    kind: TypeId,
    name: &'static str,
    params: Params,
    seed: u64,
}

type Shared = dyn Any + Send + Sync;

/// Inputs that are in use, and some unused ones.
struct Inputs(Mutex<Cache>);

struct Cache {
    max_unused_bytes: u64,
    alive: Vec<(Key, Weak<Shared>)>,
    /// The last inputs with their bytes, the oldest first.
    recent: VecDeque<(Arc<Shared>, u64)>,
}

/// Identity of an input.
#[derive(Clone, Copy)]
pub struct InputKey<'p> {
    /// Name that tasks with the same input share.
    pub name: &'static str,
    /// Its parameters.
    pub params: &'p Params,
    /// The seed that it was generated with.
    pub seed: u64,
}

/// Returns the input of a key: an existing one, or else a new one. `bytes` returns its size.
pub fn shared<T: Send + Sync + 'static, E>(
    key: InputKey<'_>,
    bytes: impl FnOnce(&T) -> u64,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    INPUTS.shared(key, bytes, make)
}

impl Inputs {
    const fn new(max_unused_bytes: u64) -> Self {
        Inputs(Mutex::new(Cache { max_unused_bytes, alive: Vec::new(), recent: VecDeque::new() }))
    }

    fn shared<T: Send + Sync + 'static, E>(
        &self,
        InputKey { name, params, seed }: InputKey<'_>,
        bytes: impl FnOnce(&T) -> u64,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let key = Key { kind: TypeId::of::<T>(), name, params: params.clone(), seed };
        let found = self.cache().find(&key);
        if let Some(found) = found.and_then(|input| input.downcast().ok()) {
            return Ok(found);
        }
        // The lock is not held, because making an input may request others.
        let input = Arc::new(make()?);
        let bytes = bytes(&input);
        self.cache().note(key, Arc::clone(&input) as Arc<Shared>, bytes);
        Ok(input)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn find(&self, key: &Key) -> Option<Arc<Shared>> {
        let (_, input) = self.alive.iter().find(|(known, _)| known == key)?;
        input.upgrade()
    }

    fn note(&mut self, key: Key, input: Arc<Shared>, bytes: u64) {
        self.alive.retain(|(known, input)| *known != key && input.strong_count() > 0);
        self.alive.push((key, Arc::downgrade(&input)));
        if bytes > self.max_unused_bytes {
            return;
        }
        self.recent.push_back((input, bytes));
        while self.recent.iter().map(|(_, bytes)| bytes).sum::<u64>() > self.max_unused_bytes {
            self.recent.pop_front();
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

    /// The input of `digis` digis; true if it was made.
    fn request(
        inputs: &Inputs,
        name: &'static str,
        digis: &str,
        seed: u64,
    ) -> (Arc<Vec<u8>>, bool) {
        let mut made = false;
        let make = || {
            made = true;
            Ok::<_, ()>(vec![0_u8; 10])
        };
        let key = InputKey { name, params: &params(digis), seed };
        let input = inputs.shared(key, |input: &Vec<u8>| input.len() as u64, make);
        (input.expect("made"), made)
    }

    #[test]
    fn inputs_in_use_are_shared() {
        let inputs = Inputs::new(0);
        let (first, made) = request(&inputs, "sts", "7", 1);
        assert!(made);
        let (second, made) = request(&inputs, "sts", "7", 1);
        assert!(!made && Arc::ptr_eq(&first, &second));
        for (name, digis, seed) in [("sts", "8", 1), ("sts", "7", 2), ("sort", "7", 1)] {
            assert!(request(&inputs, name, digis, seed).1, "another input");
        }
        drop((first, second));
        assert!(request(&inputs, "sts", "7", 1).1, "it was unused");
    }

    #[test]
    fn inputs_of_different_types_are_distinct() {
        let inputs = Inputs::new(100);
        request(&inputs, "sts", "7", 1);
        let key = InputKey { name: "sts", params: &params("7"), seed: 1 };
        let text = inputs.shared(key, |_: &String| 1, || Ok::<_, ()>("made".to_owned()));
        assert_eq!(text.as_deref(), Ok(&"made".to_owned()));
    }

    #[test]
    fn the_last_inputs_are_kept_for_a_while() {
        let inputs = Inputs::new(25);
        for digis in ["1", "2", "3"] {
            assert!(request(&inputs, "sts", digis, 1).1);
        }
        assert!(!request(&inputs, "sts", "3", 1).1);
        assert!(!request(&inputs, "sts", "2", 1).1);
        assert!(request(&inputs, "sts", "1", 1).1, "two of 10 bytes are kept");
    }

    #[test]
    fn large_inputs_and_failures_are_not_kept() {
        let inputs = Inputs::new(9);
        assert!(request(&inputs, "sts", "1", 1).1 && request(&inputs, "sts", "1", 1).1);
        let key = InputKey { name: "sts", params: &params("1"), seed: 1 };
        let failed = inputs.shared(key, |_: &Vec<u8>| 1, || Err("no"));
        assert_eq!(failed, Err("no"));
    }
}
