//! Transposition table: answers found for positions at the start of a trick, stored by *pattern*.
//!
//! A pattern consists of:
//! - the leader
//! - the number of cards of each suit in each hand
//! - the holders of the highest cards of each suit, down to some rank
//! - in misères, the holders of the lowest cards of each suit, up to some rank
//!
//! The other cards are only counted. An answer that never depended on their ranks holds for every
//! position of the pattern. Ginsberg calls this partition search ("GIB: Imperfect Information in a
//! Computationally Challenging Game", JAIR 14, 2001). Ranks are relative to the cards still held,
//! so one table serves all deals with the same trumps, sides and goal.

use crate::lanes::{self, Cards};
use crate::node::{Answer, MOST_TRICKS, Ranks};

/// Number of entries of a block, which are compared together.
const ENTRIES_PER_BLOCK: usize = 8;
/// Maximum distance of a shape from the slot of its hash, in slots.
const MAX_PROBES: usize = 8;
/// Bits of a mask word that represent cards.
const CARD_BITS: u64 = (1 << 52) - 1;

/// Entries of one shape. Each entry bounds the tricks that the declarers still take in all
/// positions of a pattern.
#[derive(Clone, Copy, Default)]
struct Block {
    /// Low and high bit of the number of the seat that holds each card in `mask`. Bit `n` of a word
    /// is the `n`th card of the position, in order of suit and rank.
    owner: [[u64; ENTRIES_PER_BLOCK]; 2],
    /// Bits 0 to 51: the cards that matter. Bits 52 to 55: the least number of tricks. Bits 56 to
    /// 59: the most. Entries from `len` on are unused.
    mask: [u64; ENTRIES_PER_BLOCK],
    len: u32,
    /// Previous block, plus one; 0 for none.
    next: u32,
}

impl Block {
    /// Returns the entries that fit a position, one bit for each.
    #[inline(always)]
    fn fitting(&self, owner: [u64; 2]) -> u32 {
        let mut fitting = 0;
        for at in 0..ENTRIES_PER_BLOCK {
            let differ = (self.owner[0][at] ^ owner[0]) | (self.owner[1][at] ^ owner[1]);
            fitting |= u32::from(differ & self.mask[at] & CARD_BITS == 0) << at;
        }
        fitting
    }

    fn swap(&mut self, at: usize, entry: &mut [u64; 3]) {
        std::mem::swap(&mut self.owner[0][at], &mut entry[0]);
        std::mem::swap(&mut self.owner[1][at], &mut entry[1]);
        std::mem::swap(&mut self.mask[at], &mut entry[2]);
    }
}

#[derive(Clone, Copy, Default)]
struct Slot {
    shape: u64,
    /// Newest block, plus one.
    head: u32,
    generation: u16,
    /// See [`Key::tops`]; 0 if the slot is for all positions of a shape.
    tops: u8,
    /// Lead that last answered a question about the shape: its bit in the lanes, plus one; 0 for
    /// none.
    lead: u8,
}

/// Key of a slot: the shape of a position, and perhaps the holders of its highest cards.
#[derive(Clone, Copy)]
struct SlotKey {
    shape: u64,
    tops: u8,
}

/// Part of a position that the table depends on.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// Length of each suit in each hand, the leader and the goal.
    ///
    /// See `Node::shape` and `Search::key`, which leave bit 3 to the table.
    pub shape: u64,
    /// See [`Block::owner`].
    pub owner: [u64; 2],
    /// Seat that holds the highest card of each suit, two bits each.
    tops: u8,
    /// Bits of these cards in a mask.
    top_cards: u64,
}

impl Key {
    /// Creates the key of `hands` at the start of a trick.
    #[inline(always)]
    pub fn new(shape: u64, hands: &[Cards; 4], all: Cards) -> Key {
        let owner =
            [lanes::extract(hands[1] | hands[3], all), lanes::extract(hands[2] | hands[3], all)];
        let top_cards = lanes::extract(lanes::highest_each(all), all);
        let tops = lanes::extract(owner[0], top_cards) | lanes::extract(owner[1], top_cards) << 4;
        Key { shape, owner, tops: tops as u8, top_cards }
    }

    /// Returns the slot key of answers that depend on at least the highest card of each suit.
    #[inline(always)]
    fn by_tops(&self) -> SlotKey {
        SlotKey { shape: self.shape | 8, tops: self.tops }
    }

    /// Returns the slot key of the other answers about a shape.
    #[inline(always)]
    fn by_shape(&self) -> SlotKey {
        SlotKey { shape: self.shape, tops: 0 }
    }
}

/// Bounds found for patterns of positions; see the module documentation.
pub(crate) struct TranspositionTable {
    slots: Box<[Slot]>,
    /// Reserved in full at the start, and touched only as it fills.
    blocks: Vec<Block>,
    used: usize,
    generation: u16,
    slot_mask: u64,
}

impl TranspositionTable {
    /// Creates a table of at most `bytes` bytes, but at least 1 MiB. Memory is touched only as it
    /// fills.
    pub fn new(bytes: usize) -> TranspositionTable {
        let bytes = bytes.max(1 << 20);
        let slots = (bytes / 8 / size_of::<Slot>()).next_power_of_two() / 2;
        let blocks = (bytes - slots * size_of::<Slot>()) / size_of::<Block>();
        TranspositionTable {
            slots: vec![Slot::default(); slots].into(),
            blocks: Vec::with_capacity(blocks),
            used: 0,
            generation: 1,
            slot_mask: 0,
        }
    }

    /// Removes all entries. `cards` is the number of cards in each hand, which determines the
    /// number of slots in use.
    pub fn clear(&mut self, cards: u32) {
        self.forget();
        let wanted = 1u64 << (2 * cards.min(13)).min(18);
        self.slot_mask = wanted.clamp(64, self.slots.len() as u64) - 1;
    }

    fn forget(&mut self) {
        self.used = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    #[inline(always)]
    fn home_slot(&self, key: SlotKey) -> usize {
        let mixed = key.shape ^ key.shape >> 29 ^ u64::from(key.tops) << 7;
        let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 34) & self.slot_mask) as usize
    }

    #[inline(always)]
    fn find(&self, key: SlotKey) -> Option<usize> {
        let home = self.home_slot(key);
        for step in 0..MAX_PROBES {
            let at = (home + step) & self.slot_mask as usize;
            let slot = &self.slots[at];
            if slot.generation != self.generation {
                return None;
            }
            if slot.shape == key.shape && slot.tops == key.tops {
                return Some(at);
            }
        }
        None
    }

    /// Returns whether the declarers take at least `need` more tricks; `None` if that is unknown.
    ///
    /// The answer has the cards that it depends on.
    #[inline(always)]
    pub fn look_up<const GOAL: u8>(&mut self, key: &Key, need: i32, all: Cards) -> Option<Answer> {
        let found = self.look_up_in::<GOAL>(key.by_tops(), key, need, all);
        found.or_else(|| self.look_up_in::<GOAL>(key.by_shape(), key, need, all))
    }

    #[inline(always)]
    fn look_up_in<const GOAL: u8>(
        &mut self,
        slot_key: SlotKey,
        key: &Key,
        need: i32,
        all: Cards,
    ) -> Option<Answer> {
        let head = self.slots[self.find(slot_key)?].head;
        let mut next = head;
        while next != 0 {
            let block = &self.blocks[next as usize - 1];
            let mut fitting = block.fitting(key.owner);
            while fitting != 0 {
                let at = fitting.trailing_zeros() as usize;
                fitting &= fitting - 1;
                let mask = block.mask[at];
                let least = (mask >> 52 & 15) as i32;
                let most = (mask >> 56 & 15) as i32;
                if at < block.len as usize && (least >= need || most < need) {
                    if next != head {
                        let mut entry = [block.owner[0][at], block.owner[1][at], mask];
                        let first = &mut self.blocks[head as usize - 1];
                        let front = at % first.len as usize;
                        first.swap(front, &mut entry);
                        self.blocks[next as usize - 1].swap(at, &mut entry);
                    }
                    let relevant = ranks::<GOAL>(lanes::deposit(mask & CARD_BITS, all), all);
                    return Some(Answer::new(least >= need, relevant));
                }
            }
            next = block.next;
        }
        None
    }

    /// Returns the lead that last answered a question about this shape, if there was one. It is a
    /// good first guess if the answer itself is not known.
    #[inline(always)]
    pub fn lead(&self, key: &Key) -> Option<Cards> {
        let number = self.slots[self.find(key.by_shape())?].lead.checked_sub(1)?;
        Some(1 << number)
    }

    /// Stores an answer to "at least `need`?", and the lead that determined it, if any.
    ///
    /// The answer is for all positions that agree on the holders of the cards of its ranks.
    #[inline(always)]
    pub fn store<const GOAL: u8>(
        &mut self,
        key: &Key,
        need: i32,
        answer: Answer,
        lead: Option<Cards>,
        all: Cards,
    ) {
        let (least, most) = if answer.reached { (need as u64, 15) } else { (0, need as u64 - 1) };
        let mut matter = lanes::upwards(answer.ranks.high, all);
        if GOAL != MOST_TRICKS {
            matter |= lanes::downwards(answer.ranks.low, all);
        }
        let mask = lanes::extract(matter, all);
        let mut entry = [key.owner[0] & mask, key.owner[1] & mask, mask | least << 52 | most << 56];
        if let Some(card) = lead {
            let at = self.find_or_claim(key.by_shape());
            self.slots[at].lead = card.trailing_zeros() as u8 + 1;
        }
        let by_tops = key.top_cards & !mask == 0;
        let at = self.find_or_claim(if by_tops { key.by_tops() } else { key.by_shape() });
        let head = self.slots[at].head;
        if head != 0 {
            let block = &mut self.blocks[head as usize - 1];
            if (block.len as usize) < ENTRIES_PER_BLOCK {
                block.swap(block.len as usize, &mut entry);
                block.len += 1;
                return;
            }
        }
        if self.used == self.blocks.capacity() {
            // The table is full: clear it. Answers that matter are soon found again.
            self.forget();
            return;
        }
        let mut block = Block { len: 1, next: head, ..Block::default() };
        block.swap(0, &mut entry);
        match self.blocks.get_mut(self.used) {
            Some(old) => *old = block,
            None => self.blocks.push(block),
        }
        self.used += 1;
        self.slots[at].head = self.used as u32;
    }

    #[inline(always)]
    fn find_or_claim(&mut self, key: SlotKey) -> usize {
        self.find(key).unwrap_or_else(|| self.claim_slot(key))
    }

    /// Claims a slot for a shape that has none. If all slots near its hash are taken, the last of
    /// them is overwritten.
    fn claim_slot(&mut self, key: SlotKey) -> usize {
        let home = self.home_slot(key);
        let mut at = home;
        for step in 0..MAX_PROBES {
            at = (home + step) & self.slot_mask as usize;
            if self.slots[at].generation != self.generation {
                break;
            }
        }
        let SlotKey { shape, tops } = key;
        self.slots[at] = Slot { shape, head: 0, generation: self.generation, tops, lead: 0 };
        at
    }
}

/// Returns the ranks of a pattern's cards.
#[inline(always)]
fn ranks<const GOAL: u8>(matter: Cards, all: Cards) -> Ranks {
    if GOAL == MOST_TRICKS {
        return Ranks::high(matter);
    }
    let rest = all & !matter;
    let low = lanes::below_all(matter, rest);
    Ranks { high: matter & !low, low }
}
