//! The bot that answers in all targets.

use std::sync::OnceLock;

use troel_protocol::Responder;

/// Returns the bot `rules` behind the protocol.
pub(crate) fn responder() -> &'static Responder {
    static RULES: OnceLock<Responder> = OnceLock::new();
    RULES.get_or_init(|| Responder::built_in("rules", 1).expect("built in"))
}
