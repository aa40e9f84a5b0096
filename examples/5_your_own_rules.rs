//! Step 5: rules of your own, and their effect on the bids.

use troel_agents::heuristic;
use troel_env::{ContractKind, Deals, RuleSet, Seat, Session, SessionConfig};

/// Returns the share of deals in which the heuristic bots play a misère.
fn miseres(rules: &'static RuleSet) -> f64 {
    let deals = 4000;
    let is_misere = |n: &u64| {
        let dealer = Seat::from_index_wrapping((n % 4) as usize);
        let deals = Deals::new(rules, 1);
        let mut session = Session::new(deals, SessionConfig::default(), *n, dealer);
        while session.state().contract().is_none() && !session.is_deal_over() {
            let action = heuristic::choose(&session.observe());
            session.apply(action).expect("the heuristic bot chooses legal actions");
        }
        session.state().contract().is_some_and(|c| c.kind == ContractKind::Misere)
    };
    (0..deals).filter(is_misere).count() as f64 / deals as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let built_in = RuleSet::built_in("wiezen").ok_or("wiezen is built in")?;
    // A rule file is data that a program can read and change. A club would write `club.toml` and
    // pass its path instead.
    let mut spec = built_in.spec().clone();
    spec.id = "our-club".to_string();
    for row in &mut spec.contract {
        if row.kind == ContractKind::Misere {
            (row.made, row.failed) = (vec![20], 2);
        }
    }
    let ours = RuleSet::from_spec(spec, "our-club")?;
    println!("misères in {:.1} % of the deals under {}", 100.0 * miseres(built_in), built_in.id());
    println!("misères in {:.1} % of the deals under {}", 100.0 * miseres(ours), ours.id());
    Ok(())
}
