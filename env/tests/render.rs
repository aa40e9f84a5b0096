//! Pictures: they show the cards that a seat sees, and no others.

mod common;

use common::play;
use troel_env::render::Scene;
use troel_env::{BySeat, Card, Deal, RuleSet, Seat, State};

/// The deal of a record, some actions on.
fn state(codes: &[&str]) -> State {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let hands = "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54";
    let hands = troel_env::parse_hands(hands).expect("hands");
    let deal = Deal {
        dealer: Seat::North,
        hands: BySeat::from_fn(|s| hands[s].expect("all four")),
        turn_up: Card::parse("7D"),
    };
    let mut state = State::new(rules, &deal);
    for code in codes {
        let action = troel_env::Action::parse(code, state.phase()).expect("a code");
        state.apply(action).expect("legal");
    }
    state
}

#[test]
fn a_state_as_text() {
    let state = state(&["8D", "pass", "8D", "pass", "AS"]);
    let text = Scene::from_state(&state, BySeat([1, -1, 2, -2])).to_text(false);
    let wanted = "\
wiezen: South to play
suit 8 in diamonds by East and West   turn-up ♦7

                          North, dealer (0)
                          ♠ 752
                          ♥ 7
                          ♣ AT976
                          ♦ AQT7

  West (0)                                        East (0)
  ♠ K3                       ·                    ♠ J984
  ♥ J632                 ·       ♠A               ♥ AK9
  ♣ 54                       ·                    ♣ KQ83
  ♦ J9654                                         ♦ 2

                        > South (0)
                          ♠ QT6
                          ♥ QT854
                          ♣ J2
                          ♦ K83


calls: E 8D, S pass, W 8D, N pass
before: N +1  E -1  S +2  W -2
";
    assert_eq!(text, wanted);
    let coloured = Scene::from_state(&state, BySeat([1, -1, 2, -2])).to_text(true);
    assert!(coloured.contains("\x1b[31m♥\x1b[0m QT854"));
}

#[test]
fn an_observation_as_text_hides_the_others() {
    let obs = state(&["8D", "pass"]).observe(Seat::West, BySeat::default());
    let text = Scene::from_observation(&obs).to_text(false);
    assert!(text.contains("> West"), "{text}");
    assert!(text.contains("♥ J632") && !text.contains("QT854") && !text.contains("AK9"), "{text}");
    // The turn-up lies open before the dealer.
    assert!(text.contains("12 hidden") && text.contains("13 hidden"), "{text}");
}

/// In every position, cards and backs are as many as are held and lie on the table, and the seat
/// sees no others.
#[test]
fn pictures_show_what_is_seen() {
    for rules in RuleSet::all_built_in() {
        for seed in 0..40 {
            play(rules, seed, |state| {
                let seat = state.turn();
                let obs = state.observe(seat, BySeat([3, 0, 0, -3]));
                let scene = Scene::from_observation(&obs);
                for other in Seat::ALL {
                    let hand = scene.hands[other];
                    assert_eq!(hand.cards.len() + hand.hidden, state.hands()[other].len());
                    assert!((hand.cards - state.hands()[other]).is_empty());
                }
                let svg = scene.to_svg();
                let backs = svg.matches("fill=\"#2f4f8f\"").count() as u32;
                let hidden: u32 = scene.hands.iter().map(|hand| hand.hidden).sum();
                assert_eq!(backs, hidden);
                assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
                assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
                let all = Scene::from_state(state, BySeat::default());
                assert!(all.hands.iter().all(|hand| hand.hidden == 0));
                assert!(!all.to_svg().contains("#2f4f8f"));
                assert!(all.to_text(true).lines().count() >= 20);
            });
        }
    }
}
