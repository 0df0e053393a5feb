//! Running variants of the chain.

use algorithms::algorithm::{Algorithm, Promise, Semantics};
use algorithms::device::{Arena, Backend, Place, Team};
use algorithms::sts::task::{Product, StsChain, Timeslices};

/// What each variant with these semantics finds, by its name.
pub fn found_by_all(
    input: &Timeslices,
    semantics: Semantics,
    threads: usize,
) -> Vec<(&'static str, Vec<Product>)> {
    let team = Team::new(threads).expect("threads");
    let arena = Arena::default();
    let variants = StsChain::variants().into_iter();
    let variants = variants.filter(|variant| variant.backend() == Backend::Cpu);
    let variants = variants.filter(|variant| variant.semantics(input) == semantics);
    let run = |variant: &dyn algorithms::algorithm::Variant<StsChain>| {
        let mut prepared = variant
            .prepare(input, &arena, &Place::host(&team))
            .expect("it takes any input");
        let ran = team.run(|| {
            prepared.reset()?;
            prepared.poison()?;
            prepared.run()
        });
        assert_eq!(ran, Ok(()), "{}", variant.name());
        (variant.name(), prepared.output().into_owned())
    };
    variants.map(run).collect()
}

/// Whether something found is what is expected, to the last bit.
pub fn assert_same(input: &Timeslices, expected: &Product, found: &[Product], context: &str) {
    let promise = Promise {
        stable: false,
        content: algorithms::algorithm::Content::Whole,
        semantics: Semantics::Exact,
    };
    let expected = vec![expected.clone()];
    let checked = StsChain::check(input, Some(&expected), &found.to_vec(), promise);
    assert_eq!(checked, Ok(()), "{context}");
}
