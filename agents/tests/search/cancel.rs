//! Cancelling searches.

use std::time::Duration;

use troel_agents::network::Evaluator;
use troel_agents::search::{Lookahead, SearchBudget};
use troel_agents::{Bot, BotError, CancelToken, DecisionDetail, Pimc, decide_one};
use troel_env::{BySeat, Deals, RuleSet, Seat, State};
use troel_nn::{NetworkConfig, Weights};

/// A search of minutes ends at once.
#[test]
fn a_search_that_is_cancelled_gives_up() {
    let rules = RuleSet::built_in("luxembourg").unwrap();
    let state = State::new(rules, &Deals::new(rules, 4).shuffled(0, Seat::North));
    let obs = state.observe(state.turn(), BySeat::default());
    let weights = Weights::init(NetworkConfig::default(), 1);
    let lookahead = Lookahead::new(Evaluator::new(&weights), SearchBudget::Worlds(100_000), 1);
    let bots: [Box<dyn Bot>; 2] = [Box::new(Pimc::new(100_000, 1)), Box::new(lookahead)];
    for mut bot in bots {
        let mut search = || decide_one(bot.as_mut(), &obs, DecisionDetail::Action);
        let cancel = CancelToken::default();
        cancel.cancel();
        assert_eq!(cancel.run(&mut search).unwrap_err(), BotError::Cancelled);
        let soon = CancelToken::after(Duration::from_millis(20));
        assert_eq!(soon.run(&mut search).unwrap_err(), BotError::Cancelled);
    }
    let few = || decide_one(&mut Pimc::new(2, 1), &obs, DecisionDetail::Action);
    assert!(CancelToken::default().run(few).is_ok());
    assert!(few().is_ok(), "a token has no effect after its work has ended");
}
