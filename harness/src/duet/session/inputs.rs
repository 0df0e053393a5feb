//! The inputs of both sides.

use reports::record::{Effort, Point};

use super::Unknown;
use crate::duet::DuetError;
use crate::duet::child::Side;
use crate::duet::points::InputOrder;
use crate::duet::protocol::Prepared;
use crate::platform::available_memory;

/// The share of the memory that the inputs of both sides may take.
const MEMORY: f64 = 0.5;

pub(super) fn knows(unknown: &Unknown, side: Side, input: usize, point: usize) -> bool {
    let problems = unknown[side as usize].get(input);
    problems.is_some_and(|problems| matches!(problems.get(point), Some(None)))
}

/// The inputs that both sides can have in memory at the same time.
pub(super) fn batches(inputs: Vec<InputOrder>) -> Vec<Vec<InputOrder>> {
    let room = (MEMORY * available_memory() as f64) as u64;
    let mut batches: Vec<Vec<InputOrder>> = Vec::new();
    let mut taken = 0_u64;
    for order in inputs {
        let bytes = order.memory_bytes.saturating_mul(2);
        taken = taken.saturating_add(bytes);
        match batches.last_mut() {
            Some(batch) if taken <= room => batch.push(order),
            _ => {
                batches.push(vec![order]);
                taken = bytes;
            }
        }
    }
    batches
}

/// Refuses sides that make other data of the same input.
pub(super) fn same_data(point: &Point, prepared: &[Option<Prepared>; 2]) -> Result<(), DuetError> {
    let [Some(base), Some(new)] = prepared else {
        return Ok(());
    };
    let data = |made: &Prepared| (made.items, made.input_bytes);
    if data(base) == data(new) {
        return Ok(());
    }
    let words = |made: &Prepared| format!("{}, {}", made.items, made.input_bytes);
    Err(DuetError::OtherData {
        input: format!("{} {}", point.algorithm, point.params),
        base: words(base),
        new: words(new),
    })
}

/// What preparing took: both sides did it at the same time.
pub(super) fn preparing(prepared: &[Option<Prepared>; 2]) -> Effort {
    let longest = |part: fn(&Prepared) -> f64| {
        let both = prepared.iter().flatten();
        both.map(part).fold(0.0, f64::max)
    };
    Effort {
        generating_s: longest(|made| made.generating_s),
        reference_s: longest(|made| made.reference_s),
        checking_s: longest(|made| made.checking_s),
        ..Effort::default()
    }
}
