//! Suggestions for unknown names.

use text::Untrusted;

/// Minimum similarity of a suggested name (Jaro-Winkler; 1 is equal).
const ALIKE: f64 = 0.7;

/// Returns the end of a message on an unknown name: the most similar name, and all known ones.
pub(crate) fn instead_of(name: &str, known: &[&str]) -> String {
    let likeness = |candidate: &str| strsim::jaro_winkler(name, candidate);
    let nearest = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .filter(|candidate| likeness(candidate) > ALIKE);
    let all = known.join(", ");
    match nearest {
        Some(nearest) => format!("did you mean {}? There are: {all}", nearest.quoted()),
        None => format!("there are: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let known = ["segments", "digis"];
        assert_eq!(
            instead_of("segmets", &known),
            "did you mean \"segments\"? There are: segments, digis"
        );
        assert_eq!(instead_of("xyz", &known), "there are: segments, digis");
    }
}
