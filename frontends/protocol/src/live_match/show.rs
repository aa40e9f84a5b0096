//! The `table` message.

use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, ContractView, HIDDEN_ACTION, Phase, Seat,
};

use super::LiveMatch;
use crate::messages::{TableView, TrickCard, VisibleAction};

impl LiveMatch {
    /// Returns the `table` message of `docs/table.md` for the person at this seat. It is built from
    /// the seat's observation, so that it contains nothing hidden. Hands are shown once a deal is
    /// over.
    pub fn show(&self, you: Seat) -> TableView {
        let obs = self.observe_as(you);
        let (public, rules) = (obs.public(), self.session.rules());
        let (full, totals) = (self.session.state(), self.session.totals());
        let done = public.is_done();
        let history: Vec<VisibleAction> = obs
            .history()
            .iter()
            .zip(self.phases())
            .map(|((seat, action), phase)| VisibleAction {
                seat,
                phase,
                action: action.map_or(HIDDEN_ACTION.to_string(), |a| a.to_string()),
            })
            .collect();
        let shown = |s: Seat| if done { full.hands()[s] } else { obs.known(s) };
        let cards = |cards: CardSet| cards.into_iter().collect::<Vec<Card>>();
        let trick = |cards: &[(Seat, Card)]| -> Vec<TrickCard> {
            cards.iter().map(|&(seat, card)| TrickCard { seat, card }).collect()
        };
        let on_table: Vec<(Seat, Card)> = public.trick().cards().collect();
        // Everybody sees that a seat lays a card aside, but not which one.
        let laid_aside = |s: Seat| {
            let discards = history.iter().filter(|d| d.phase == Phase::Discard.name());
            discards.filter(|d| d.seat == s).count() as u32
        };
        let hand_size = u32::from(rules.cards_per_hand());
        let legal = obs.legal_actions().into_iter().map(|a| a.to_string());
        let forced = rules.announced().filter(|_| public.auction().announcer().is_some());
        TableView {
            rules: rules.id().to_string(),
            target: rules.spec().match_target,
            length: self.settings.length,
            left: self.deals_left(),
            deal: self.session.deals_dealt() - 1,
            you,
            bots: BySeat::from_fn(|s| self.settings.bots[s].name().to_string()),
            dealer: public.dealer(),
            turn: (!done).then(|| public.turn()),
            phase: public.phase().name(),
            hand: cards(obs.hand()),
            shown: BySeat::from_fn(|s| if s == you { Vec::new() } else { cards(shown(s)) }),
            cards: BySeat::from_fn(|s| hand_size - obs.played(s).len() - laid_aside(s)),
            legal: legal.collect(),
            calls: obs.actions_before_play(),
            history,
            turn_up: obs.turn_up(),
            announcer: public.auction().announcer(),
            announces: forced.map(ContractKind::name),
            asked_for: obs.asked_for(),
            contract: public.contract().map(ContractView::from),
            trick: trick(&on_table),
            last_trick: trick(&self.last_trick),
            tricks: *public.tricks(),
            scores: full.scores(),
            totals: *totals,
            void: public.is_passed_out(),
            over: self.is_over(),
            undo: self.decisions_of(you).next().is_some(),
            mine: self.decisions_of(you).collect(),
            certain: obs.takes_the_rest(),
            settled: public.is_decided(),
            record: done.then(|| self.record()),
            shared: None,
        }
    }

    /// Returns the `table` message with what all seats know, for a person at this seat who has no
    /// part in the deal.
    pub fn show_common_knowledge(&self, you: Seat) -> TableView {
        let views = BySeat::from_fn(|seat| self.show(seat));
        let mut common = views[you].clone();
        (common.hand, common.legal) = (Vec::new(), Vec::new());
        common.certain = false;
        for (at, shown) in common.history.iter_mut().enumerate() {
            if views.iter().any(|view| view.history[at].action == HIDDEN_ACTION) {
                shown.action = HIDDEN_ACTION.to_string();
            }
        }
        for seat in Seat::ALL {
            // A view leaves out the hand of its seat.
            let others = Seat::ALL.into_iter().filter(|&other| other != seat);
            let known = others.map(|other| views[other].shown[seat].iter().copied().collect());
            let known = known.reduce(|all: CardSet, known: CardSet| all & known);
            common.shown[seat] = known.unwrap_or_default().into_iter().collect();
            common.turn_up = common.turn_up.filter(|_| views[seat].turn_up.is_some());
            common.asked_for = common.asked_for.filter(|_| views[seat].asked_for.is_some());
        }
        common
    }

    /// Returns the phase before each action of the deal.
    fn phases(&self) -> Vec<&'static str> {
        let mut session = self.deal_start.clone();
        let actions = self.session.state().history().iter();
        let phase = |(_, action): (Seat, Option<Action>)| {
            let phase = session.state().phase().name();
            // Cannot fail: the same actions were legal before.
            let _ = action.map(|action| session.apply(action));
            phase
        };
        actions.map(phase).collect()
    }
}
