//! A polite web crawler that decides before storing whether a page says anything new, and keeps only the pages that do.

pub mod cli;
