//! Rules of thumb, one position each: North's card, given its hand and the course of the deal.

use troel_env::{Record, RuleSet, Seat};

use super::choose;

/// Returns the card that North plays in Luxembourg whist. The other hands are hidden.
fn choice(dealer: Seat, hand: &str, calls: &str, cards: &str) -> String {
    let rules = RuleSet::built_in("luxembourg").unwrap();
    let record = Record {
        rules: rules.id().to_string(),
        dealer,
        deal: format!("N:{hand} - - -"),
        turn_up: None,
        actions: calls
            .split_whitespace()
            .chain(cards.split_whitespace())
            .map(String::from)
            .collect(),
        scores_before: None,
        extra: Default::default(),
    };
    choose(&record.observe(rules, Seat::North).unwrap()).to_string()
}

/// Returns North's lead in hearts, declared with South.
fn lead_as_declarer(hand: &str) -> String {
    choice(Seat::West, hand, "8H pass 8H pass", "")
}

/// Returns North's lead in hearts, declared by East and West.
fn lead_as_defender(hand: &str) -> String {
    choice(Seat::West, hand, "pass 8H pass 8H", "")
}

/// Returns North's card behind `cards` in hearts, declared by East and West.
fn follow(hand: &str, cards: &str) -> String {
    match cards.split(' ').count() {
        1 => choice(Seat::South, hand, "8H pass 8H pass", cards),
        2 => choice(Seat::East, hand, "pass 8H pass 8H", cards),
        _ => choice(Seat::North, hand, "8H pass 8H pass", cards),
    }
}

#[test]
fn second_hand_plays_low_unless_it_is_sure_to_win() {
    assert_eq!(follow("J52.32.J9732.K43", "5C"), "3C");
    assert_eq!(follow("J52.32.J9732.A43", "5C"), "AC");
}

#[test]
fn third_hand_plays_the_lowest_of_equal_high_cards() {
    assert_eq!(follow("J52.32.J9732.KQ4", "3C 5C"), "QC");
    // The ten forces out nothing.
    assert_eq!(follow("J52.32.J9732.T84", "3C 5C"), "4C");
}

#[test]
fn third_hand_leaves_the_trick_to_a_partner_whose_card_is_nearly_the_best() {
    assert_eq!(follow("J52.32.J9732.AQ4", "JC 5C"), "4C");
    assert_eq!(follow("J52.32.J9732.AQ4", "9C 5C"), "AC");
}

#[test]
fn last_hand_wins_as_cheaply_as_possible() {
    assert_eq!(follow("J52.32.J9732.AQ2", "5C 3C JC"), "QC");
    assert_eq!(follow("J52.32.J9732.AQ2", "5C KC JC"), "2C", "the partner wins");
}

#[test]
fn a_void_hand_ruffs_low_unless_its_partner_wins() {
    assert_eq!(follow("J9652.732.J9732.", "5C 3C JC"), "2H");
    assert_eq!(follow("J9652.732.J9732.", "5C AC JC"), "2S");
}

#[test]
fn a_discard_keeps_honours_guarded() {
    assert_eq!(follow("K2..T976543.AJT9", "AH 2H"), "3D");
    assert_eq!(follow("Q2..T976543.AJT9", "AH 2H"), "2S", "a queen needs two guards");
}

#[test]
fn declarer_draws_trumps_from_the_top_or_drives_out_the_best_one() {
    assert_eq!(lead_as_declarer("A2.AK54.432.5432"), "AH");
    assert_eq!(lead_as_declarer("A2.KQ9542.43.543"), "KH");
    assert_eq!(lead_as_declarer("A2.Q95432.43.543"), "2H", "two trumps are higher");
    assert_eq!(lead_as_declarer("A2.KQ54.432.5432"), "AS", "too few trumps");
}

#[test]
fn defenders_lead_aces_singletons_and_long_suits() {
    assert_eq!(lead_as_defender("A3.32.J532.T8764"), "AS");
    assert_eq!(lead_as_defender("2.432.JT965.K764"), "2S");
    assert_eq!(lead_as_defender("J3.32.J32.T87642"), "2C");
    // Not from the queen, although that suit is longer.
    assert_eq!(lead_as_defender("J3.32.T532.Q8764"), "2D");
}

#[test]
fn misere_declarer_plays_its_highest_card_that_loses() {
    let follow = |hand, cards| choice(Seat::South, hand, "pass misere pass pass", cards);
    assert_eq!(follow("J942.432.5432.32", "TS"), "9S");
    assert_eq!(follow("K5.65432.5432.32", "2S"), "5S", "another seat may still win");
    assert_eq!(follow("J942.5432.K5432.", "TC"), "KD", "the most dangerous discard");
    let last = |hand, cards| choice(Seat::North, hand, "pass pass pass misere", cards);
    assert_eq!(last("K6.65432.5432.32", "2S 3S 4S"), "KS", "it wins with each card");
}

#[test]
fn misere_declarer_leads_from_under_the_most_cards() {
    let lead = |hand| choice(Seat::West, hand, "misere pass pass pass", "");
    assert_eq!(lead("J9432.6432.432.6"), "2D");
}

#[test]
fn defenders_stay_below_a_misere_declarer() {
    let behind = |hand, cards| choice(Seat::South, hand, "misere pass pass pass", cards);
    assert_eq!(behind("A73.K432.5432.32", "8S"), "7S");
    let before = |hand, cards| choice(Seat::South, hand, "pass pass misere pass", cards);
    assert_eq!(before("K84.K432.5432.32", "5S"), "4S");
    // Another seat wins: get rid of the ace.
    let last = |hand, cards| choice(Seat::North, hand, "pass misere pass pass", cards);
    assert_eq!(last("A82.K432.5432.32", "9S 3S 4S"), "AS");
}

#[test]
fn piccolo_declarer_takes_its_trick_with_a_sure_card() {
    assert_eq!(choice(Seat::West, "A32.5432.5432.32", "piccolo pass pass pass", ""), "AS");
    assert_eq!(choice(Seat::South, "A32.5432.5432.32", "pass piccolo pass pass", "TS"), "AS");
}

#[test]
fn small_misere_lays_aside_the_most_dangerous_card() {
    assert_eq!(choice(Seat::West, "K2.65432.5432.32", "small-misere pass pass pass", ""), "KS");
    // An opponent lays a high card aside.
    assert_eq!(choice(Seat::West, "K2.Q6543.A432.32", "pass small-misere pass pass", ""), "AD");
}

#[test]
fn a_long_suit_that_lacks_its_two_is_no_misere() {
    let call = |hand: &str| choice(Seat::West, hand, "", "");
    assert_eq!(call("AKQJT986532.2.2."), "open-misere");
    assert_ne!(call("AKQJT986543.2.2."), "open-misere");
}
