//! Worlds: what the hidden cards could be, given all that everybody knows.
//!
//! Aces that an announcement speaks of are placed first, by simple odds. The other cards are dealt to the unseen
//! places so that counts, suits shown not to be held and known cards fit, every such deal as likely as any other.
//! Then the whole history is replayed on the world and must
//! be legal and look the same to the observer. What the constraints cannot say (a card of the suit gone along
//! with, an ace that had to be played) the replay does.

use troel_env::rng::Stream;
use troel_env::{
    Action, Card, CardSet, ContractKind, Deal, Observation, Phase, Seat, SeatSet, State, Suit,
};

/// Attempts at one world before the sampler gives up. A world that fits the counts and suits fails the replay
/// only on rare details, so that many failures mean a fault in the program.
const ATTEMPTS: usize = 400;

/// A holder of unseen cards.
#[derive(Clone, Copy, Debug)]
struct Holder {
    /// Number of unseen cards.
    room: usize,
    /// Suits it cannot hold, bit by suit.
    void: u8,
}

/// Where the unseen cards of an observation may be.
pub struct Worlds<'o> {
    obs: &'o Observation,
    unseen: CardSet,
    /// Three other seats, clockwise from the observer, and the cards laid aside by them.
    holders: [Holder; 4],
    /// The seat with three aces or more, where it is another one and its aces are not all known.
    announcer: Option<Seat>,
    /// A swap of the exchange: holder, card given to the dealer.
    swap: Option<(Seat, Card)>,
    counts: Counts,
}

/// No world was found that fits an observation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no deal of the unseen cards fits what was seen (a fault in the record, or in the program): {0}"
)]
pub struct NoWorld(String);

impl<'o> Worlds<'o> {
    /// The worlds of an observation.
    pub fn new(obs: &'o Observation) -> Worlds<'o> {
        let me = obs.seat();
        let laid_aside = aside_so_far(obs);
        let mut holders = [Holder { room: 0, void: 0 }; 4];
        for step in 1..4 {
            let seat = me.plus(step);
            let out = obs.played(seat).len() + obs.known(seat).len();
            let room = 13 - out as usize - usize::from(laid_aside.has(seat));
            holders[step - 1] = Holder { room, void: obs.voids(seat) };
        }
        holders[3].room = (laid_aside - SeatSet::single(me)).len() as usize;
        let announcer = obs.state().auction().announcer().filter(|&seat| seat != me);
        Worlds {
            obs,
            unseen: obs.unseen(),
            holders,
            announcer,
            swap: swapped(obs),
            counts: Counts::default(),
        }
    }

    /// Draws a world: the cards as dealt, and the deal as it stands.
    ///
    /// # Errors
    /// None was found in a bounded number of attempts.
    pub fn sample(&mut self, stream: &mut Stream) -> Result<(Deal, State), NoWorld> {
        for _ in 0..ATTEMPTS {
            if let Some(world) = self.attempt(stream) {
                return Ok(world);
            }
        }
        Err(NoWorld(format!("{:?}", self.obs)))
    }

    fn attempt(&mut self, stream: &mut Stream) -> Option<(Deal, State)> {
        let mut holders = self.holders;
        let mut unseen = self.unseen;
        let mut dealt = [CardSet::EMPTY; 4];
        for (place, card) in self.draw_aces(stream)? {
            holders[place].room = holders[place].room.checked_sub(1)?;
            dealt[place].insert(card);
            unseen.remove(card);
        }
        self.deal(&holders, unseen, &mut dealt, stream)?;
        self.replay(&dealt, stream)
    }

    /// Places of the unseen aces, as far as the announcement tells: the announcer has three of the four.
    fn draw_aces(&self, stream: &mut Stream) -> Option<Vec<(usize, Card)>> {
        let obs = self.obs;
        let contract = obs.state().contract().filter(|c| c.kind.is_forced());
        let Some(announcer) = self.announcer else {
            // The observer announced, and knows what card made its holder the partner.
            let partner =
                contract.and_then(|c| (c.declarers - SeatSet::single(obs.seat())).first());
            let key = obs.key_card().filter(|&card| obs.unseen().has(card));
            let place = |seat: Seat| seat.relative_to(obs.seat()) - 1;
            return Some(
                partner.zip(key).map(|(seat, key)| (place(seat), key)).into_iter().collect(),
            );
        };
        let place = announcer.relative_to(obs.seat()) - 1;
        let open = obs.unseen().aces();
        let has = obs.known(announcer) | obs.played(announcer);
        let wanted = 3usize.saturating_sub(has.aces().len() as usize);
        let mut aces: Vec<Card> = open.collect();
        if aces.len() < wanted {
            return None;
        }
        stream.shuffle(&mut aces);
        let four = obs.state().rules().spec().family == troel_env::rules::Family::TurnUp
            && aces.len() > wanted
            // A hand with three aces has four in one case of seventeen.
            && stream.below(17) == 0;
        aces.truncate(wanted + usize::from(four));
        let mut places: Vec<(usize, Card)> = aces.into_iter().map(|ace| (place, ace)).collect();
        // Whoever became the partner holds the ace that the announcer lacks.
        let partner = contract.and_then(|c| (c.declarers - SeatSet::single(announcer)).first());
        if let Some(partner) = partner.filter(|&p| p != obs.seat() && !four) {
            let rest = open - places.iter().map(|&(_, ace)| ace).collect();
            places.extend(rest.map(|ace| (partner.relative_to(obs.seat()) - 1, ace)));
        }
        Some(places)
    }

    /// Deals the unseen cards to the holders, every deal that fits as likely as any other.
    fn deal(
        &mut self,
        holders: &[Holder; 4],
        unseen: CardSet,
        dealt: &mut [CardSet; 4],
        stream: &mut Stream,
    ) -> Option<()> {
        let mut room = holders.map(|holder| holder.room);
        if holders.iter().all(|holder| holder.void == 0 || holder.room == 0) {
            let mut cards = [Card::ace(Suit::Spades); 52];
            let mut n = 0;
            for card in unseen {
                cards[n] = card;
                n += 1;
            }
            stream.shuffle(&mut cards[..n]);
            let mut cards = cards[..n].iter();
            for (place, set) in dealt.iter_mut().enumerate() {
                *set |= cards.by_ref().take(room[place]).copied().collect();
            }
            return Some(());
        }
        self.counts.start(holders, unseen);
        for suit in Suit::ALL {
            let cards = unseen.of(suit);
            let split = self.counts.draw(suit.index(), &room, stream)?;
            let mut list = [Card::ace(suit); 13];
            let mut n = 0;
            for card in cards {
                list[n] = card;
                n += 1;
            }
            stream.shuffle(&mut list[..n]);
            let mut list = list[..n].iter();
            for place in 0..4 {
                dealt[place] |= list.by_ref().take(split[place]).copied().collect();
                room[place] -= split[place];
            }
        }
        Some(())
    }

    /// The state of the world after the history, if that is possible and looks the same to the observer.
    fn replay(&self, dealt: &[CardSet; 4], stream: &mut Stream) -> Option<(Deal, State)> {
        let (obs, me) = (self.obs, self.obs.seat());
        let mut hands = troel_env::BySeat([CardSet::EMPTY; 4]);
        let mut aside = dealt[3];
        let mut aside_of = troel_env::BySeat([None; 4]);
        let laid_aside = aside_so_far(obs);
        for seat in Seat::ALL {
            hands[seat] = obs.known(seat) | obs.played(seat);
            if seat == me {
                hands[seat] |= obs.laid_aside().into_iter().collect();
                continue;
            }
            hands[seat] |= dealt[seat.relative_to(me) - 1];
            if laid_aside.has(seat) {
                let mut cards = aside;
                let card = cards.nth(stream.below(aside.len()) as usize)?;
                aside.remove(card);
                hands[seat].insert(card);
                aside_of[seat] = Some(card);
            }
        }
        let state = obs.state();
        let dealer = state.dealer();
        if let (Some((holder, given)), Some(turn_up)) = (self.swap, obs.turn_up()) {
            hands[dealer].remove(given);
            hands[holder].remove(turn_up);
            hands[dealer].insert(turn_up);
            hands[holder].insert(given);
        }
        let turn_up = match obs.turn_up() {
            Some(card) => Some(card),
            None if state.rules().has_turn_up() => {
                let mut cards = hands[dealer];
                cards.nth(stream.below(hands[dealer].len()) as usize)
            }
            None => None,
        };
        let deal = Deal { dealer, hands, turn_up };
        deal.check(state.rules()).ok()?;
        let mut world = State::new(state.rules(), &deal);
        if world.auction().announcer() != state.auction().announcer() {
            return None;
        }
        for (seat, action) in state.history().iter() {
            let action = match action {
                Some(action) => action,
                None => Action::card(aside_of[seat]?),
            };
            if world.turn() != seat || world.apply(action).is_err() {
                return None;
            }
        }
        let seen = world.observe(me, *obs.totals());
        let same = seen.key_card() == obs.key_card()
            && world.contract() == state.contract()
            && world.phase() == state.phase()
            && Seat::ALL.into_iter().all(|seat| seen.known(seat) == obs.known(seat));
        same.then_some((deal, world))
    }
}

/// The seats that have laid a card aside before a small misère.
fn aside_so_far(obs: &Observation) -> SeatSet {
    let state = obs.state();
    if state.contract().is_none_or(|c| c.kind != ContractKind::SmallMisere) {
        return SeatSet::EMPTY;
    }
    let eldest = state.dealer().next();
    let done = match state.phase() {
        Phase::Discard => state.turn().relative_to(eldest),
        _ => 4,
    };
    (0..done).map(|step| eldest.plus(step)).collect()
}

/// The holder that gave a card for the turn-up in the exchange, and the card.
fn swapped(obs: &Observation) -> Option<(Seat, Card)> {
    let state = obs.state();
    if !state.rules().spec().exchange || state.phase() == Phase::Exchange {
        return None;
    }
    let dealer = state.dealer();
    let turn_up = obs.turn_up()?;
    let holder = Seat::ALL
        .into_iter()
        .find(|&seat| seat != dealer && (obs.known(seat) | obs.played(seat)).has(turn_up))?;
    let cards_played: u32 = Seat::ALL.into_iter().map(|seat| obs.played(seat).len()).sum();
    let before = state.history().len() - cards_played as usize;
    let asked = state.history().iter().take(before).filter_map(|(_, action)| action?.as_card());
    Some((holder, asked.last()?))
}

/// Numbers of ways to deal what is left, for drawing how each suit splits.
struct Counts {
    holders: [Holder; 4],
    lengths: [usize; 4],
    /// Ways to deal the suits from this one on into this room; negative: not known yet.
    ways: Vec<f64>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { holders: [Holder { room: 0, void: 0 }; 4], lengths: [0; 4], ways: Vec::new() }
    }
}

const FACTORIAL: [f64; 14] = {
    let mut f = [1.0; 14];
    let mut n = 1;
    while n < 14 {
        f[n] = f[n - 1] * n as f64;
        n += 1;
    }
    f
};

impl Counts {
    fn start(&mut self, holders: &[Holder; 4], unseen: CardSet) {
        self.holders = *holders;
        self.lengths = Suit::ALL.map(|suit| unseen.of(suit).len() as usize);
        self.ways.clear();
        self.ways.resize(4 * 14 * 14 * 14, -1.0);
    }

    /// All splits of a suit that fit, with the number of deals of the suit that split it so.
    fn splits(&self, suit: usize, room: &[usize; 4], mut visit: impl FnMut([usize; 4], f64)) {
        let most = |place: usize| {
            let barred = place < 3 && self.holders[place].void >> suit & 1 != 0;
            if barred { 0 } else { room[place].min(self.lengths[suit]) }
        };
        let length = self.lengths[suit];
        for a in 0..=most(0) {
            for b in 0..=most(1).min(length - a) {
                for c in 0..=most(2).min(length - a - b) {
                    let d = length - a - b - c;
                    if d <= most(3) {
                        let parts = [a, b, c, d];
                        let ways = parts.iter().fold(FACTORIAL[length], |w, &n| w / FACTORIAL[n]);
                        visit(parts, ways);
                    }
                }
            }
        }
    }

    fn ways(&mut self, suit: usize, room: &[usize; 4]) -> f64 {
        if suit == 4 {
            return if room.iter().all(|&r| r == 0) { 1.0 } else { 0.0 };
        }
        let at = ((suit * 14 + room[0]) * 14 + room[1]) * 14 + room[2];
        if self.ways[at] >= 0.0 {
            return self.ways[at];
        }
        let mut found = Vec::with_capacity(32);
        self.splits(suit, room, |parts, ways| found.push((parts, ways)));
        let mut total = 0.0;
        for (parts, ways) in found {
            total += ways * self.ways(suit + 1, &less(room, &parts));
        }
        self.ways[at] = total;
        total
    }

    /// Draws how a suit splits; `None` if nothing fits.
    fn draw(&mut self, suit: usize, room: &[usize; 4], stream: &mut Stream) -> Option<[usize; 4]> {
        let total = self.ways(suit, room);
        let mut at = f64::from(stream.unit()) * total;
        let mut found = Vec::with_capacity(32);
        self.splits(suit, room, |parts, ways| found.push((parts, ways)));
        let mut last = None;
        for (parts, ways) in found {
            let ways = ways * self.ways(suit + 1, &less(room, &parts));
            if ways > 0.0 {
                last = Some(parts);
                at -= ways;
                if at < 0.0 {
                    break;
                }
            }
        }
        last
    }
}

fn less(room: &[usize; 4], parts: &[usize; 4]) -> [usize; 4] {
    std::array::from_fn(|i| room[i] - parts[i])
}
