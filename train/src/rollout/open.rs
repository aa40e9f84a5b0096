//! Opening of tables: the deals, the bots in the seats, and the seats that are recorded.

use troel_agents::driver::{BotTable, Seating};
use troel_env::rng::Stream;
use troel_env::{
    BySeat, Deals, Episode, RuleSet, Scenario, Seat, SeatSet, Session, SessionConfig, State,
};

use super::settings::{CollectSettings, LEARNER, TableKind};

/// Recording settings of a table.
pub(super) struct RecordingSettings {
    /// Seats whose decisions are recorded.
    pub recorded: SeatSet,
    /// Whether its deals are scenario deals.
    pub is_scenario: bool,
}

/// Opens a table for `series` deals, from number `first` on. Random draws are from `stream`.
pub(super) fn open_table(
    settings: &CollectSettings<'_>,
    rules: &'static RuleSet,
    first: u64,
    series: u64,
    stream: &mut Stream,
) -> (BotTable, RecordingSettings) {
    if !settings.deals.positions.is_empty() {
        return open_at_position(settings.deals.positions, stream);
    }
    let scenario = draw_scenario(settings.deals.scenarios, stream);
    let (bots, learners) = draw_seats(settings.tables.kinds, stream);
    let mut deals = Deals::new(rules, settings.deals.seed).with_scenario(scenario);
    let mut recorded = learners;
    if scenario != Scenario::Any {
        // A scenario conditions on one hand. For that seat the hidden hands are distributed as
        // always. The other seats would learn odds that no ordinary deal has, so they are not
        // recorded.
        let nth = stream.below(learners.len()) as usize;
        if let Some(focus) = learners.iter().nth(nth) {
            deals = deals.with_focus(focus);
            recorded = SeatSet::single(focus);
        }
    }
    let config = SessionConfig {
        episode: Episode::Deals(series as u32),
        reward: settings.advantages.reward.of_session(),
        totals: draw_totals(rules, settings.deals.random_totals, stream),
        stride: 1,
    };
    let session = Session::new(deals, config, first, Seat::dealer(first / series));
    let recording = RecordingSettings { recorded, is_scenario: scenario != Scenario::Any };
    (BotTable { session, seating: Seating::full(bots) }, recording)
}

/// Opens a table at one of these positions. The seat to act learns, and the first opponent plays
/// the other seats.
fn open_at_position(positions: &[State], stream: &mut Stream) -> (BotTable, RecordingSettings) {
    let state = stream.pick(positions);
    let learner = state.turn();
    let bots = BySeat::from_fn(|s| if s == learner { LEARNER } else { LEARNER + 1 });
    let table = BotTable { session: Session::from_state(state), seating: Seating::full(bots) };
    (table, RecordingSettings { recorded: SeatSet::single(learner), is_scenario: false })
}

/// Draws the scenario of a table by the shares of the scenarios.
fn draw_scenario(scenarios: &[(Scenario, f32)], stream: &mut Stream) -> Scenario {
    let mut remaining = stream.unit();
    for &(scenario, share) in scenarios {
        if remaining < share {
            return scenario;
        }
        remaining -= share;
    }
    Scenario::Any
}

/// Draws the index of the bot in each seat, and the seats that learn.
fn draw_seats(kinds: &[TableKind], stream: &mut Stream) -> (BySeat<usize>, SeatSet) {
    let total: f32 = kinds.iter().map(|k| k.weight).sum();
    let mut remaining = stream.unit() * total;
    let drawn = kinds.iter().find(|kind| {
        remaining -= kind.weight;
        remaining < 0.0
    });
    let mut order = Seat::ALL;
    stream.shuffle(&mut order);
    let (mut bots, mut learners) = (BySeat([LEARNER; 4]), SeatSet::FULL);
    if let Some(kind) = drawn.or(kinds.last())
        && !kind.opponents.is_empty()
    {
        let opponent = stream.pick(&kind.opponents);
        for &seat in &order[kind.learners as usize..] {
            bots[seat] = LEARNER + 1 + opponent;
            learners -= SeatSet::single(seat);
        }
    }
    (bots, learners)
}

/// Draws the match totals at the start of a table: zeros, or random numbers as large as in a match.
fn draw_totals(rules: &RuleSet, random_totals: f32, stream: &mut Stream) -> BySeat<i32> {
    if random_totals == 0.0 || stream.unit() >= random_totals {
        return BySeat::default();
    }
    let (low, high) = match rules.spec().match_target {
        0 => (-100, 100),
        target => (-target / 2, target - 1),
    };
    let mut totals = BySeat::from_fn(|_| low + stream.below((high - low + 1) as u32) as i32);
    if rules.is_zero_sum() {
        let mean = totals.iter().sum::<i32>() / 4;
        // If there is a target, a total that reaches it would end the match.
        let max_total = if rules.spec().match_target > 0 { high } else { i32::MAX };
        totals = BySeat::from_fn(|s| (totals[s] - mean).min(max_total));
    }
    totals
}
