//! The store from outside: what it keeps, what it refuses, what survives.

mod archive;
mod crash;
mod frontier;
mod refusals;
mod round_trip;
mod support;
