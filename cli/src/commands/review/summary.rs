//! A reviewed deal as sentences in a person's language.

use std::fmt::Write as _;

use troel_agents::review::{Hindsight, ReviewedDecision};
use troel_env::{Action, CardSet, Contract, RuleSet, Seat, Suit};
use troel_web::Words;

use super::deal::{MIN_SHOWN_POINTS, ReviewedDeal};
use crate::commands::seat_key;

impl ReviewedDeal {
    /// Describes the deal, and for each reviewed seat its costly decisions, the worst first.
    pub(super) fn summary(&self, rules: &RuleSet, words: &Words) -> String {
        let summary = Summary { deal: self, rules, words };
        let mut text = summary.heading();
        for seat in Seat::ALL {
            let own: Vec<&ReviewedDecision> =
                self.review.decisions.iter().filter(|d| d.seat == seat).collect();
            if !own.is_empty() {
                let _ = writeln!(text, "\n{}", words.text(seat_key(seat)));
                text += &summary.decisions(own);
                let _ = writeln!(text, "  {}", summary.par(seat));
            }
        }
        text + "\n"
    }
}

struct Summary<'a> {
    deal: &'a ReviewedDeal,
    rules: &'a RuleSet,
    words: &'a Words,
}

impl Summary<'_> {
    fn heading(&self) -> String {
        let (end, words) = (&self.deal.review.end, self.words);
        let name = |seat| words.text(seat_key(seat));
        let mut line = vec![self.deal.record.rules.clone()];
        line.extend(end.contract().map(|contract| self.contract(contract)));
        if end.is_passed_out() {
            line.push(words.text("everybodyPassed").to_string());
        }
        if let Some(scores) = end.scores() {
            line.push(
                Seat::ALL
                    .map(|seat| format!("{} {}", name(seat), words.signed(scores[seat].into(), 0)))
                    .join("  "),
            );
        }
        let mut text = line.join(" · ") + "\n";
        let hands = end.deal().hands;
        for seat in Seat::ALL {
            let deals = if seat == self.deal.record.dealer {
                format!("   ({})", words.text("dealer"))
            } else {
                String::new()
            };
            let _ = writeln!(text, "  {:<6} {}{deals}", name(seat), self.hand(hands[seat]));
        }
        text
    }

    fn hand(&self, hand: CardSet) -> String {
        let suits = [Suit::Spades, Suit::Hearts, Suit::Clubs, Suit::Diamonds];
        let suits = suits.map(|suit| {
            let mut ranks: Vec<String> = hand.of(suit).iter().map(|c| self.words.rank(c)).collect();
            ranks.reverse();
            format!("{} {:<13}", suit.symbol(), ranks.concat())
        });
        suits.join(" ").trim_end().to_string()
    }

    /// Returns the contract with its declarers.
    fn contract(&self, contract: &Contract) -> String {
        let who: Vec<&str> =
            contract.declarers.iter().map(|seat| self.words.text(seat_key(seat))).collect();
        format!("{} ({})", self.words.contract(contract, self.rules), who.join(" + "))
    }

    fn action(&self, action: Action) -> String {
        match action.as_card() {
            Some(card) => self.words.card(card),
            None => self.words.call(&action.to_string(), self.rules),
        }
    }

    /// Returns the decisions of a seat in groups: those that cost points, those that are better
    /// than the bot's, and those that are worse only with all hands visible. Each begins with the
    /// worst or best.
    fn decisions(&self, own: Vec<&ReviewedDecision>) -> String {
        let words = self.words;
        let (mut costly, others): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|d| d.loss() >= MIN_SHOWN_POINTS);
        costly.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
        let mut better: Vec<_> =
            others.iter().filter(|d| d.gain_over_bot() >= MIN_SHOWN_POINTS).collect();
        better.sort_by(|a, b| b.gain_over_bot().total_cmp(&a.gain_over_bot()));
        let (free, mut hindsight): (Vec<&ReviewedDecision>, Vec<_>) =
            others.iter().partition(|d| d.tricks.unwrap_or(0) == 0);
        hindsight.sort_by_key(|d| std::cmp::Reverse(d.tricks));

        let mut text = String::new();
        let (you, best) = (words.text("youDid"), words.text("best"));
        let colon = words.text("colon");
        let line = |d: &ReviewedDecision, rest: String| {
            let did = self.action(d.did);
            format!("    {:>3}. {you}{colon}{did} · {rest}\n", d.number)
        };
        let with_best = |d: &ReviewedDecision, note: String| {
            line(d, format!("{best}{colon}{} · {note}", self.action(d.advice.best())))
        };
        if costly.is_empty() && free.is_empty() {
            let _ = writeln!(text, "  {}", words.text("noMistakes"));
        }
        if !costly.is_empty() {
            let _ = writeln!(text, "  {}{}", words.text("yourDecisions"), colon.trim_end());
        }
        for d in costly {
            let points = d.loss();
            text += &with_best(
                d,
                words.count("lostPoints", points.into(), &words.number(points.into(), 1)),
            );
        }
        for d in better {
            let gain = words.signed(d.gain_over_bot().into(), 1);
            text += &with_best(d, words.text("overBot").replace("{}", &gain));
        }
        if !free.is_empty() {
            let n = free.len();
            let _ = writeln!(text, "  {}", words.count("costNothing", n as f64, &n.to_string()));
        }
        if !hindsight.is_empty() {
            let _ = writeln!(text, "  {}{}", words.text("hindsight"), colon.trim_end());
        }
        // Which card would have kept the trick is not known here.
        for d in hindsight {
            let n = d.tricks.unwrap_or(0);
            text += &line(d, words.count("lostTricks", n.into(), &n.to_string()));
        }
        text
    }

    /// Returns par from the point of view of a seat.
    fn par(&self, seat: Seat) -> String {
        let (words, Hindsight { par, regret }) = (self.words, &self.deal.review.hindsight);
        let Some(par) = par else { return words.text("parLong").to_string() };
        let Some(contract) = &par.contract else { return words.text("parNone").to_string() };
        let mut text = words
            .text("parIs")
            .replace("{contract}", &self.contract(contract))
            .replace("{points}", &words.signed(par.points[seat].into(), 0));
        if let Some(regret) = regret.map(|regret| regret[seat]).filter(|&regret| regret != 0) {
            let key = if regret > 0 { "parRegret" } else { "parGain" };
            let n = regret.abs();
            text = text + " " + &words.count(key, n.into(), &n.to_string());
        }
        text
    }
}
