//! Targets for cargo-fuzz: `cargo +nightly fuzz run text fuzz/corpus/text fuzz/seeds/text`. See [`targets`].

pub mod targets;
