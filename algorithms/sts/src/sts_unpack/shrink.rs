//! Smaller raw data: fewer timeslices, of one fewer components, of one fewer microslices, and of
//! one of these fewer messages.

use std::ops::Range;

use generators_sts::raw::{Component, Descriptor, MESSAGE_BYTES, RawData, block_of};

use tasks::algorithm::shrink::without_parts;

/// Smaller data, from which a part is removed.
pub(crate) fn shrink(data: &RawData) -> Box<dyn Iterator<Item = RawData> + '_> {
    if data.len() != 1 {
        return Box::new(without_parts(data.len(), |gone| Some(without_timeslices(data, gone))));
    }
    let components: Vec<_> = data.timeslices().flat_map(|(_, components)| components).collect();
    let [component] = components[..] else {
        let count = components.len();
        return Box::new(without_parts(count, move |gone| {
            Some(with(data, left(&components, gone)))
        }));
    };
    let microslices: Vec<_> =
        component.descriptors().map(|it| (it, component.content(&it))).collect();
    match microslices[..] {
        [(descriptor, content)] => {
            let messages = content.len().div_ceil(MESSAGE_BYTES);
            Box::new(without_parts(messages, move |gone| {
                let content = without_messages(content, gone);
                Some(with_microslices(data, &[(descriptor, &content)]))
            }))
        }
        _ => Box::new(without_parts(microslices.len(), move |gone| {
            let left = left(&microslices, gone);
            // A component has one at least.
            (!left.is_empty()).then(|| with_microslices(data, &left))
        })),
    }
}

fn left<T: Clone>(all: &[T], gone: Range<usize>) -> Vec<T> {
    [&all[..gone.start], &all[gone.end..]].concat()
}

fn without_timeslices(data: &RawData, gone: Range<usize>) -> RawData {
    let mut fewer = RawData::default();
    for (index, (timeslice, components)) in data.timeslices().enumerate() {
        if !gone.contains(&index) {
            fewer.push_timeslice(timeslice);
            components.for_each(|component| push(&mut fewer, &component));
        }
    }
    fewer
}

/// The first timeslice with these components.
fn with(data: &RawData, components: Vec<Component<'_>>) -> RawData {
    let mut fewer = begun(data);
    components.iter().for_each(|component| push(&mut fewer, component));
    fewer
}

/// The first timeslice with a component of these microslices.
fn with_microslices(data: &RawData, microslices: &[(Descriptor, &[u8])]) -> RawData {
    let mut fewer = begun(data);
    let (count, block) = block_of(microslices.iter().copied());
    fewer.push_component(count, &block).expect("a part of what was there");
    fewer
}

fn begun(data: &RawData) -> RawData {
    let mut fewer = RawData::default();
    let first = data.timeslices().next();
    first.into_iter().for_each(|(timeslice, _)| fewer.push_timeslice(timeslice));
    fewer
}

fn push(data: &mut RawData, component: &Component<'_>) {
    let pushed = data.push_component(component.microslices() as u64, component.block());
    pushed.expect("it was a component before");
}

fn without_messages(content: &[u8], gone: Range<usize>) -> Vec<u8> {
    let byte = |message: usize| (message * MESSAGE_BYTES).min(content.len());
    [&content[..byte(gone.start)], &content[byte(gone.end)..]].concat()
}
