//! Number of ways to deal cards to places, for drawing each way with equal probability.

use troel_env::rng::Stream;
use troel_env::{Card, CardSet, N_CARDS, Suit, SuitSet};

/// Number of places: the three other seats, clockwise from the observer, and one more. The last is
/// for the cards that others laid aside, taken together.
pub(in crate::search) const PLACES: usize = 4;

/// Place of the cards that others laid aside. The places before it are hands.
pub(in crate::search) const LAID_ASIDE: usize = 3;

/// Number of cards still to be dealt to each place.
pub(in crate::search) type Room = [usize; PLACES];

/// Number of values of the room in a hand: 0 to 13 cards.
const ROOM_VALUES: usize = 14;

/// Cards to be dealt, and suits that places cannot hold.
pub(in crate::search) struct Counts {
    cards: CardSet,
    /// Suits that a place cannot hold.
    voids: [SuitSet; PLACES],
    lengths: [usize; 4],
    /// Number of ways to deal the suits from one on into the remaining room, by suit and room.
    /// Negative if not known yet; empty until needed.
    ways: Vec<f64>,
}

/// `n!`; the largest, 52!, is about 8e67.
const FACTORIAL: [f64; 53] = {
    let mut f = [1.0; 53];
    let mut n = 1;
    while n < 53 {
        f[n] = f[n - 1] * n as f64;
        n += 1;
    }
    f
};

/// Returns `n!`; `n` is at most 52.
pub(in crate::search) fn factorial(n: usize) -> f64 {
    FACTORIAL[n]
}

/// Returns the number of ways to split `n` cards into parts of these sizes, which add up to `n`.
fn multinomial(n: usize, parts: &Room) -> f64 {
    parts.iter().fold(factorial(n), |ways, &size| ways / factorial(size))
}

impl Counts {
    /// Creates counts of the ways to deal `cards`, given the suits that each place cannot hold.
    pub fn new(cards: CardSet, voids: [SuitSet; PLACES]) -> Counts {
        let lengths = Suit::ALL.map(|suit| cards.of(suit).len() as usize);
        Counts { cards, voids, lengths, ways: Vec::new() }
    }

    /// Returns whether no place with room is barred from a suit.
    fn is_free(&self, room: &Room) -> bool {
        (0..PLACES).all(|place| self.voids[place].is_empty() || room[place] == 0)
    }

    /// Returns the number of ways to deal the cards. The rooms must add up to the number of cards.
    pub fn ways(&mut self, room: &Room) -> f64 {
        if self.is_free(room) {
            return multinomial(self.cards.len() as usize, room);
        }
        self.ways_from(0, room)
    }

    /// Deals the cards, each way with equal probability; `None` if there is no way.
    pub fn deal(&mut self, room: &Room, stream: &mut Stream) -> Option<[CardSet; PLACES]> {
        let mut dealt = [CardSet::EMPTY; PLACES];
        if self.is_free(room) {
            split(self.cards, room, &mut dealt, stream);
            return Some(dealt);
        }
        let mut room = *room;
        for suit in Suit::ALL {
            let parts = self.draw_split(suit.index(), &room, stream)?;
            split(self.cards.of(suit), &parts, &mut dealt, stream);
            room = subtract(&room, &parts);
        }
        Some(dealt)
    }

    /// Visits all splits of a suit that fit, with the number of deals of the suit for each split.
    fn splits(&self, suit: usize, room: &Room, mut visit: impl FnMut(Room, f64)) {
        let most = |place: usize| {
            let barred = self.voids[place].has(Suit::ALL[suit]);
            if barred { 0 } else { room[place].min(self.lengths[suit]) }
        };
        let length = self.lengths[suit];
        for a in 0..=most(0) {
            for b in 0..=most(1).min(length - a) {
                for c in 0..=most(2).min(length - a - b) {
                    let d = length - a - b - c;
                    if d <= most(3) {
                        let parts = [a, b, c, d];
                        visit(parts, multinomial(length, &parts));
                    }
                }
            }
        }
    }

    /// Returns the number of ways to deal the suits from `suit` on.
    fn ways_from(&mut self, suit: usize, room: &Room) -> f64 {
        if suit == 4 {
            return if room.iter().all(|&r| r == 0) { 1.0 } else { 0.0 };
        }
        if self.ways.is_empty() {
            self.ways.resize(Suit::ALL.len() * ROOM_VALUES.pow(LAID_ASIDE as u32), -1.0);
        }
        // The room of the cards laid aside follows from the others.
        let hands = &room[..LAID_ASIDE];
        let index = hands.iter().fold(suit, |index, &room| index * ROOM_VALUES + room);
        if self.ways[index] >= 0.0 {
            return self.ways[index];
        }
        let mut found = Vec::with_capacity(32);
        self.splits(suit, room, |parts, ways| found.push((parts, ways)));
        let mut total = 0.0;
        for (parts, ways) in found {
            total += ways * self.ways_from(suit + 1, &subtract(room, &parts));
        }
        self.ways[index] = total;
        total
    }

    /// Draws the split of a suit; `None` if nothing fits.
    fn draw_split(&mut self, suit: usize, room: &Room, stream: &mut Stream) -> Option<Room> {
        let total = self.ways_from(suit, room);
        let mut at = f64::from(stream.unit()) * total;
        let mut found = Vec::with_capacity(32);
        self.splits(suit, room, |parts, ways| found.push((parts, ways)));
        let mut last = None;
        for (parts, ways) in found {
            let ways = ways * self.ways_from(suit + 1, &subtract(room, &parts));
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

/// Shuffles cards and deals them to the places by number.
fn split(cards: CardSet, sizes: &Room, dealt: &mut [CardSet; PLACES], stream: &mut Stream) {
    let mut list = [Card::ace(Suit::Spades); N_CARDS];
    let mut n = 0;
    for card in cards {
        list[n] = card;
        n += 1;
    }
    stream.shuffle(&mut list[..n]);
    let mut list = list[..n].iter();
    for (set, &size) in dealt.iter_mut().zip(sizes) {
        *set |= list.by_ref().take(size).copied().collect();
    }
}

/// Returns the room in each hand that is left after `parts`.
fn subtract(room: &Room, parts: &Room) -> Room {
    std::array::from_fn(|i| room[i] - parts[i])
}
