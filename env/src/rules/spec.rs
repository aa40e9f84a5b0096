//! The rule file as written.

use serde::{Deserialize, Serialize};

use crate::cards::{Card, CardSet, Suit, rank_from_letter};
use crate::contract::ContractKind;
use crate::text::{excerpt, plain_message, printable};

/// Maximum number of contracts of a rule set.
pub(crate) const MAX_CONTRACTS: usize = 24;

/// Kind of auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Any suit may be proposed (Luxembourg).
    Proposals,
    /// Only the suit of the turned-up card may be asked for (Flanders).
    TurnUp,
}

/// Conversion of figures to points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// The winners get the table's points (Luxembourg).
    Table,
    /// The sides pay each other the figure; always zero-sum (Flanders).
    Settlement,
}

/// Source of the next deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DealMethod {
    /// Shuffled every time.
    Shuffle,
    /// Shuffled once; afterwards the tricks are gathered, cut and dealt in packets.
    Gather,
}

/// A rule file. See `configs/rules/` for the four built-in ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Identifier: 1 to 64 letters, digits, dashes and underscores, a letter or digit first.
    pub id: String,
    /// Description: one line of at most 300 characters.
    #[serde(default)]
    pub description: String,
    /// Kind of auction.
    pub family: Family,
    /// Conversion of figures to points.
    pub scoring: Scoring,
    /// Source of deals.
    pub deal: DealMethod,
    /// Ranks in the deck, highest first, each once. `AKQJ` is a deck of 16 cards, four in each
    /// hand. Without it the deck has all 13 ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<String>,
    /// Sizes of the packets; several alternatives are drawn from at random.
    pub packets: Vec<[u8; 3]>,
    /// A match ends when a player has this many points; 0 for no end.
    pub match_target: i32,
    /// Whether the deal passes to the next dealer after a passed-out deal.
    pub void_moves_dealer: bool,
    /// Tricks after which the cards of an open misère are shown.
    pub open_misere_shown_after: u8,
    /// Whether a deal ends as soon as no score can change any more.
    #[serde(default)]
    pub stop_when_decided: bool,
    /// Whether misères and piccolo may be joined while they are the standing contract.
    pub share_miseres: bool,
    /// Whether the proposer may `stay` (proposals).
    #[serde(default)]
    pub stay: bool,
    /// Whether a solo needs an unanswered proposal, or that no proposal is possible (proposals).
    #[serde(default)]
    pub solo_needs_proposal: bool,
    /// Whether proposals end once a misère or piccolo was called (proposals).
    #[serde(default)]
    pub misere_ends_proposals: bool,
    /// Whether the turn-up is face up from the start, also under troel (turn-up).
    #[serde(default)]
    pub turn_up_always_shown: bool,
    /// Whether the dealer may exchange the turn-up before a misère (turn-up).
    #[serde(default)]
    pub exchange: bool,
    /// Whether the troel partner leads the card that made the partnership (turn-up). The suit of
    /// that card, an ace or a heart, is then trumps. Otherwise the partner leads any card.
    #[serde(default)]
    pub troel_leads_key_card: bool,
    /// The contracts, lowest rank first.
    pub contract: Vec<ContractSpec>,
}

/// A row of the contract table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractSpec {
    /// Kind.
    pub kind: ContractKind,
    /// Tricks to make (absent for misères and piccolo).
    #[serde(default)]
    pub level: u8,
    /// Tricks to make in a deck of fewer ranks, where the level only names the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tricks: Option<u8>,
    /// Whether it may be played without trumps (slams).
    #[serde(default)]
    pub no_trumps: bool,
    /// Points for making it with 0, 1, 2 … overtricks; the last one counts for all further.
    pub made: Vec<i32>,
    /// Added for each overtrick beyond the end of `made`.
    #[serde(default)]
    pub overtrick: i32,
    /// Factor on the figure when all tricks of the deal are made.
    #[serde(default = "one")]
    pub all_tricks_factor: i32,
    /// Points lost by each declarer when it fails.
    pub failed: i32,
    /// Lost in addition for each trick short.
    #[serde(default)]
    pub undertrick: i32,
    /// Points for each opponent when it fails (scoring `table`).
    #[serde(default)]
    pub opponents: i32,
    /// Added for each trick short (scoring `table`).
    #[serde(default)]
    pub opponents_undertrick: i32,
    /// Points for each opponent when several declarers failed (scoring `table`).
    #[serde(default)]
    pub opponents_several: Option<i32>,
}

fn one() -> i32 {
    1
}

/// Maximum number of characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Maximum of a points value in a rule file; more is treated as a typing error.
pub(crate) const MAX_POINTS: i32 = 10_000;
/// Maximum factor; more is treated as a typing error. With both limits, the points of a deal stay
/// below thirty million.
const MAX_FACTOR: i32 = 100;

impl ContractSpec {
    /// Returns the tricks to make; 0 for misères and piccolo.
    pub fn goal(&self) -> u8 {
        self.tricks.unwrap_or(self.level)
    }
}

impl Spec {
    /// Returns the index in the contract table of the contract of this kind and level.
    pub(crate) fn row_of(&self, kind: ContractKind, level: u8) -> Option<usize> {
        self.contract.iter().position(|row| row.kind == kind && row.level == level)
    }

    /// Returns the cards of the deck: each rank in all four suits.
    pub fn deck(&self) -> CardSet {
        let Some(ranks) = &self.ranks else { return CardSet::FULL };
        let ranks = ranks.chars().filter_map(rank_from_letter);
        ranks.flat_map(|rank| Suit::ALL.map(|suit| Card::new(suit, rank))).collect()
    }

    /// Returns the cards in each hand, and tricks of a deal: 1 to 13.
    pub fn cards_per_hand(&self) -> u8 {
        (self.deck().len() / 4) as u8
    }

    /// Parses a rule file.
    pub(super) fn parse(text: &str) -> Result<Spec, String> {
        toml::from_str(text).map_err(|error| {
            let reason = plain_message(&error.message().replace('\n', " "));
            // A key that the file lacks is on no line.
            let lacks_key = error.message().starts_with("missing field");
            match error.span().filter(|s| s.start > 0 || !lacks_key && s.end < text.len()) {
                Some(span) => {
                    let start = span.start.min(text.len());
                    let number = text[..start].matches('\n').count() + 1;
                    let line = text.lines().nth(number - 1).unwrap_or("").trim();
                    format!("line {number} (`{line}`): {reason}")
                }
                None => reason,
            }
        })
    }

    /// Refuses rules that parse but are inconsistent or out of range.
    pub(super) fn validate(&self) -> Result<(), String> {
        let name_ok = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        // Front ends use the id as a key, and names such as `__proto__` have a meaning in some
        // languages.
        let begins_well = self.id.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins_well || self.id.len() > 64 || !self.id.chars().all(name_ok) {
            return Err(format!(
                "id {:?} must be 1 to 64 letters, digits, - or _, a letter or digit first",
                excerpt(&self.id, 64)
            ));
        }
        let is_long = self.description.chars().count() > MAX_DESCRIPTION_CHARS;
        if is_long || printable(&self.description) != self.description {
            return Err(format!(
                "description must be one line of at most {MAX_DESCRIPTION_CHARS} characters, none \
                 of them a control character"
            ));
        }
        self.validate_deck()?;
        let cards = self.cards_per_hand();
        let size = |packet: &[u8; 3]| packet.iter().map(|&n| u32::from(n)).sum::<u32>();
        if self.packets.is_empty() || self.packets.iter().any(|p| size(p) != u32::from(cards)) {
            return Err(format!("packets must be a list of triples that each add up to {cards}"));
        }
        if !(0..=1_000_000).contains(&self.match_target) {
            return Err("match_target must be 0 (no end) to 1000000".to_string());
        }
        if self.open_misere_shown_after > cards {
            return Err(format!("open_misere_shown_after must be 0 to {cards} tricks"));
        }
        let family_options = [
            ("stay", self.stay, Family::Proposals),
            ("solo_needs_proposal", self.solo_needs_proposal, Family::Proposals),
            ("misere_ends_proposals", self.misere_ends_proposals, Family::Proposals),
            ("turn_up_always_shown", self.turn_up_always_shown, Family::TurnUp),
            ("exchange", self.exchange, Family::TurnUp),
            ("troel_leads_key_card", self.troel_leads_key_card, Family::TurnUp),
        ];
        for (key, set, family) in family_options {
            if set && family != self.family {
                return Err(format!("{key} does not exist in this family of auctions; remove it"));
            }
        }
        if !(1..=MAX_CONTRACTS).contains(&self.contract.len()) {
            return Err(format!(
                "contract: a rule set has 1 to {MAX_CONTRACTS} [[contract]] tables"
            ));
        }
        for (i, row) in self.contract.iter().enumerate() {
            let place = format!("contract {} ({} {})", i + 1, row.kind.name(), row.level);
            self.validate_row(row).map_err(|e| format!("{place}: {e}"))?;
            let same = |r: &&ContractSpec| r.kind == row.kind && r.level == row.level;
            if self.contract[..i].iter().any(|r| same(&r)) {
                return Err(format!("{place}: kind and level are listed twice"));
            }
        }
        Ok(())
    }

    /// Refuses ranks that do not form a deck, and options that a deck of fewer ranks lacks.
    fn validate_deck(&self) -> Result<(), String> {
        let Some(ranks) = &self.ranks else { return Ok(()) };
        let numbers: Vec<_> = ranks.chars().map(rank_from_letter).collect();
        let is_falling = numbers.windows(2).all(|pair| pair[0] > pair[1]);
        if numbers.is_empty() || numbers.contains(&None) || !is_falling {
            return Err("ranks must be some of AKQJT98765432, highest first, each once".to_string());
        }
        if self.deal == DealMethod::Gather {
            return Err("deal = \"gather\" needs all 13 ranks; use \"shuffle\"".to_string());
        }
        if self.exchange {
            return Err("exchange needs all 13 ranks; remove it".to_string());
        }
        Ok(())
    }

    /// Refuses a trick goal that the deck does not allow.
    fn validate_goal(&self, row: &ContractSpec) -> Result<(), String> {
        let cards = self.cards_per_hand();
        match (self.ranks.is_some(), row.kind.is_negative(), row.tricks) {
            (true, _, _) if row.kind.is_announced() => {
                Err("it is announced on aces and needs all 13 ranks; remove it".to_string())
            }
            (true, true, None) if row.kind == ContractKind::SmallMisere && cards < 2 => {
                Err("each seat lays a card aside: it needs two ranks or more".to_string())
            }
            (true, false, Some(tricks)) if (1..=cards).contains(&tricks) => Ok(()),
            (true, false, _) => Err(format!("tricks must be 1 to {cards}, the cards of a hand")),
            (_, _, Some(_)) => {
                Err("tricks is for trick contracts of a rule set with ranks; remove it".to_string())
            }
            (_, _, None) => Ok(()),
        }
    }

    fn validate_row(&self, row: &ContractSpec) -> Result<(), String> {
        use ContractKind as K;
        let turn_up = self.family == Family::TurnUp;
        let levels = match row.kind {
            K::Suit if turn_up => 8..=8,
            K::Suit => 8..=13,
            K::Solo => 6..=8,
            K::Abondance => 9..=12,
            K::SmallMisere | K::Misere | K::OpenMisere | K::Piccolo => 0..=0,
            K::Trou if !turn_up => 9..=9,
            K::Troel if turn_up => 8..=8,
            K::SmallSlam => 12..=12,
            K::Slam => 13..=13,
            K::Alone if turn_up => 5..=5,
            K::SoloSlim if turn_up => 13..=13,
            _ => {
                return Err("kind does not exist in this family of auctions; remove the contract"
                    .to_string());
            }
        };
        if !levels.contains(&row.level) {
            let (lowest, highest) = (levels.start(), levels.end());
            let allowed = if lowest == highest {
                lowest.to_string()
            } else {
                format!("{lowest} to {highest}")
            };
            return Err(format!("level must be {allowed}"));
        }
        self.validate_goal(row)?;
        // One for each number of overtricks; a misère or piccolo has none.
        let most = match row.kind.is_negative() {
            true => 1,
            false => usize::from(self.cards_per_hand() - row.goal()) + 1,
        };
        if row.made.is_empty() || row.made.len() > most {
            let figures =
                if most == 1 { "figure".to_string() } else { format!("to {most} figures") };
            let overtricks = if most == 1 { "no overtricks" } else { "0, 1, 2 … overtricks" };
            return Err(format!(
                "made has {} figures; it must have 1 {figures}, for {overtricks}",
                row.made.len()
            ));
        }
        if row.no_trumps && !matches!(row.kind, K::Slam | K::SmallSlam) {
            return Err("no_trumps is for slams only; remove it".to_string());
        }
        let points = [
            ("overtrick", row.overtrick),
            ("failed", row.failed),
            ("undertrick", row.undertrick),
            ("opponents", row.opponents),
            ("opponents_undertrick", row.opponents_undertrick),
            ("opponents_several", row.opponents_several.unwrap_or(0)),
        ];
        let made = row.made.iter().map(|&m| ("made", m));
        for (key, value) in points.into_iter().chain(made) {
            if !(0..=MAX_POINTS).contains(&value) {
                return Err(format!("{key} = {value} must be 0 to {MAX_POINTS}"));
            }
        }
        if !(0..=MAX_FACTOR).contains(&row.all_tricks_factor) {
            let factor = row.all_tricks_factor;
            return Err(format!("all_tricks_factor = {factor} must be 0 to {MAX_FACTOR}"));
        }
        Ok(())
    }
}
