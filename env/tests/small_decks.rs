//! Decks of fewer ranks: the example files, and what rule files may not ask of them.

use troel_env::conformance::check;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    BySeat, CardSet, Deals, EnvConfig, Episode, N_FEATURES, Phase, Record, RuleSet, Seat, State,
};

const FILES: [&str; 3] = [
    include_str!("../../examples/rules/small-8.toml"),
    include_str!("../../examples/rules/small-12.toml"),
    include_str!("../../examples/rules/small-16.toml"),
];

fn small() -> [&'static RuleSet; 3] {
    FILES.map(|text| RuleSet::from_toml(text, "small.toml").expect("a good file"))
}

#[test]
fn small_decks_conform() {
    for (rules, cards) in small().into_iter().zip(2..) {
        assert_eq!((rules.cards_per_hand(), rules.deck().len()), (cards, 4 * u32::from(cards)));
        for episode in [Episode::Deal, Episode::Deals(3)] {
            let config = EnvConfig { episode, ..EnvConfig::default() };
            let summary = check(rules, config, 5, 60).unwrap_or_else(|e| {
                panic!("{}: {e}: {}", rules.id(), serde_json::to_string(&e.record).expect("plain"))
            });
            let contracts = rules.rows().iter().map(|row| summary.contracts[row.kind.index()]);
            assert!(contracts.clone().sum::<u32>() > 0, "{} {summary:?}", rules.id());
        }
    }
}

/// Every card of the deck is dealt and played once, goals are those of the file, and no feature
/// leaves its range.
#[test]
fn deals_are_played_to_the_last_card() {
    let mut features = vec![0.0; N_FEATURES];
    for rules in small() {
        let mut played = 0;
        for number in 0..300 {
            let deal = Deals::new(rules, 2).shuffled(number, Seat::East);
            assert_eq!(deal.check(rules), Ok(()));
            let all: CardSet = deal.hands.iter().copied().collect();
            assert_eq!(all, rules.deck());
            let mut state = State::new(rules, &deal);
            let mut stream = Stream::new(3, Purpose::Action, number);
            while !state.is_done() {
                let obs = state.observe(state.turn(), BySeat::default());
                let known = obs.hand() | obs.unseen() | obs.all_played();
                let open: CardSet = Seat::ALL.iter().map(|&s| obs.known(s)).collect();
                assert_eq!(known | open, rules.deck());
                obs.encode(&mut features);
                assert!(features.iter().all(|value| value.abs() <= 2.0));
                let again =
                    Record::from_observation(&obs).observe(rules, state.turn()).expect("a view");
                assert_eq!(again, obs);
                let legal = state.legal_actions();
                state.apply(legal.draw(&mut stream).expect("one")).expect("it");
            }
            if let Some(contract) = state.contract() {
                let row = rules.row(contract.row);
                assert_eq!(contract.goal, row.goal());
                assert_eq!(state.tricks().iter().sum::<u8>(), rules.cards_per_hand());
                assert_eq!(state.phase(), Phase::Done);
                played += 1;
            }
        }
        assert!(played > 50, "{}: {played}", rules.id());
    }
}

#[test]
fn variants_keep_the_deck() {
    for rules in small() {
        for number in 0..40 {
            let variant = rules.variant(3, number);
            assert_eq!(variant.deck(), rules.deck());
            check(variant, EnvConfig::default(), number, 1).expect("it conforms");
        }
    }
}

#[test]
fn decks_and_goals_that_cannot_be_are_refused() {
    let good = FILES[2];
    let cases = [
        ("ranks = \"AKQJ\"", "ranks = \"AKJQ\"", "ranks must be"),
        ("ranks = \"AKQJ\"", "ranks = \"AKKQ\"", "ranks must be"),
        ("ranks = \"AKQJ\"", "ranks = \"AKQ1\"", "ranks must be"),
        ("ranks = \"AKQJ\"", "ranks = \"\"", "ranks must be"),
        ("ranks = \"AKQJ\"", "ranks = \"AKQ\"", "add up to 3"),
        ("ranks = \"AKQJ\"\n", "", "add up to 13"),
        ("deal = \"shuffle\"", "deal = \"gather\"", "gather"),
        ("shown_after = 1", "shown_after = 5", "0 to 4 tricks"),
        ("tricks = 3", "tricks = 5", "(suit 8): tricks must be 1 to 4"),
        ("tricks = 3", "tricks = 0", "(suit 8): tricks must be 1 to 4"),
        ("tricks = 3\n", "", "(suit 8): tricks must be 1 to 4"),
        ("kind = \"misere\"\n", "kind = \"misere\"\ntricks = 1\n", "remove it"),
        ("made = [4, 8]", "made = [4, 8, 9]", "made has 3 figures"),
        ("kind = \"solo\"\nlevel = 6", "kind = \"trou\"\nlevel = 9", "needs all 13 ranks"),
    ];
    for (from, to, words) in cases {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "the case changes nothing: {from}");
        let error = RuleSet::from_toml(&text, "club.toml").expect_err(to).to_string();
        assert!(error.starts_with("club.toml: ") && error.contains(words), "{to}: {error}");
    }
    // The full deck has no goals beside the levels.
    let text = include_str!("../../configs/rules/wiezen.toml");
    let text = text.replacen("level = 8\n", "level = 8\ntricks = 7\n", 1);
    let error = RuleSet::from_toml(&text, "club.toml").expect_err("no goals").to_string();
    assert!(error.contains("tricks is for"), "{error}");
}

#[test]
fn cards_outside_the_deck_are_refused() {
    let [rules, ..] = small();
    let mut deal = Deals::new(rules, 1).shuffled(1, Seat::North);
    let gone = deal.hands[Seat::East].lowest().expect("a card");
    deal.hands[Seat::East].remove(gone);
    deal.hands[Seat::East].insert(troel_env::Card::parse("2H").expect("a card"));
    let error = deal.check(rules).expect_err("a two").to_string();
    assert_eq!(error, "card 2H is not in the deck of small-8");
}
