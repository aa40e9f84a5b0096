//! α-Rank: share of time that an evolving population spends with each bot.
//!
//! α-Rank (Omidshafiei et al. 2019, "α-Rank: multi-agent evaluation by evolution", Scientific
//! Reports 9:9937) is defined for any number of players and for general-sum games. Its states are
//! strategy profiles. A step replaces the strategy of one player, with a probability that grows
//! with that player's gain. Here the states are the tables of four equal bots. A step from `s` to
//! `r` depends on the gain of one `r` against three copies of `s`, relative to `s` in the same
//! seat. A result of a ladder is that gain, in both directions of a pair. Tables of two bots
//! each are left out: an invader that gains is assumed to fill the table.
//!
//! Steps are those of the limit of strong selection (large α): made if the invader gains. As gains
//! are measured with errors, the probability of a step is the probability that the gain is
//! positive.
//!
//! Nash averaging (Balduzzi et al. 2018, "Re-evaluating evaluation") needs one antisymmetric
//! matrix: the gain of one bot is the loss of the other. Gains of one against three copies are not
//! antisymmetric, and antisymmetry would remove the part that a single strength misses.

/// A measured gain, in points per deal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredGain {
    /// Mean.
    pub mean: f64,
    /// Standard error of the mean; above 0.
    pub standard_error: f64,
}

impl MeasuredGain {
    /// Returns the probability that the true gain is positive.
    fn probability_positive(self) -> f64 {
        normal_cdf(self.mean / self.standard_error)
    }
}

/// Minimum probability of a step. It connects all states, so that one stationary distribution
/// exists.
const MIN_STEP_PROBABILITY: f64 = 1e-4;

/// Returns the stationary distribution of α-Rank over bots, in their order. The shares add up
/// to 1. `gains[s][r]` is the gain of one `r` against three copies of `s`; the diagonal is ignored.
/// Without bots the result is empty.
pub fn alpha_rank(gains: &[Vec<MeasuredGain>]) -> Vec<f64> {
    let n = gains.len();
    let step = |from: usize, to: usize| {
        if from == to {
            0.0
        } else {
            gains[from][to]
                .probability_positive()
                .clamp(MIN_STEP_PROBABILITY, 1.0 - MIN_STEP_PROBABILITY)
                / n as f64
        }
    };
    stationary((0..n).map(|from| (0..n).map(|to| step(from, to)).collect()).collect())
}

/// Returns the stationary distribution of a Markov chain with these probabilities of steps. All
/// must be above 0 off the diagonal. Subtracts nothing, so that small shares are exact (Grassmann,
/// Taksar and Heyman 1985).
fn stationary(mut steps: Vec<Vec<f64>>) -> Vec<f64> {
    let n = steps.len();
    for last in (1..n).rev() {
        let out: f64 = steps[last][..last].iter().sum();
        for from in 0..last {
            steps[from][last] /= out;
            for to in 0..last {
                steps[from][to] += steps[from][last] * steps[last][to];
            }
        }
    }
    let mut shares: Vec<f64> = Vec::with_capacity(n);
    while shares.len() < n {
        let state = shares.len();
        let into = shares.iter().enumerate().map(|(from, share)| share * steps[from][state]);
        let share = if state == 0 { 1.0 } else { into.sum() };
        shares.push(share);
    }
    let total: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / total).collect()
}

/// Returns the standard normal distribution function, within 1e-7. The formula is 26.2.17 of
/// Abramowitz and Stegun.
fn normal_cdf(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 0.0 { density * series } else { 1.0 - density * series }
}

/// Returns the indices of bots that all played each other in both directions, in order. The bot
/// that lacks most results is removed until none is missing. `is_played` says whether a first bot
/// played against three copies of a second.
pub fn complete_set(n: usize, is_played: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..n).collect();
    loop {
        let missing = |a: usize| {
            let lacks = |&&b: &&usize| a != b && !(is_played(a, b) && is_played(b, a));
            kept.iter().filter(lacks).count()
        };
        let worst = kept.iter().copied().max_by_key(|&a| missing(a));
        match worst {
            Some(a) if missing(a) > 0 => kept.retain(|&b| a != b),
            _ => return kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(gains: &[&[f64]], standard_error: f64) -> Vec<Vec<MeasuredGain>> {
        let row =
            |row: &&[f64]| row.iter().map(|&mean| MeasuredGain { mean, standard_error }).collect();
        gains.iter().map(row).collect()
    }

    #[test]
    fn a_chain_of_two_spends_its_time_as_its_steps_say() {
        let shares = stationary(vec![vec![0.0, 0.1], vec![0.3, 0.0]]);
        assert!((shares[0] - 0.75).abs() < 1e-12 && (shares[1] - 0.25).abs() < 1e-12);
        // By hand: 0.4 c = 0.1 b and 0.2 a = 0.1 b + 0.2 c, so a : b : c is 3 : 4 : 1.
        let steps = vec![vec![0.0, 0.2, 0.0], vec![0.1, 0.0, 0.1], vec![0.2, 0.2, 0.0]];
        let shares = stationary(steps);
        let wanted = [0.375, 0.5, 0.125];
        assert!(shares.iter().zip(wanted).all(|(is, w)| (is - w).abs() < 1e-12), "{shares:?}");
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.959_964, 0.025), (3.0, 0.998_650_1)] {
            assert!((normal_cdf(x) - p).abs() < 1e-6, "{x}: {}", normal_cdf(x));
        }
    }

    #[test]
    fn rock_paper_scissors_is_shared_equally_and_an_outsider_has_nothing() {
        let gains: [&[f64]; 4] = [
            &[0.0, 1.0, -1.0, -2.0],
            &[-1.0, 0.0, 1.0, -2.0],
            &[1.0, -1.0, 0.0, -2.0],
            &[2.0, 2.0, 2.0, 0.0],
        ];
        let shares = alpha_rank(&matrix(&gains, 0.1));
        assert!(shares[..3].iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-3), "{shares:?}");
        assert!(shares[3] < 1e-3 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn bots_that_invade_each_other_share_and_twins_do() {
        // Both gain as one against three copies of the other; then twins.
        for gains in [[[0.0, 1.0], [0.4, 0.0]], [[0.0, 0.0], [0.0, 0.0]]] {
            let gains: Vec<&[f64]> = gains.iter().map(<[f64; 2]>::as_slice).collect();
            let shares = alpha_rank(&matrix(&gains, 0.1));
            assert!((shares[0] - 0.5).abs() < 1e-3, "{shares:?}");
        }
        // A gain of one standard error each way: five sixths.
        let shares = alpha_rank(&matrix(&[&[0.0, -0.1], &[0.1, 0.0]], 0.1));
        assert!((shares[0] - 0.841_344_7).abs() < 1e-6, "{shares:?}");
        assert!(alpha_rank(&[]).is_empty());
    }

    #[test]
    fn bots_that_lack_comparisons_are_left_out() {
        // 0, 1 and 3 met each other; 2 only played against three copies of 0.
        let played = |a: usize, b: usize| (a != 2 && b != 2) || (a, b) == (2, 0);
        assert_eq!(complete_set(4, played), [0, 1, 3]);
        assert_eq!(complete_set(3, |_, _| false).len(), 1);
        assert!(complete_set(0, |_, _| true).is_empty());
    }
}
