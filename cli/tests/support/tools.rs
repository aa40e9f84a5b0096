//! Programs that tests need and a machine may lack.

/// Says that a test is skipped for want of a tool. Where `CI` is set that is a failure, unless the tool is among those, separated by
/// commas, that `TROEL_MAY_LACK` names: a test that passes in silence tests nothing.
///
/// # Panics
/// Under CI, if the tool may not be missing.
pub fn missing(tool: &str, remedy: &str) {
    let allowed = std::env::var("TROEL_MAY_LACK").unwrap_or_default();
    let is_allowed = allowed.split(',').any(|name| name.trim() == tool);
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(
        is_allowed || !is_ci,
        "{tool} is missing: {remedy}; or set TROEL_MAY_LACK={tool} to go without it"
    );
    eprintln!("skipped: {tool} is missing ({remedy})");
}
