//! Methods of sets that are kept as the bits of an integer.

/// Implements the shared methods for a newtype of one integer whose bits are the elements. They are
/// size, union (`|`), intersection (`&`) and difference (`-`), each also with assignment, and an
/// iterator. `$element` converts the number of a bit to an element.
///
/// The set is not an iterator itself because it is `Copy`: a loop would advance a copy.
macro_rules! bit_set {
    ($(#[$doc:meta])* $iterator:ident, $set:ident, $item:ident, $element:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $iterator($set);

        impl $set {
            /// Returns the number of elements.
            #[inline]
            pub const fn len(self) -> u32 {
                self.0.count_ones()
            }

            /// Returns whether the set is empty.
            #[inline]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Returns an iterator over the set, lowest number first.
            #[inline]
            pub const fn iter(self) -> $iterator {
                $iterator(self)
            }
        }

        impl IntoIterator for $set {
            type Item = $item;
            type IntoIter = $iterator;
            #[inline]
            fn into_iter(self) -> $iterator {
                self.iter()
            }
        }

        impl Iterator for $iterator {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let bits = self.0.0;
                if bits == 0 {
                    return None;
                }
                self.0.0 = bits & (bits - 1);
                Some($element(bits.trailing_zeros() as u8))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.0.len() as usize;
                (left, Some(left))
            }
        }

        impl DoubleEndedIterator for $iterator {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                let number = self.0.0.checked_ilog2()?;
                self.0.0 ^= 1 << number;
                Some($element(number as u8))
            }
        }

        impl ExactSizeIterator for $iterator {}

        impl std::iter::FusedIterator for $iterator {}

        impl std::ops::BitOr for $set {
            type Output = $set;
            #[inline]
            fn bitor(self, other: $set) -> $set {
                $set(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $set {
            #[inline]
            fn bitor_assign(&mut self, other: $set) {
                self.0 |= other.0;
            }
        }

        impl std::ops::BitAnd for $set {
            type Output = $set;
            #[inline]
            fn bitand(self, other: $set) -> $set {
                $set(self.0 & other.0)
            }
        }

        impl std::ops::BitAndAssign for $set {
            #[inline]
            fn bitand_assign(&mut self, other: $set) {
                self.0 &= other.0;
            }
        }

        impl std::ops::Sub for $set {
            type Output = $set;
            #[inline]
            fn sub(self, other: $set) -> $set {
                $set(self.0 & !other.0)
            }
        }

        impl std::ops::SubAssign for $set {
            #[inline]
            fn sub_assign(&mut self, other: $set) {
                self.0 &= !other.0;
            }
        }
    };
}

pub(crate) use bit_set;
