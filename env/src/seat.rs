//! The four seats, values by seat, and sets of seats.

use std::ops::{Index, IndexMut};

use std::fmt::{self, Display, Formatter, Write};

use serde::{Deserialize, Serialize};

use crate::bit_set::bit_set;

/// A seat at the table; clockwise N, E, S, W.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Seat {
    /// North.
    #[serde(rename = "N")]
    North = 0,
    /// East, left of North.
    #[serde(rename = "E")]
    East = 1,
    /// South, opposite North.
    #[serde(rename = "S")]
    South = 2,
    /// West, right of North.
    #[serde(rename = "W")]
    West = 3,
}

impl Seat {
    /// All seats, clockwise from North.
    pub const ALL: [Seat; 4] = [Seat::North, Seat::East, Seat::South, Seat::West];

    /// Returns the seat with this number; numbers wrap around the table.
    #[inline]
    pub const fn from_index_wrapping(index: usize) -> Seat {
        Seat::ALL[index & 3]
    }

    /// Returns the dealer of deal `n` where the seats deal in turn, North first.
    #[inline]
    pub const fn dealer(n: u64) -> Seat {
        Seat::from_index_wrapping((n % 4) as usize)
    }

    /// Returns the number of the seat, 0 (North) to 3 (West).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the seat `steps` further clockwise.
    #[inline]
    pub const fn plus(self, steps: usize) -> Seat {
        Seat::from_index_wrapping(self as usize + steps)
    }

    /// Returns the next seat clockwise.
    #[inline]
    pub const fn next(self) -> Seat {
        self.plus(1)
    }

    /// Returns the number of steps clockwise from `other` to this seat. It is 0 (the same seat) to
    /// 3 (the seat to the right of `other`).
    #[inline]
    pub const fn relative_to(self, other: Seat) -> usize {
        (self as usize + 4 - other as usize) & 3
    }

    /// Returns `N`, `E`, `S` or `W`.
    pub const fn letter(self) -> char {
        ['N', 'E', 'S', 'W'][self as usize]
    }

    /// Returns the seat of a letter.
    pub fn from_letter(letter: char) -> Option<Seat> {
        Seat::ALL.into_iter().find(|s| s.letter() == letter)
    }

    /// Returns the seat named by a text of one letter.
    pub fn parse(text: &str) -> Option<Seat> {
        Seat::ALL.into_iter().find(|s| text.chars().eq([s.letter()]))
    }
}

impl Display for Seat {
    /// Writes the letter.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char(self.letter())
    }
}

/// One `T` for each seat, indexed by [`Seat`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BySeat<T>(pub [T; 4]);

impl<T> BySeat<T> {
    /// Returns the values of `f` for the seats, called North first.
    pub fn from_fn(f: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat(Seat::ALL.map(f))
    }

    /// Returns the values, North first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat as usize]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat as usize]
    }
}

/// A set of seats: bit `n` is the seat numbered `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(pub u8);

impl SeatSet {
    /// No seats.
    pub const EMPTY: SeatSet = SeatSet(0);
    /// All four.
    pub const FULL: SeatSet = SeatSet(15);

    /// Returns the set that holds only this seat.
    #[inline]
    pub const fn single(seat: Seat) -> SeatSet {
        SeatSet(1 << seat as u8)
    }

    /// Returns whether the seat is in the set.
    #[inline]
    pub const fn has(self, seat: Seat) -> bool {
        self.0 >> seat as u8 & 1 != 0
    }

    /// Returns the seats that a text such as `NS` names, each once.
    pub fn parse(text: &str) -> Option<SeatSet> {
        text.chars().try_fold(SeatSet::EMPTY, |seats, letter| {
            let seat = Seat::from_letter(letter).filter(|&seat| !seats.has(seat))?;
            Some(seats | SeatSet::single(seat))
        })
    }

    /// Returns the first seat in the order N E S W, if any.
    #[inline]
    pub const fn first(self) -> Option<Seat> {
        if self.0 == 0 {
            None
        } else {
            Some(Seat::from_index_wrapping(self.0.trailing_zeros() as usize))
        }
    }
}

bit_set!(
    /// Iterator over a [`SeatSet`] in the order N E S W.
    Seats,
    SeatSet,
    Seat,
    |number| Seat::from_index_wrapping(usize::from(number))
);

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, |set, seat| set | SeatSet::single(seat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_seats_invert_plus() {
        for a in Seat::ALL {
            for steps in 0..4 {
                assert_eq!(a.plus(steps).relative_to(a), steps);
            }
            assert_eq!(Seat::from_letter(a.letter()), Some(a));
            assert_eq!(Seat::parse(&a.letter().to_string()), Some(a));
        }
    }

    #[test]
    fn a_text_names_one_seat_or_a_set_of_seats() {
        assert_eq!(Seat::parse(""), None);
        assert_eq!(Seat::parse("NS"), None);
        let pair: SeatSet = [Seat::North, Seat::South].into_iter().collect();
        assert_eq!(SeatSet::parse("SN"), Some(pair));
        assert_eq!(SeatSet::parse(""), Some(SeatSet::EMPTY));
        assert_eq!(SeatSet::parse("NN"), None, "each seat once");
        assert_eq!(SeatSet::parse("NX"), None);
    }
}
