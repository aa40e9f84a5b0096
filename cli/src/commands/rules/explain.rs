//! A rule set in words.
//!
//! Every key of a rule file that changes play or points changes a sentence. All points are those
//! that the engine scores.

use troel_env::rules::{ContractSpec, DealMethod, Scoring};
use troel_env::{BySeat, Contract, ContractKind, RuleSet, Seat, SeatSet, score, score_side};

use super::sentences::Sentences;

/// Columns of the printed text.
const WIDTH: usize = 80;

/// Sentences under a heading.
struct Section {
    title: String,
    sentences: Vec<String>,
}

/// Returns the rules in words, for a person who compares them with a printed sheet.
pub fn explain(rules: &RuleSet, words: &Sentences) -> String {
    let mut text = words.fill("title", &[("id", &rules.id())]) + "\n";
    if !rules.spec().description.is_empty() {
        text += &wrapped("", &rules.spec().description);
    }
    for section in sections(rules, words) {
        text += &heading(&section.title);
        for sentence in &section.sentences {
            text += &wrapped("- ", sentence);
        }
    }
    text
}

/// Returns the sentences in which the rules differ from `other`.
pub fn compare(rules: &RuleSet, other: &RuleSet, words: &Sentences) -> String {
    let (ours, theirs) = (sections(rules, words), sections(other, words));
    let ids: [(&str, &dyn std::fmt::Display); 2] = [("id", &rules.id()), ("other", &other.id())];
    let mut text = String::new();
    // Sections of the other rules that these lack come last.
    let lacking = theirs.iter().filter(|t| !ours.iter().any(|o| o.title == t.title));
    for title in ours.iter().chain(lacking).map(|section| &section.title) {
        let of = |sections: &[Section]| -> Vec<String> {
            let found = sections.iter().find(|section| section.title == *title);
            found.map(|section| section.sentences.clone()).unwrap_or_default()
        };
        let (new, old) = (of(&ours), of(&theirs));
        let removed = old.iter().filter(|s| !new.contains(s)).map(|s| wrapped("− ", s));
        let added = new.iter().filter(|s| !old.contains(s)).map(|s| wrapped("+ ", s));
        let lines: String = removed.chain(added).collect();
        if !lines.is_empty() {
            text += &(heading(title) + &lines);
        }
    }
    let summary = if text.is_empty() { "difference.none" } else { "difference.legend" };
    let title = words.fill("difference.title", &ids);
    format!("{title}\n{}{text}", wrapped("", &words.fill(summary, &ids)))
}

fn heading(title: &str) -> String {
    format!("\n{}\n", title.to_uppercase())
}

/// Returns the text in lines of at most [`WIDTH`] columns. The first one begins with `mark`, and
/// the others are indented as much.
fn wrapped(mark: &str, text: &str) -> String {
    let indent = " ".repeat(mark.chars().count());
    let (mut lines, mut line) = (String::new(), mark.to_string());
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &(line + "\n");
            (line, is_empty) = (indent.clone(), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}

fn sections(rules: &RuleSet, words: &Sentences) -> Vec<Section> {
    let explainer = Explainer { rules, words };
    let mut sections = vec![explainer.deal()];
    sections.extend(explainer.aces());
    sections.extend([explainer.auction(), explainer.play()]);
    sections.extend(rules.rows().iter().zip(0..).map(|(row, at)| explainer.contract(row, at)));
    sections
}

struct Explainer<'a> {
    rules: &'a RuleSet,
    words: &'a Sentences,
}

impl Explainer<'_> {
    fn section(&self, title: &str, keys: &[&str]) -> Section {
        let sentences = keys.iter().map(|key| self.words.text(key)).collect();
        Section { title: self.words.text(title), sentences }
    }

    fn has(&self, is_wanted: impl Fn(ContractKind) -> bool) -> bool {
        self.rules.rows().iter().any(|row| is_wanted(row.kind))
    }

    fn deal(&self) -> Section {
        let (spec, words) = (self.rules.spec(), self.words);
        let mut section = self.section("deal.title", &["deal.cards"]);
        let ranks = spec.ranks.as_deref().unwrap_or("AKQJT98765432");
        let ranks: Vec<String> = ranks.chars().map(|rank| self.rank(rank)).collect();
        let deck = self.rules.deck().len();
        section
            .sentences
            .push(words.fill("deal.deck", &[("cards", &deck), ("ranks", &words.list(&ranks))]));
        let packet =
            |[a, b, c]: &[u8; 3]| words.fill("deal.packet", &[("a", a), ("b", b), ("c", c)]);
        let packets: Vec<String> = spec.packets.iter().map(packet).collect();
        let cards = self.rules.cards_per_hand();
        section.sentences.push(words.fill(
            "deal.packets",
            &[("cards", &cards), ("packets", &words.alternatives(&packets))],
        ));
        let mut keys = Vec::new();
        if packets.len() > 1 {
            keys.push("deal.packets_drawn");
        }
        keys.push(match spec.deal {
            DealMethod::Shuffle => "deal.shuffle",
            DealMethod::Gather => "deal.gather",
        });
        if self.rules.has_turn_up() {
            keys.push("deal.turn_up");
            let is_hidden = self.rules.announced().is_some() && !spec.turn_up_always_shown;
            keys.push(if is_hidden { "deal.turn_up_hidden" } else { "deal.turn_up_shown" });
        }
        keys.push(if spec.void_moves_dealer { "deal.void_moves" } else { "deal.void_stays" });
        keys.push("deal.not_doubled");
        section.sentences.extend(keys.into_iter().map(|key| words.text(key)));
        section.sentences.push(match spec.match_target {
            0 => words.text("deal.no_target"),
            target => words.fill("deal.target", &[("points", &target)]),
        });
        section
    }

    /// Returns the name of a rank; the letter itself for a digit.
    fn rank(&self, letter: char) -> String {
        match letter.is_ascii_digit() {
            true => letter.to_string(),
            false => self.words.text(&format!("rank.{letter}")),
        }
    }

    fn aces(&self) -> Option<Section> {
        let keys: &[&str] = match self.rules.announced()? {
            ContractKind::Trou => &["aces.trou", "aces.first", "aces.turn", "aces.trou_partner"],
            _ => &[
                "aces.troel",
                "aces.first",
                "aces.turn",
                "aces.no_ask",
                "aces.troel_three",
                "aces.troel_four",
            ],
        };
        Some(self.section("aces.title", keys))
    }

    fn auction(&self) -> Section {
        let (spec, words) = (self.rules.spec(), self.words);
        let names: Vec<String> = self.rules.rows().iter().map(|row| self.name(row)).collect();
        let mut section = self.section("auction.title", &[]);
        let order = words.fill("auction.order", &[("contracts", &words.list(&names))]);
        section.sentences.push(order);
        let mut keys = vec!["auction.first", "auction.higher"];
        if self.rules.has_turn_up() {
            keys.push(match self.has(|kind| kind == ContractKind::Solo) {
                true => "auction.turn_up_suit_solo",
                false => "auction.turn_up_suit",
            });
            keys.push("auction.equal");
        } else {
            let has_no_trumps = self.rules.rows().iter().any(|row| row.no_trumps);
            let suits = match has_no_trumps {
                true => "auction.suit_order_no_trumps",
                false => "auction.suit_order",
            };
            section.sentences.push(words.fill("auction.suits", &[("suits", &words.text(suits))]));
        }
        keys.extend(["auction.pass", "auction.standing"]);
        keys.extend(if self.rules.has_turn_up() { self.turn_up_calls() } else { self.proposals() });
        if self.has(ContractKind::is_negative) {
            keys.push(if spec.share_miseres { "shared.yes" } else { "shared.no" });
        }
        keys.push("auction.end");
        section.sentences.extend(keys.into_iter().map(|key| words.text(key)));
        section
    }

    fn proposals(&self) -> Vec<&'static str> {
        let spec = self.rules.spec();
        let mut keys = vec!["proposals.wait"];
        if self.has(|kind| kind == ContractKind::Suit) {
            keys.extend(["proposals.propose", "proposals.again", "proposals.partner"]);
            if self.has(ContractKind::is_negative) {
                keys.push(match spec.misere_ends_proposals {
                    true => "proposals.misere_ends",
                    false => "proposals.misere_ends_not",
                });
            }
            keys.extend(["proposals.along", "proposals.along_card", "proposals.raise"]);
            keys.push("proposals.released");
            keys.push(if spec.stay { "proposals.stay" } else { "proposals.stay_not" });
            keys.push("proposals.bare");
        }
        if self.has(|kind| kind == ContractKind::Solo) {
            keys.push(match spec.solo_needs_proposal {
                true => "proposals.solo_bound",
                false => "proposals.solo_free",
            });
        }
        if self.has(ContractKind::is_abondance_or_slam) {
            keys.push("proposals.first_turn");
        }
        if self.has(ContractKind::is_negative) {
            keys.push("proposals.negative");
        }
        keys
    }

    fn turn_up_calls(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        if self.has(|kind| kind == ContractKind::Suit) {
            keys.extend(["turn_up.ask", "turn_up.along", "turn_up.bare"]);
            if self.has(|kind| kind == ContractKind::Alone) {
                keys.push("turn_up.alone");
            }
            keys.push("turn_up.outbid");
        }
        keys.push("turn_up.lone");
        let is = |wanted| move |kind| kind == wanted;
        if self.has(is(ContractKind::Slam)) && self.has(is(ContractKind::SoloSlim)) {
            keys.push("turn_up.slam_suit");
        }
        keys
    }

    fn play(&self) -> Section {
        let spec = self.rules.spec();
        let mut keys = vec!["points.follow"];
        keys.push(if spec.stop_when_decided { "points.stopped" } else { "points.played_out" });
        keys.push(match spec.scoring {
            Scoring::Table => "points.table",
            Scoring::Settlement => "points.settlement",
        });
        if self.has(ContractKind::is_negative) && spec.share_miseres {
            keys.push("points.each");
            if spec.scoring == Scoring::Settlement {
                keys.push("points.several_settled");
            }
        }
        self.section("points.title", &keys)
    }

    fn name(&self, row: &ContractSpec) -> String {
        let key = match row.kind {
            ContractKind::Slam if self.rules.has_turn_up() => "name.slam-flanders".to_string(),
            kind => format!("name.{}", kind.name()),
        };
        self.words.fill(&key, &[("level", &row.level)])
    }

    fn contract(&self, row: &ContractSpec, at: u8) -> Section {
        let mut sentences = self.aim(row);
        let declarers = Seat::ALL[..if row.kind.is_pair() { 2 } else { 1 }].iter().copied();
        let contract = self.rules.contract_of_row(at, None, declarers.collect());
        if row.kind.is_negative() {
            sentences.extend(self.points_of_misere(contract));
        } else if row.kind == ContractKind::Troel {
            for goal in [contract.goal, contract.goal + 1] {
                sentences.push(self.words.fill("contract.needed", &[("goal", &goal)]));
                sentences.extend(self.points_of_side(Contract { goal, ..contract }));
            }
        } else {
            sentences.extend(self.points_of_side(contract));
        }
        Section { title: self.name(row), sentences }
    }

    /// Returns the players, tricks, trumps and special rules of a contract.
    fn aim(&self, row: &ContractSpec) -> Vec<String> {
        use ContractKind as K;
        let (spec, words) = (self.rules.spec(), self.words);
        let has_turn_up = self.rules.has_turn_up();
        let mut keys = vec![match row.kind {
            K::Suit if has_turn_up => "contract.suit_turn_up",
            K::Suit => "contract.suit_proposals",
            K::Trou => "contract.trou",
            K::Troel => "contract.troel",
            K::Alone => "contract.alone",
            _ => "contract.lone",
        }];
        keys.push(match row.kind {
            K::Suit if has_turn_up => "contract.trumps_turn_up",
            K::Suit => "contract.trumps_proposed",
            K::Alone | K::SoloSlim => "contract.trumps_turn_up",
            K::Trou => "contract.trumps_partner",
            K::Troel => "contract.trumps_lead",
            K::Slam | K::SmallSlam if row.no_trumps => "contract.trumps_or_none",
            kind if kind.is_negative() => "contract.trumps_none",
            _ => "contract.trumps_named",
        });
        match row.kind {
            K::Troel if spec.troel_leads_key_card => {
                keys.extend(["contract.leads_key_card", "contract.eight_nine_aces"]);
            }
            K::Troel => keys.extend([
                "contract.leads_partner",
                "contract.ace_falls",
                "contract.eight_nine_lead",
            ]),
            K::Trou => keys.push("contract.leads_partner"),
            kind if kind.declarer_leads() => keys.push("contract.leads_declarer"),
            _ => keys.push("contract.leads_eldest"),
        }
        match row.kind {
            K::Piccolo => keys.push("contract.one"),
            kind if kind.is_misere() => keys.push("contract.none"),
            _ => {}
        }
        if row.kind == K::Misere && has_turn_up {
            match spec.exchange {
                true => keys.extend(["contract.exchange", "contract.refuse"]),
                false => keys.push("contract.exchange_not"),
            }
        }
        let mut sentences: Vec<String> = keys.into_iter().map(|key| words.text(key)).collect();
        let tricks = self.rules.cards_per_hand();
        match row.kind {
            K::SmallMisere => {
                sentences.push(words.fill("contract.aside", &[("tricks", &(tricks - 1))]));
            }
            K::OpenMisere => sentences.push(match spec.open_misere_shown_after {
                0 => words.text("contract.shown_first"),
                after => words.fill("contract.shown_after", &[("tricks", &after)]),
            }),
            K::Misere | K::Piccolo | K::Troel => {}
            _ => sentences
                .push(words.fill("contract.tricks", &[("goal", &row.goal()), ("of", &tricks)])),
        }
        sentences
    }

    /// Returns the points of a contract for tricks.
    fn points_of_side(&self, contract: Contract) -> Vec<String> {
        let is_pair = contract.kind.is_pair();
        let (us, them) = (Seat::ALL[0], Seat::ALL[3]);
        let all = self.rules.cards_per_hand();
        let made = |seat: Seat| {
            let score = |tricks| score_side(self.rules, &contract, tricks)[seat];
            self.made((contract.goal..=all).map(|tricks| (tricks, score(tricks))))
        };
        let failed = |seat: Seat| {
            let score = |short| score_side(self.rules, &contract, contract.goal - short)[seat];
            self.failed(score(1), if contract.goal > 1 { score(2) - score(1) } else { 0 })
        };
        let line = |key: &str, points: String| self.words.fill(key, &[("points", &points)]);
        let mut lines =
            vec![line(if is_pair { "points.made_pair" } else { "points.made_lone" }, made(us))];
        if self.rules.is_zero_sum() {
            lines.push(line("points.made_defenders", made(them)));
        }
        let key = if is_pair { "points.failed_pair" } else { "points.failed_lone" };
        lines.push(line(key, failed(us)));
        lines.push(line("points.failed_defenders", failed(them)));
        lines
    }

    /// Returns the points of a misère or piccolo.
    fn points_of_misere(&self, contract: Contract) -> Vec<String> {
        let allowed = contract.kind.allowed_tricks();
        let (us, them) = (Seat::ALL[0], Seat::ALL[3]);
        let points = |contract: &Contract, tricks: u8, seat: Seat| {
            signed(score(self.rules, contract, &BySeat([tricks; 4]))[seat])
        };
        // A misère fails with one trick, a piccolo with none.
        let (made, failed) = (allowed, 1 - allowed);
        let line = |key: &str, points: String| self.words.fill(key, &[("points", &points)]);
        let mut lines = vec![line("points.made_lone", points(&contract, made, us))];
        if self.rules.is_zero_sum() {
            lines.push(line("points.made_defenders", points(&contract, made, them)));
        }
        lines.push(line("points.failed_lone", points(&contract, failed, us)));
        lines.push(line("points.failed_defenders", points(&contract, failed, them)));
        if self.rules.spec().share_miseres && !self.rules.is_zero_sum() {
            let declarers: SeatSet = Seat::ALL[..2].iter().copied().collect();
            let several = Contract { declarers, ..contract };
            lines.push(line("points.several", points(&several, failed, them)));
        }
        lines
    }

    /// Returns points by tricks, with equal points of neighbours in one range.
    fn made(&self, points: impl Iterator<Item = (u8, i32)>) -> String {
        let mut runs: Vec<(u8, u8, i32)> = Vec::new();
        for (tricks, points) in points {
            match runs.last_mut() {
                Some((_, to, same)) if *same == points => *to = tricks,
                _ => runs.push((tricks, tricks, points)),
            }
        }
        if let [(_, _, points)] = runs[..] {
            return signed(points);
        }
        let figure = |(i, &(from, to, points)): (usize, &(u8, u8, i32))| {
            let tricks = match from == to {
                true => from.to_string(),
                false => self.words.fill("points.range", &[("from", &from), ("to", &to)]),
            };
            let key = match (i, to) {
                (0, 1) => "points.first_one",
                (0, _) => "points.first",
                _ => "points.next",
            };
            self.words.fill(key, &[("points", &signed(points)), ("tricks", &tricks)])
        };
        self.words.list(&runs.iter().enumerate().map(figure).collect::<Vec<_>>())
    }

    /// Returns the points with one trick short, and those for each further one.
    fn failed(&self, first: i32, more: i32) -> String {
        match more {
            0 => signed(first),
            _ => self
                .words
                .fill("points.short", &[("points", &signed(first)), ("more", &signed(more))]),
        }
    }
}

/// Returns the number with its sign.
fn signed(points: i32) -> String {
    match points {
        0 => "0".to_string(),
        _ => format!("{points:+}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests;
