//! Tests of the explanations.

use std::path::Path;

use troel_env::rules::{Family, Spec};

use super::*;

/// A key of a rule file, and a change of its value.
type Change<T> = (&'static str, fn(&mut T));

fn words() -> Sentences {
    Sentences::english().expect("sentences")
}

/// Returns the rule set of a changed specification; `None` if it is refused.
fn changed(spec: &Spec, change: impl Fn(&mut Spec)) -> Option<&'static RuleSet> {
    let mut spec = spec.clone();
    spec.id = "club".into();
    change(&mut spec);
    RuleSet::from_spec(spec, "club").ok()
}

/// `TROEL_WRITE_EXPLAINED=1` writes the texts, to be read before they are committed.
#[test]
fn the_built_in_rules_have_these_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explained");
    for rules in RuleSet::all_built_in() {
        let text = explain(rules, &words());
        assert!(!text.contains('{') && text.lines().all(|line| line.chars().count() <= WIDTH));
        let path = folder.join(format!("{}.txt", rules.id()));
        if std::env::var_os("TROEL_WRITE_EXPLAINED").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &text).expect("written");
        }
        let committed = std::fs::read_to_string(&path).expect("a committed text");
        assert!(text == committed, "{}:\n{text}", path.display());
    }
}

/// Every key of a rule file that a rule set may change changes the text.
#[test]
fn each_key_of_a_rule_set_is_in_the_text() {
    let changes: [Change<Spec>; 14] = [
        ("description", |spec| spec.description += " (club)"),
        ("deal", |spec| {
            spec.deal = match spec.deal {
                DealMethod::Shuffle => DealMethod::Gather,
                DealMethod::Gather => DealMethod::Shuffle,
            }
        }),
        ("packets", |spec| spec.packets = vec![[3, 5, 5]]),
        ("match_target", |spec| spec.match_target += 7),
        ("void_moves_dealer", |spec| spec.void_moves_dealer ^= true),
        ("open_misere_shown_after", |spec| spec.open_misere_shown_after += 1),
        ("stop_when_decided", |spec| spec.stop_when_decided ^= true),
        ("share_miseres", |spec| spec.share_miseres ^= true),
        ("stay", |spec| spec.stay ^= true),
        ("solo_needs_proposal", |spec| spec.solo_needs_proposal ^= true),
        ("misere_ends_proposals", |spec| spec.misere_ends_proposals ^= true),
        ("turn_up_always_shown", |spec| spec.turn_up_always_shown ^= true),
        ("exchange", |spec| spec.exchange ^= true),
        ("troel_leads_key_card", |spec| spec.troel_leads_key_card ^= true),
    ];
    for rules in RuleSet::all_built_in() {
        let same = changed(rules.spec(), |_| {}).expect("the same rules");
        let before = explain(same, &words());
        for (key, change) in changes {
            let Some(changed) = changed(rules.spec(), change) else {
                let of_other_family: &[&str] = match rules.spec().family {
                    Family::Proposals => {
                        &["turn_up_always_shown", "exchange", "troel_leads_key_card"]
                    }
                    Family::TurnUp => &["stay", "solo_needs_proposal", "misere_ends_proposals"],
                };
                assert!(of_other_family.contains(&key), "{}: {key} is refused", rules.id());
                continue;
            };
            assert!(explain(changed, &words()) != before, "{}: {key}", rules.id());
            assert!(compare(changed, same, &words()).contains("+ ") || key == "description");
        }
    }
}

/// Points by declarers and tricks of all outcomes of a row.
fn points(rules: &RuleSet, at: u8) -> Vec<BySeat<i32>> {
    let row = rules.row(at);
    let of = |declarers: usize, kind_goal: u8| {
        let declarers: SeatSet = Seat::ALL[..declarers].iter().copied().collect();
        let contract = rules.contract_of_row(at, None, declarers);
        let contract = Contract { goal: contract.goal + kind_goal, ..contract };
        if row.kind.is_negative() {
            let outcome = |tricks| score(rules, &contract, &BySeat([tricks; 4]));
            [0, 1].map(outcome).to_vec()
        } else {
            let tricks = 0..=rules.cards_per_hand();
            tricks.map(|tricks| score_side(rules, &contract, tricks)).collect()
        }
    };
    match row.kind {
        kind if kind.is_negative() && rules.spec().share_miseres => [of(1, 0), of(2, 0)].concat(),
        ContractKind::Troel => [of(2, 0), of(2, 1)].concat(),
        kind => of(if kind.is_pair() { 2 } else { 1 }, 0),
    }
}

/// The text changes exactly if the points of an outcome do.
#[test]
fn each_point_of_a_contract_is_in_the_text() {
    let changes: [Change<ContractSpec>; 8] = [
        ("made", |row| row.made[0] += 3),
        ("overtrick", |row| row.overtrick += 1),
        ("all_tricks_factor", |row| row.all_tricks_factor += 1),
        ("failed", |row| row.failed += 5),
        ("undertrick", |row| row.undertrick += 1),
        ("opponents", |row| row.opponents += 1),
        ("opponents_undertrick", |row| row.opponents_undertrick += 1),
        ("opponents_several", |row| {
            row.opponents_several = Some(row.opponents_several.unwrap_or(row.opponents) + 2);
        }),
    ];
    let mut compared = 0;
    for rules in RuleSet::all_built_in() {
        let same = changed(rules.spec(), |_| {}).expect("the same rules");
        let before = explain(same, &words());
        for at in 0..rules.rows().len() {
            for (key, change) in changes {
                let changed = changed(rules.spec(), |spec| change(&mut spec.contract[at]));
                let Some(changed) = changed else { continue };
                let differs = points(changed, at as u8) != points(same, at as u8);
                let text = explain(changed, &words());
                assert_eq!(text != before, differs, "{}: {key} of row {at}", rules.id());
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn values_fill_a_template_and_a_missing_key_stays() {
    let words = words();
    assert_eq!(words.fill("deal.packet", &[("a", &4), ("b", &4), ("c", &5)]), "4-4-5");
    assert_eq!(words.text("no.such"), "no.such");
}
