//! Number of tricks that a bot expects of its hand.

/// Expected tricks of a hand, linear in its estimate ([`troel_env::hand::trick_estimate`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearEstimate {
    base: f32,
    slope: f32,
    /// Per trump beyond the number that such a call usually has.
    trump: f32,
}

impl LinearEstimate {
    /// Returns the tricks of a hand with this estimate and number of trumps beyond the usual one.
    pub fn at(&self, estimate: f32, trumps: f32) -> f32 {
        self.base + self.slope * estimate + self.trump * trumps
    }
}

/// Tricks that a bot expects to take with a hand, by its estimate of the hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrickModel {
    /// Tricks of a pair by the hand of the proposer, with trumps beyond four.
    pub(super) proposer: LinearEstimate,
    /// Tricks of a pair by the hand of the partner, with trumps beyond three.
    pub(super) partner: LinearEstimate,
    /// Tricks of a lone declarer, with trumps beyond five.
    pub(super) alone: LinearEstimate,
    /// Tricks added for a lone declarer who leads.
    pub(super) lead: f32,
    /// Tricks subtracted per level above nine: hands that reach high levels are often overrated.
    pub(super) high_level: f32,
    /// Standard deviation of the tricks of a pair.
    pub(super) pair_spread: f32,
    /// Standard deviation of the tricks of a lone declarer.
    pub(super) alone_spread: f32,
    /// Whether points count by their effect on the match ([`crate::points_with_match_bonus`]).
    pub(super) match_aware: bool,
}

impl TrickModel {
    /// Model of the bot `rules`: guesses.
    pub(crate) const GUESSED: TrickModel = TrickModel {
        proposer: LinearEstimate { base: 4.2, slope: 1.0, trump: 0.25 },
        partner: LinearEstimate { base: 4.5, slope: 1.0, trump: 0.25 },
        alone: LinearEstimate { base: -0.2, slope: 1.0, trump: 0.0 },
        lead: 0.0,
        high_level: 0.35,
        pair_spread: 1.5,
        alone_spread: 1.15,
        match_aware: false,
    };

    /// Model of the bots `expert` and `pimc`.
    ///
    /// It started as a fit to double-dummy tricks of random deals (`cargo run --release -p
    /// troel-agents --example calibrate`). Opponents do not play double dummy. So the bases, the
    /// partner's slope, the penalty for high levels and the spread of lone declarers were adjusted
    /// by hand. The measure was points against `rules` on three rule sets.
    pub(crate) const FITTED: TrickModel = TrickModel {
        proposer: LinearEstimate { base: 5.4, slope: 0.95, trump: -0.7 },
        partner: LinearEstimate { base: 7.0, slope: 0.7, trump: -0.3 },
        alone: LinearEstimate { base: -2.6, slope: 1.27, trump: -0.23 },
        lead: 0.37,
        high_level: 1.2,
        pair_spread: 1.5,
        alone_spread: 1.0,
        match_aware: true,
    };
}
