//! Type of the callbacks that follow a long evaluation.

/// Callback that receives the amount of work done since its last call.
///
/// The unit is deals, unless the function that takes the callback names another. An amount is at
/// least 0 and may be a fraction. All amounts add up to the work of the function if that does not
/// end early. Several threads may call it at the same time.
pub type ProgressFn<'a> = &'a (dyn Fn(f64) + Sync);
