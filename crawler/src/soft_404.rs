//! placeholder until the page helper delivers
/// x
pub fn is_soft_404(_: &str, _: Option<&str>, _: &str) -> bool { false }
