//! Corpora of decisions: positions from the play of bots, with values of all legal actions. The
//! values are the points that a search over many worlds expects.
//!
//! A corpus is a folder of shards of at most 64 deals, named by them, in the safetensors format,
//! which NumPy reads. A shard has `P` positions and `A` actions. The actions of position `p` are
//! `first[p]` to `first[p + 1] - 1`:
//!
//! | tensor | type, shape | |
//! |---|---|---|
//! | `deal` | i64 `[P]` | number of the deal |
//! | `owner` | u8 `[P, 52]` | seat that was dealt each card, in the numbering of actions: 0 N, 1 E, 2 S, 3 W |
//! | `dealer` | u8 `[P]` | seat of the dealer |
//! | `turn_up` | u8 `[P]` | the card turned up; 255: none |
//! | `history` | u8 `[P, H]` | actions up to the position; 255 after the last |
//! | `first` | i64 `[P + 1]` | index of the first action of each position; at the end `A` |
//! | `action` | u8 `[A]` | the legal actions |
//! | `points` | f32 `[A, 2]` | expected points of the deal for the seat to act, over two independent sets of worlds |
//! | `spread` | f32 `[A, 2]` | standard deviation of the points over the worlds |
//! | `features` | f32 `[P, N_FEATURES]` | only on request: the input of a network ([`troel_env::features`]) |
//!
//! The metadata has under `troel` a [`CorpusInfo`] as JSON. Shards of other deals, made with the
//! same settings, may be put into one folder.

mod losses;
mod make;
mod shard;
mod types;

pub use losses::{DecisionLosses, measure_losses};
pub use make::{DealsDone, make};
pub use shard::read;
pub use types::{CorpusDecision, CorpusError, CorpusInfo};

#[cfg(test)]
mod tests {
    use troel_agents::{NamedBot, PointsEstimate};
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{Action, BySeat, Deals, RuleSet, Seat, State};

    use super::losses::loss;
    use super::make::without;
    use super::*;
    use crate::chunks::chunks;
    use crate::deal_range::DealRange;

    fn info(rules: &'static RuleSet, player: &NamedBot) -> CorpusInfo {
        CorpusInfo {
            worlds: 4,
            features: true,
            ..CorpusInfo::new(rules, player, DealRange::new(10, 90), 3)
        }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_is_made_twice() {
        let folder = tempfile::tempdir().unwrap();
        for rules in ["luxembourg", "iwwa"].map(|name| RuleSet::built_in(name).unwrap()) {
            let path = folder.path().join(rules.id());
            let player = NamedBot::find("rules", rules).unwrap();
            let info = info(rules, &player);
            make(&path, &info, rules, &player, &|_| ()).unwrap();
            let (read_info, _, decisions) = read(&path, None).unwrap();
            assert_eq!(CorpusInfo { deals: info.deals, ..read_info }, info);
            let made: Vec<CorpusDecision> = chunks(info.deals)
                .into_iter()
                .flat_map(|deals| {
                    let info = CorpusInfo { deals, ..info.clone() };
                    make::decisions(&info, rules, &player, &|_| ()).unwrap()
                })
                .collect();
            assert_eq!(decisions, made);
            assert!((200..=320).contains(&decisions.len()), "{}", decisions.len());
            // A whole shard is kept, byte by byte; a missing one is made again.
            let shards = shard::shards(&path).unwrap();
            assert_eq!(shards.len(), 2);
            assert!(shards[0].ends_with("00000010-00000064.safetensors"), "{shards:?}");
            let before: Vec<Vec<u8>> = shards.iter().map(|s| std::fs::read(s).unwrap()).collect();
            let changed = std::fs::metadata(&shards[0]).unwrap().modified().unwrap();
            std::fs::remove_file(&shards[1]).unwrap();
            make(&path, &info, rules, &player, &|_| ()).unwrap();
            let after: Vec<Vec<u8>> = shards.iter().map(|s| std::fs::read(s).unwrap()).collect();
            assert!(before == after);
            assert_eq!(std::fs::metadata(&shards[0]).unwrap().modified().unwrap(), changed);
            // Adds more deals, some of them from another folder. Only missing ones are made.
            let elsewhere = folder.path().join("elsewhere");
            let more = CorpusInfo { deals: DealRange::new(100, 128), ..info.clone() };
            make(&elsewhere, &more, rules, &player, &|_| ()).unwrap();
            let shard = "00000100-00000128.safetensors";
            std::fs::rename(elsewhere.join(shard), path.join(shard)).unwrap();
            let all = CorpusInfo { deals: DealRange::new(10, 128), ..info.clone() };
            make(&path, &all, rules, &player, &|_| ()).unwrap();
            let names: Vec<_> = shard::shards(&path).unwrap();
            assert!(names[2].ends_with("00000090-00000100.safetensors"), "{names:?}");
            let (_, _, grown) = read(&path, None).unwrap();
            let once = folder.path().join("once");
            make(&once, &all, rules, &player, &|_| ()).unwrap();
            assert_eq!(grown, read(&once, None).unwrap().2);
            std::fs::remove_dir_all(once).unwrap();
            let other = CorpusInfo { worlds: 5, ..info.clone() };
            let refused = make(&path, &other, rules, &player, &|_| ()).unwrap_err().to_string();
            assert!(refused.contains("worlds: 4, not 5"), "{refused}");
        }
    }

    #[test]
    fn damaged_shards_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let rules = RuleSet::built_in("wiezen").unwrap();
        let player = NamedBot::find("rules", rules).unwrap();
        let info =
            CorpusInfo { deals: DealRange::new(0, 8), features: false, ..info(rules, &player) };
        make(folder.path(), &info, rules, &player, &|_| ()).unwrap();
        let path = folder.path().join("00000000-00000008.safetensors");
        let whole = std::fs::read(&path).unwrap();
        let read = || read(folder.path(), None);
        assert!(read().is_ok());
        let mut stream = Stream::new(1, Purpose::Action, 0);
        for _ in 0..300 {
            let mut bytes = whole.clone();
            let at = stream.below(bytes.len() as u32) as usize;
            bytes[at] ^= 1 << stream.below(8);
            bytes.truncate(whole.len() - stream.below(3) as usize);
            std::fs::write(&path, &bytes).unwrap();
            // Neither making nor judging panics. A changed number may go unnoticed.
            if let Ok((_, _, decisions)) = read() {
                measure_losses(rules, &decisions, std::slice::from_ref(&player), 1, &|_, _| ())
                    .unwrap();
            }
            let _ = make(folder.path(), &info, rules, &player, &|_| ());
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(read().unwrap_err().to_string().contains("00000008.safetensors"));
        std::fs::write(&path, &whole).unwrap();
        std::fs::copy(&path, folder.path().join("copy.safetensors")).unwrap();
        assert!(read().unwrap_err().to_string().contains("in another shard"));
    }

    #[test]
    fn deals_without_a_shard_are_missing() {
        let range = DealRange::new;
        assert_eq!(without(range(0, 10), &[]), [range(0, 10)]);
        let rest = without(range(0, 10), &[range(4, 6), range(9, 20)]);
        assert_eq!(rest, [range(0, 4), range(6, 9)]);
        assert_eq!(without(range(5, 10), &[range(0, 7), range(7, 30)]), []);
        assert_eq!(without(range(5, 10), &[range(0, 5), range(10, 30)]), [range(5, 10)]);
    }

    #[test]
    fn better_bots_give_away_less() {
        let folder = tempfile::tempdir().unwrap();
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let player = NamedBot::find("rules", rules).unwrap();
        let info = CorpusInfo { worlds: 20, ..info(rules, &player) };
        make(folder.path(), &info, rules, &player, &|_| ()).unwrap();
        let (_, _, decisions) = read(folder.path(), None).unwrap();
        let bots = ["rules", "random", "rules"].map(|name| NamedBot::find(name, rules).unwrap());
        let found = measure_losses(rules, &decisions, &bots, 1, &|_, _| ()).unwrap();
        let [rules, random, again] = found.try_into().unwrap();
        assert_eq!(again[1].calls.mean(), 0.0);
        assert_eq!(rules[0], again[0]);
        let low = random[1].calls.interval().low;
        assert!(low > 0.5, "{random:?}");
        assert!(random[1].cards.mean() > 0.0, "{random:?}");
        assert!(rules[0].calls.mean() > -0.5 && rules[0].cards.mean() > -0.2, "{rules:?}");
        assert_eq!(rules[0].calls.n + rules[0].cards.n, decisions.len() as u64);
    }

    #[test]
    fn a_choice_is_valued_by_the_other_search() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let deal = Deals::for_evaluation(rules, 1).shuffled(0, Seat::North);
        let state = State::new(rules, &deal);
        let obs = state.observe(state.turn(), BySeat::default());
        let pair = |a: f32, b: f32| [a, b].map(|points| PointsEstimate { points, spread: 0.0 });
        let actions: Vec<Action> = obs.legal_actions().into_iter().take(3).collect();
        let estimates = vec![
            (actions[0], pair(1.0, 2.0)),
            (actions[1], pair(3.0, 1.0)),
            (actions[2], pair(0.0, 0.0)),
        ];
        let decision =
            CorpusDecision { number: 0, observation: obs, estimates, deal, history: Vec::new() };
        // The first search's best is the second action, worth 1 to the second; the second's is the
        // first, worth 1 to the first.
        assert_eq!(loss(&decision, actions[0]), (1.0 - 2.0) / 2.0 + (1.0 - 1.0) / 2.0);
        assert_eq!(loss(&decision, actions[2]), (1.0 - 0.0) / 2.0 + (1.0 - 0.0) / 2.0);
    }
}
