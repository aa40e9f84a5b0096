//! Checks of a single position.

use super::redeal::redeal;
use super::report::{ConformanceCheck, ConformanceError, ConformanceSummary, ensure, failure};
use crate::action::{Action, ActionSet, N_ACTIONS};
use crate::cards::CardSet;
use crate::contract::ContractKind;
use crate::features::{N_FEATURES, N_FULL_FEATURES};
use crate::observation::Observation;
use crate::record::Record;
use crate::rng::Stream;
use crate::seat::{BySeat, Seat};
use crate::state::State;

type Checked = Result<(), ConformanceError>;

/// Checks that exactly the legal actions are accepted and that a refused one changes nothing.
pub(super) fn check_mask(state: &State) -> Checked {
    let legal = state.legal_actions();
    let wrong = (0..N_ACTIONS).filter_map(Action::from_index).find(|&action| {
        let mut after = *state;
        let accepted = after.apply(action).is_ok();
        accepted != legal.has(action) || !accepted && after != *state
    });
    ensure(
        !legal.is_empty() && wrong.is_none(),
        ConformanceCheck::ActionMask,
        state,
        || match wrong {
            Some(action) => format!(
                "{action}: the mask says legal = {}, applying it says the opposite",
                legal.has(action)
            ),
            None => "no action is legal".to_string(),
        },
    )
}

/// Checks that the legal actions follow from the observation.
pub(super) fn check_legal(state: &State, seat: Seat, obs: &Observation) -> Checked {
    let wanted = if seat == state.turn() { state.legal_actions() } else { ActionSet::EMPTY };
    ensure(obs.legal_actions() == wanted, ConformanceCheck::LegalActions, state, || {
        format!("{seat:?} sees {:?} instead of {wanted:?}", obs.legal_actions())
    })
}

/// Checks that features lie within their ranges.
pub(super) fn check_features(state: &State, seat: Seat, totals: BySeat<i32>) -> Checked {
    let mut features = vec![f32::NAN; N_FULL_FEATURES];
    state.observe_full(seat, totals).encode_full(&mut features);
    let wrong = features.iter().position(|value| !(-2.0..=2.0).contains(value));
    ensure(wrong.is_none(), ConformanceCheck::Features, state, || {
        let i = wrong.unwrap_or(0);
        format!("feature {i} of {seat:?} is {}", features[i])
    })?;
    let obs = state.observe(seat, totals);
    let mut own = vec![f32::NAN; N_FEATURES];
    state.observe_ref(seat, &totals).encode(&mut own);
    let mut expanded = vec![f32::NAN; N_FEATURES];
    obs.pack().expand(&mut expanded);
    ensure(
        own == features[..N_FEATURES] && own == expanded,
        ConformanceCheck::Features,
        state,
        || format!("different ways to compute the features of {seat:?} disagree"),
    )
}

/// Checks that deals that a seat cannot tell apart give it the same observation.
pub(super) fn check_hidden(
    state: &State,
    seat: Seat,
    obs: &Observation,
    stream: &mut Stream,
    summary: &mut ConformanceSummary,
) -> Checked {
    check_known(state, seat, obs)?;
    let Some(other) = redeal(state, seat, stream) else { return Ok(()) };
    summary.views_compared += 1;
    let aces = |state: &State| BySeat::from_fn(|s| state.hands()[s].aces());
    summary.views_with_other_aces += u64::from(aces(state) != aces(&other));
    let same = other.observe(seat, *obs.totals());
    let differs = if same.pack() != obs.pack() {
        "features"
    } else if same.information_state() != obs.information_state() {
        "information state"
    } else if same.fingerprint() != obs.fingerprint() {
        "fingerprint"
    } else if same != *obs {
        "observation"
    } else {
        return Ok(());
    };
    let hands = other.hands();
    let detail = format!("the {differs} of {seat:?} would differ if the others held {hands:?}");
    Err(failure(ConformanceCheck::HiddenInformation, state, detail))
}

/// Checks that only the cards that the rules show are shown. The rules are implemented a second
/// time here, independently of the engine.
fn check_known(state: &State, seat: Seat, obs: &Observation) -> Checked {
    let spec = state.rules().spec();
    let announced = state.auction().announcer().is_some();
    let kind = state.contract().map(|contract| contract.kind);
    let turned_up = spec.turn_up_always_shown || !announced || kind == Some(ContractKind::SoloSlim);
    let sees = turned_up || seat == state.dealer();
    ensure(
        obs.state().turn_up.is_none() || sees,
        ConformanceCheck::HiddenInformation,
        state,
        || format!("{seat:?} sees a turn-up that is face down"),
    )?;
    let mut public: CardSet = state.asked_cards().collect();
    public |= state.turn_up.filter(|_| turned_up).into_iter().collect();
    if spec.troel_leads_key_card && kind == Some(ContractKind::Troel) {
        public |= state.key_card.into_iter().collect();
    }
    let finished: u8 = state.tricks().iter().sum();
    let open = |s: Seat| {
        kind == Some(ContractKind::OpenMisere)
            && state.contract().is_some_and(|contract| contract.declarers.has(s))
            && finished >= spec.open_misere_shown_after
    };
    let leak = Seat::ALL
        .into_iter()
        .find(|&s| s != seat && !open(s) && !(obs.known(s) - public).is_empty());
    ensure(leak.is_none(), ConformanceCheck::HiddenInformation, state, || {
        format!("{seat:?} sees cards that nobody has shown: those of {leak:?}")
    })
}

/// Checks that a seat's record of its observation restores the same observation.
pub(super) fn check_view(state: &State, seat: Seat, obs: &Observation) -> Checked {
    let view = Record::from_observation(obs);
    let read = view.observe(state.rules(), seat);
    ensure(read.as_ref().is_ok_and(|read| read == obs), ConformanceCheck::Records, state, || {
        let error = read.err().map_or(String::new(), |error| format!(": {error}"));
        format!("the view of {seat:?} does not restore its observation{error}")
    })
}

/// Checks that the full record restores the state.
pub(super) fn check_record(state: &State, totals: &BySeat<i32>) -> Checked {
    let record = Record::from_state(state, totals);
    let read = record.play(state.rules(), |_, _| {});
    ensure(read.as_ref().is_ok_and(|read| read == state), ConformanceCheck::Records, state, || {
        let error = read.err().map_or(String::new(), |error| format!(": {error}"));
        format!("the record does not restore the state{error}")
    })
}
