//! The sampled worlds against all that are possible, found by trying every deal of the unseen
//! cards.

use std::collections::HashMap;

use troel_agents::search::{DrawnWorld, WorldSampler};
use troel_env::auction::Status;
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::Family;
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, Deal, Deals, Observation, Phase, RuleSet,
    Scenario, Seat, State,
};

use crate::{looks, observe, random_action};

/// Parts that distinguish two worlds of one observation: the hands as dealt, the turn-up, and
/// hidden discards.
type World = (BySeat<CardSet>, Option<Card>, Vec<Option<Action>>);

fn world(deal: &Deal, state: &State, obs: &Observation) -> World {
    let hidden = obs.history().iter().zip(state.history().iter());
    let hidden = hidden.filter(|((_, known), _)| known.is_none()).map(|(_, (_, action))| action);
    (deal.hands, deal.turn_up, hidden.collect())
}

/// Returns whether two observations are equal: same features, events, cards known to lie anywhere,
/// and legal actions.
fn same(a: &Observation, b: &Observation) -> bool {
    Seat::ALL.into_iter().all(|seat| a.known(seat) == b.known(seat))
        && a.key_card() == b.key_card()
        && a.turn_up() == b.turn_up()
        && a.public().contract() == b.public().contract()
        && a.legal_actions() == b.legal_actions()
        && looks(a) == looks(b)
}

/// Returns all worlds that look the same to the observer.
///
/// The engine plays every deal of the unseen cards with the same hand sizes, with every hidden
/// turn-up and all hidden discards. `dealt` is the true deal.
fn possible_worlds(dealt: &Deal, obs: &Observation) -> Vec<World> {
    let unseen = obs.unseen();
    let mut hands = dealt.hands;
    let rooms = BySeat::from_fn(|seat| (hands[seat] & unseen).len());
    Seat::ALL.into_iter().for_each(|seat| hands[seat] -= unseen);
    let cards: Vec<Card> = unseen.iter().collect();
    let mut found = Vec::new();
    deal_all(&cards, &mut hands, rooms, &mut |hands| {
        let rules = obs.public().rules();
        let turn_ups: Vec<Option<Card>> = match obs.turn_up() {
            None if rules.has_turn_up() => hands[dealt.dealer].iter().map(Some).collect(),
            known => vec![known],
        };
        for turn_up in turn_ups {
            let deal = Deal { dealer: dealt.dealer, hands: *hands, turn_up };
            if deal.check(rules).is_ok() {
                replay_all(&deal, State::new(rules, &deal), obs, &mut found);
            }
        }
    });
    found
}

fn deal_all(
    cards: &[Card],
    hands: &mut BySeat<CardSet>,
    rooms: BySeat<u32>,
    visit: &mut impl FnMut(&BySeat<CardSet>),
) {
    let Some((&card, rest)) = cards.split_first() else { return visit(hands) };
    for seat in Seat::ALL {
        if rooms[seat] > 0 {
            let mut rooms = rooms;
            rooms[seat] -= 1;
            hands[seat].insert(card);
            deal_all(rest, hands, rooms, visit);
            hands[seat].remove(card);
        }
    }
}

/// Plays the rest of the history, trying every card where one was laid aside unseen.
fn replay_all(deal: &Deal, mut state: State, obs: &Observation, found: &mut Vec<World>) {
    let steps: Vec<_> = obs.history().iter().skip(state.history().len()).collect();
    for (seat, action) in steps {
        if state.turn() != seat {
            return;
        }
        let Some(action) = action else {
            for card in state.hands()[seat] & obs.unseen() {
                let mut next = state;
                if next.apply(Action::card(card)).is_ok() {
                    replay_all(deal, next, obs, found);
                }
            }
            return;
        };
        if state.apply(action).is_err() {
            return;
        }
    }
    if same(&state.observe(obs.seat(), *obs.totals()), obs) {
        found.push(world(deal, &state, obs));
    }
}

/// Returns an upper bound of the number of worlds that [`possible_worlds`] tries.
fn candidates(dealt: &Deal, obs: &Observation) -> f64 {
    let mut ways = 1.0;
    let mut n = 0;
    for seat in Seat::ALL {
        for k in 1..=(dealt.hands[seat] & obs.unseen()).len() {
            n += 1;
            ways *= f64::from(n) / f64::from(k);
        }
    }
    for (seat, action) in obs.history().iter() {
        if action.is_none() {
            ways *= f64::from((dealt.hands[seat] & obs.unseen()).len());
        }
    }
    let hidden = obs.public().rules().has_turn_up() && obs.turn_up().is_none();
    if hidden { 13.0 * ways } else { ways }
}

/// Checks that every possible world is sampled about equally often, and no other one.
///
/// The chi-square statistic has a bound, and the count of each world, too, because a rare
/// world would not show among many.
fn check_worlds(case: &str, dealt: &Deal, obs: &Observation, stream: &mut Stream) -> usize {
    let possible = possible_worlds(dealt, obs);
    let mut counts: HashMap<World, u32> = possible.into_iter().map(|world| (world, 0)).collect();
    let each = 100;
    let mut sampler = WorldSampler::new(obs);
    for _ in 0..each * counts.len() {
        let DrawnWorld { deal, state } = sampler.sample(stream).expect("a world");
        let world = world(&deal, &state, obs);
        let count = counts.get_mut(&world);
        *count.unwrap_or_else(|| panic!("{case}: {world:?} is not possible: {obs:?}")) += 1;
    }
    let mean = each as f64;
    for (world, &count) in &counts {
        let off = (f64::from(count) - mean) / mean.sqrt();
        assert!(off.abs() < 6.0, "{case}: {count} times, not {mean}: {world:?}, {obs:?}");
    }
    let chi: f64 = counts.values().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
    let free = counts.len() as f64 - 1.0;
    assert!(chi < free + 6.0 * (2.0 * free).sqrt() + 10.0, "{case}: {chi} of {free}: {obs:?}");
    counts.len()
}

/// Positions with more candidates than this are passed over.
const MAX_CANDIDATES: f64 = 50_000.0;

/// A family of positions to check.
struct Case {
    name: &'static str,
    rules: &'static RuleSet,
    deals: Scenario,
    /// Call to make if it is possible; all other seats pass. `None`: random calls.
    aim: Option<ContractKind>,
    /// Whether this is a position of the kind.
    wanted: fn(&State, &Observation) -> bool,
}

impl Case {
    fn action(&self, state: &State, stream: &mut Stream) -> Action {
        let legal = state.legal_actions();
        match (state.phase(), self.aim) {
            (Phase::Auction, Some(kind)) => {
                let aimed = |a: &Action| a.as_bid().is_some_and(|bid| bid.kind == kind);
                // A misère with exchange is the dealer's.
                let may = kind != ContractKind::Misere || state.turn() == state.dealer();
                let quiet = if legal.has(Action::PASS) { Action::PASS } else { Action::KEEP };
                legal.into_iter().find(|a| may && aimed(a)).unwrap_or(quiet)
            }
            // Aces are kept, so that late positions still have some.
            (Phase::Play, _) => {
                let cards = legal.cards - CardSet::FULL.aces();
                let n = stream.below(cards.len()) as usize;
                cards.iter().nth(n).map_or_else(|| random_action(state, stream), Action::card)
            }
            _ => random_action(state, stream),
        }
    }

    /// Checks some positions of the kind; returns the numbers of their worlds.
    fn check(&self, positions: usize) -> Vec<usize> {
        let mut checked = Vec::new();
        for n in 0..100_000 {
            let mut stream = Stream::new(n, Purpose::Action, 2);
            let deals = Deals::new(self.rules, n).with_scenario(self.deals);
            let dealt = deals.shuffled(n, Seat::from_index_wrapping(n as usize));
            let mut state = State::new(self.rules, &dealt);
            let cards = 2 + stream.below(3);
            while !state.is_done()
                && (state.phase() != Phase::Play || state.hands()[state.turn()].len() > cards)
            {
                let action = self.action(&state, &mut stream);
                state.apply(action).expect("legal");
            }
            if state.is_done() {
                continue;
            }
            let obs = observe(&state);
            if !(self.wanted)(&state, &obs) || candidates(&dealt, &obs) > MAX_CANDIDATES {
                continue;
            }
            // Neither a certainty nor more than can be drawn a hundred times each.
            let possible = possible_worlds(&dealt, &obs).len();
            if (2..=1500).contains(&possible) {
                checked.push(check_worlds(self.name, &dealt, &obs, &mut stream));
                if checked.len() == positions {
                    return checked;
                }
            }
        }
        panic!("{}: only {} positions", self.name, checked.len());
    }
}

fn built_in(name: &str) -> &'static RuleSet {
    RuleSet::built_in(name).expect("built in")
}

fn n_voids(obs: &Observation) -> u32 {
    Seat::ALL.iter().map(|&seat| obs.voids(seat).len()).sum()
}

/// Another seat announced trou or troel, and some of its aces are unseen.
fn others_aces(state: &State, obs: &Observation) -> bool {
    let other = state.auction().announcer().filter(|&seat| seat != obs.seat());
    other.is_some_and(|seat| (state.hands()[seat] & obs.unseen()).aces().len() >= 2)
}

/// Another seat went along in a suit of which it has shown no card yet: it must hold one.
fn owes_a_trump(state: &State, obs: &Observation) -> bool {
    let contract = state.contract().filter(|contract| contract.kind == ContractKind::Suit);
    let trump = contract.and_then(|contract| contract.trump);
    trump.is_some_and(|trump| {
        Seat::ALL.into_iter().any(|seat| {
            seat != obs.seat()
                && state.auction().status(seat) == Status::Partner
                && obs.played(seat).of(trump).is_empty()
        })
    })
}

fn is_forced(state: &State) -> bool {
    state.contract().is_some_and(|contract| contract.kind.is_announced())
}

#[test]
fn worlds_with_voids_are_equally_likely() {
    for name in RuleSet::built_in_names() {
        let wanted = |state: &State, obs: &Observation| {
            state.auction().announcer().is_none() && n_voids(obs) >= 3
        };
        Case { name: "voids", deals: Scenario::Any, rules: built_in(name), aim: None, wanted }
            .check(4);
    }
}

/// Calls show restrictions that counts and voids do not show.
#[test]
fn worlds_with_a_partner_who_has_the_suit_are_equally_likely() {
    let (deals, aim, wanted) = (Scenario::Any, Some(ContractKind::Suit), owes_a_trump);
    let rules = built_in("luxembourg");
    Case { name: "owes a trump", rules, deals, aim, wanted }.check(2);
}

#[test]
fn worlds_with_announced_aces_are_equally_likely() {
    for (name, kind) in [
        ("luxembourg", ContractKind::Trou),
        ("horesca", ContractKind::Trou),
        ("wiezen", ContractKind::Troel),
        ("iwwa", ContractKind::Troel),
    ] {
        let rules = built_in(name);
        let wanted = |state: &State, obs: &Observation| others_aces(state, obs) && is_forced(state);
        Case {
            name: "partner of an announcer",
            deals: Scenario::Aces,
            rules,
            aim: Some(kind),
            wanted,
        }
        .check(4);
        let wanted = |state: &State, obs: &Observation| {
            others_aces(state, obs) && !is_forced(state) && n_voids(obs) >= 1
        };
        Case {
            name: "announcer outbid",
            deals: Scenario::Aces,
            rules,
            aim: Some(ContractKind::Slam),
            wanted,
        }
        .check(4);
        let wanted = |state: &State, obs: &Observation| {
            state.auction().announcer() == Some(obs.seat())
                && is_forced(state)
                && obs.key_card().is_some_and(|card| obs.unseen().has(card))
        };
        // Where the fourth ace is led, or shown at once, it is never unseen.
        if !rules.spec().troel_leads_key_card {
            Case {
                name: "observer announced",
                deals: Scenario::Aces,
                rules,
                aim: Some(kind),
                wanted,
            }
            .check(4);
        }
    }
}

/// The same, and it has or had all four.
fn others_four_aces(state: &State, obs: &Observation) -> bool {
    let four = |seat| (state.hands()[seat] | obs.played(seat)).aces().len() == 4;
    others_aces(state, obs) && state.auction().announcer().is_some_and(four)
}

#[test]
fn worlds_with_four_announced_aces_are_equally_likely() {
    for name in ["wiezen", "iwwa"] {
        let rules = built_in(name);
        for aim in [ContractKind::Troel, ContractKind::Slam] {
            let wanted = others_four_aces;
            Case { name: "four aces", deals: Scenario::Aces, rules, aim: Some(aim), wanted }
                .check(2);
        }
    }
}

/// Before anything is played the worlds are too many to count, but not the ways to place four aces
/// in three hands of thirteen cards.
#[test]
fn four_aces_are_as_likely_as_in_all_deals() {
    let rules = built_in("wiezen");
    let (obs, mut stream) = (0..)
        .find_map(|n| {
            let deal = Deals::new(rules, n).with_scenario(Scenario::Aces).shuffled(n, Seat::North);
            let state = State::new(rules, &deal);
            let obs = observe(&state);
            let other = state.auction().announcer().is_some_and(|seat| seat != obs.seat());
            (other && obs.hand().aces().is_empty())
                .then(|| (obs, Stream::new(n, Purpose::Action, 3)))
        })
        .expect("such a deal");
    let announcer = obs.public().auction().announcer().expect("there is one");
    let draws = 20_000;
    let mut four = 0;
    let mut lacked = [0; 4];
    for _ in 0..draws {
        let deal = WorldSampler::new(&obs).sample(&mut stream).expect("a world").deal;
        let missing = CardSet::FULL.aces() - deal.hands[announcer];
        match missing.lowest() {
            Some(ace) => lacked[ace.suit().index()] += 1,
            None => four += 1,
        }
    }
    // 9 of the 35 other cards beside four aces, 10 beside each three of them: 10 / 26 as many
    // deals.
    let share = 10.0 / (10.0 + 4.0 * 26.0);
    let near = |n: u32, share: f64| {
        let mean = f64::from(draws) * share;
        assert!((f64::from(n) - mean).abs() < 5.0 * mean.sqrt(), "{n} of {draws}, not {mean}");
    };
    near(four, share);
    lacked.into_iter().for_each(|n| near(n, (1.0 - share) / 4.0));
}

#[test]
fn worlds_with_hidden_discards_are_equally_likely() {
    for name in ["luxembourg", "horesca"] {
        let wanted = |_: &State, obs: &Observation| obs.laid_aside().is_some();
        let aim = Some(ContractKind::SmallMisere);
        Case { name: "discards", deals: Scenario::Any, rules: built_in(name), aim, wanted }
            .check(4);
    }
}

/// House rules in which a small misère outranks trou: an announced ace may lie among the cards laid
/// aside.
#[test]
fn worlds_with_a_hidden_ace_laid_aside_are_equally_likely() {
    let mut spec = built_in("luxembourg").spec().clone();
    spec.id = "high-small-misere".to_string();
    let at = spec.contract.iter().position(|row| row.kind == ContractKind::SmallMisere);
    let row = spec.contract.remove(at.expect("there is one"));
    spec.contract.push(row);
    let rules = RuleSet::from_spec(spec, "a test").expect("house rules");
    let wanted = |state: &State, obs: &Observation| {
        let other = state.auction().announcer().filter(|&seat| seat != obs.seat());
        let in_play = state.hands().iter().fold(obs.all_played(), |all, &hand| all | hand);
        let aside = CardSet::FULL.aces() - in_play;
        other.is_some() && !aside.is_empty() && obs.unseen().aces().len() >= 2
    };
    Case {
        name: "ace laid aside",
        deals: Scenario::Aces,
        rules,
        aim: Some(ContractKind::SmallMisere),
        wanted,
    }
    .check(3);
}

#[test]
fn worlds_after_an_exchange_are_equally_likely() {
    let wanted = |state: &State, obs: &Observation| {
        let turn_up = obs.turn_up().expect("it lies open");
        let dealer = state.dealer();
        state.rules().spec().family == Family::TurnUp
            && !(state.hands()[dealer] | obs.played(dealer)).has(turn_up)
            && n_voids(obs) >= 1
    };
    let aim = Some(ContractKind::Misere);
    Case { name: "exchange", deals: Scenario::Any, rules: built_in("iwwa"), aim, wanted }.check(6);
}
