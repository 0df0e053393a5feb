//! Events from a seed.
