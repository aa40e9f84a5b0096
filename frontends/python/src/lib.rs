//! The native half of the Python package `troel`: environments, bots, evaluation and the solver.
//! The other half, in Python, shapes it to the conventions of Gymnasium, PettingZoo and OpenSpiel.
//!
//! Long computations release the interpreter lock. No argument from Python causes a panic: an
//! argument of the wrong type raises `TypeError`, any other bad argument `ValueError`. Both name
//! the argument and the remedy. Using an environment from a second thread during a step raises
//! `RuntimeError`.

mod actions;
mod agent;
mod arguments;
mod bundle;
mod environment_group;
mod evaluation;
mod evaluation_arguments;
mod game;
mod laboratory;
mod one_seat;
mod packed;
mod parallel;
mod problems;
mod python_bot;
mod reviews;
mod rows;
mod rule_sets;
mod self_play;
mod solver;
mod vectorised;
mod view;

use pyo3::prelude::*;

/// Tells `troel/processor.py` which instructions the library uses.
#[cfg(target_feature = "avx2")]
#[used]
static INSTRUCTIONS: [u8; 27] = *b"troel was compiled for AVX2";

/// Fills the module, by the names that the Python half uses.
#[pymodule]
fn _troel(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("N_FEATURES", troel_env::N_FEATURES)?;
    m.add("N_FULL_FEATURES", troel_env::N_FULL_FEATURES)?;
    m.add("N_ACTIONS", troel_env::N_ACTIONS)?;
    m.add("PACKED_SIZE", packed::PACKED_SIZE)?;
    m.add("PACKED_FULL_SIZE", packed::PACKED_FULL_SIZE)?;
    m.add("N_HISTORY_TOKENS", troel_env::History::N_TOKENS)?;
    m.add("HISTORY_LENGTH", troel_env::History::CAPACITY)?;
    m.add("FEATURE_VERSION", troel_env::FEATURE_VERSION)?;
    m.add("ACTION_VERSION", troel_env::ACTION_VERSION)?;
    m.add("RULES", troel_env::RuleSet::built_in_names().collect::<Vec<_>>())?;
    m.add("RELEASED", troel_agents::registry::all_released())?;
    m.add("IllegalAction", m.py().get_type::<actions::IllegalAction>())?;
    m.add_class::<game::Game>()?;
    m.add_class::<view::View>()?;
    m.add_class::<agent::Agent>()?;
    m.add_class::<python_bot::Batch>()?;
    m.add_class::<self_play::SelfPlay>()?;
    m.add_class::<one_seat::OneSeat>()?;
    m.add_function(wrap_pyfunction!(rule_sets::rules, m)?)?;
    m.add_function(wrap_pyfunction!(rule_sets::reward_range, m)?)?;
    m.add_function(wrap_pyfunction!(rule_sets::max_actions, m)?)?;
    m.add_function(wrap_pyfunction!(actions::action_code, m)?)?;
    m.add_function(wrap_pyfunction!(arguments::feature_blocks, m)?)?;
    m.add_function(wrap_pyfunction!(view::observe, m)?)?;
    m.add_function(wrap_pyfunction!(view::_restore, m)?)?;
    m.add_function(wrap_pyfunction!(view::action_numbers, m)?)?;
    m.add_function(wrap_pyfunction!(agent::_restore_agent, m)?)?;
    m.add_function(wrap_pyfunction!(self_play::_restore_self_play, m)?)?;
    m.add_function(wrap_pyfunction!(one_seat::_restore_one_seat, m)?)?;
    m.add_function(wrap_pyfunction!(view::worlds, m)?)?;
    m.add_function(wrap_pyfunction!(game::deals, m)?)?;
    m.add_function(wrap_pyfunction!(game::_write_moves, m)?)?;
    m.add_function(wrap_pyfunction!(evaluation::evaluate, m)?)?;
    m.add_function(wrap_pyfunction!(evaluation::play, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::compare::compare, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::ladder::ladder, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::behaviour::behaviour, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::exploit::exploit, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::exploit::exploitation_text, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::matches::matches, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::corpus::make_corpus, m)?)?;
    m.add_function(wrap_pyfunction!(laboratory::corpus::judge_corpus, m)?)?;
    m.add_function(wrap_pyfunction!(problems::problems, m)?)?;
    m.add_function(wrap_pyfunction!(problems::judge, m)?)?;
    m.add_function(wrap_pyfunction!(reviews::review, m)?)?;
    m.add_function(wrap_pyfunction!(solver::solve, m)?)?;
    m.add_function(wrap_pyfunction!(solver::solve_record, m)?)?;
    m.add_function(wrap_pyfunction!(solver::par, m)?)?;
    m.add_function(wrap_pyfunction!(bundle::save_bundle, m)?)?;
    m.add_function(wrap_pyfunction!(bundle::save_onnx_bundle, m)?)?;
    m.add_function(wrap_pyfunction!(bundle::tensors, m)?)?;
    m.add_function(wrap_pyfunction!(bundle::read_bundle, m)?)?;
    m.add_function(wrap_pyfunction!(packed::unpack_into, m)?)?;
    m.add_function(wrap_pyfunction!(packed::unpack_sparse, m)?)?;
    Ok(())
}
