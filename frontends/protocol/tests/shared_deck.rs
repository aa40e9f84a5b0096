//! The cards of a shared table under rules that never shuffle: what a seat can compute of the next
//! deal from all that it was shown of the last one, with perfect memory.

use std::cell::Cell;

use serde_json::json;
use troel_agents::NamedBot;
use troel_env::{Card, CardSet, Deal, Deals, Record, RuleSet, Seat, SecretDeals, State, Suit};
use troel_protocol::commands::{Command, PlayCommand, Request};
use troel_protocol::{Provider, Table, TableError, find_seatable_bot};

/// Returns the packets of these rules.
const PACKETS: [[u8; 3]; 2] = [[4, 4, 5], [4, 5, 4]];

/// Deals after the first one that are attacked.
const DEALS: usize = 45;

/// A provider whose bots play by rules of thumb. Its secrets are known to the test only.
struct Known(Cell<u64>);

impl Provider for Known {
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError> {
        Ok((RuleSet::built_in(rules).expect("built in"), find_seatable_bot("rules")?))
    }

    fn seed(&self) -> Result<u64, TableError> {
        self.0.set(self.0.get() + 1);
        Ok(self.0.get())
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&self.seed()?.to_le_bytes());
        Ok(secret)
    }
}

/// Returns the records of consecutive deals of a shared table, as its person was shown them.
fn played(rules: &str) -> Vec<Record> {
    let provider = Known(Cell::new(0));
    let message = json!({
        "type": "share", "table": "a-table-with-a-secret", "key": "host-0123456789abcdef",
        "rules": rules, "seat": "S",
    });
    let request = Request::parse(message.to_string().as_bytes());
    let Ok(Command::Enter { seat_request, new_match: Some(new_match) }) = request.command else {
        panic!("shares")
    };
    let mut table = Table::shared(new_match, seat_request, &provider).expect("opens");
    let mut records = Vec::new();
    while records.len() <= DEALS {
        // A bot plays for the person too.
        table.hand_over_to_bot(Seat::South);
        while !table.is_deal_over() {
            table.go_on(&provider).expect("goes on");
        }
        let shown = json!(table.show(Seat::South, None));
        records.push(serde_json::from_value(shown["record"].clone()).expect("a record"));
        table.execute(Seat::South, Command::Play(PlayCommand::Next), &provider).expect("is over");
        table.go_on(&provider).expect("deals");
    }
    records
}

fn rules() -> &'static RuleSet {
    RuleSet::built_in("iwwa").expect("built in")
}

fn end_of(record: &Record) -> State {
    record.play(rules(), |_, _| {}).expect("replays")
}

/// Returns the deals that follow from the order of play, a cut and the packets, and are consistent
/// with the next deal as a seat sees it.
fn computed(previous: &State, deal: &Deal, seat: Seat) -> Vec<Deal> {
    let mut found = Vec::new();
    for cut in 4..=48 {
        for packets in PACKETS {
            let mut deck = previous.gathered();
            deck.rotate_left(cut);
            let next = Deal::from_deck(&deck, deal.dealer, packets, rules());
            if (next.hands[seat], next.turn_up) == (deal.hands[seat], deal.turn_up) {
                found.push(next);
            }
        }
    }
    found
}

/// Returns the cards that lay together after a deal: those of a trick, or of a suit in a hand that
/// was not played.
fn heaps(previous: &State) -> Vec<Vec<Card>> {
    if !previous.is_passed_out() {
        return previous.gathered().chunks(4).map(<[Card]>::to_vec).collect();
    }
    let hands = previous.hands().iter();
    let suits =
        hands.flat_map(|hand| Suit::ALL.map(|suit| hand.of(suit).iter().collect::<Vec<_>>()));
    suits.filter(|suit| !suit.is_empty()).collect()
}

/// Number of gathered decks, each with a cut and packets, that put every card on a place with its
/// label, if heaps and the cards of a heap may be in any order. The labels of places are those of a
/// seat, and of the last card.
fn decks(
    heaps: &[Vec<Card>],
    dealer: Seat,
    card: impl Fn(Card) -> u8,
    place: impl Fn(Seat, bool) -> u8,
) -> f64 {
    let counts = |labels: &mut dyn Iterator<Item = u8>| {
        labels.fold([0_u8; 5], |mut counts, label| {
            counts[usize::from(label)] += 1;
            counts
        })
    };
    let wanted: Vec<[u8; 5]> =
        heaps.iter().map(|heap| counts(&mut heap.iter().map(|&c| card(c)))).collect();
    let factorial = |n: u8| (1..=n).map(f64::from).product::<f64>();
    let orders: Vec<f64> =
        wanted.iter().map(|counts| counts.iter().map(|&n| factorial(n)).product()).collect();
    let mut all = 0.0;
    for packets in PACKETS {
        let seats = packets
            .into_iter()
            .flat_map(|size| (1..=4).flat_map(move |step| vec![dealer.plus(step); size.into()]));
        let dealt: Vec<u8> = seats.enumerate().map(|(n, seat)| place(seat, n == 51)).collect();
        for cut in 4..=48 {
            let mut labels = dealt.clone();
            labels.rotate_right(cut);
            // Ways to fill the first places with a set of heaps, by the set.
            let mut ways = vec![0.0; 1 << heaps.len()];
            ways[0] = 1.0;
            for set in 0..ways.len() {
                if ways[set] == 0.0 {
                    continue;
                }
                let left = || (0..heaps.len()).filter(|heap| set & 1 << heap == 0);
                let next = 52 - left().map(|heap| heaps[heap].len()).sum::<usize>();
                for heap in left() {
                    let places = &labels[next..next + heaps[heap].len()];
                    if counts(&mut places.iter().copied()) == wanted[heap] {
                        ways[set | 1 << heap] += ways[set] * orders[heap];
                    }
                }
            }
            all += ways[ways.len() - 1];
        }
    }
    all
}

/// Number of decks that fit what a seat sees of the next deal, and the share of them that give the
/// whole deal.
fn fitting(previous: &State, deal: &Deal, seat: Seat) -> (f64, f64) {
    let heaps = heaps(previous);
    let turn_up = |card| Some(card) == deal.turn_up;
    let holder = |card| Seat::ALL.into_iter().find(|&s| deal.hands[s].has(card)).expect("dealt");
    let label = |holder: Seat, is_turn_up: bool| if is_turn_up { 4 } else { holder.index() as u8 };
    let seen =
        |holder: Seat, is_turn_up: bool| if is_turn_up { 4 } else { u8::from(holder == seat) };
    let fit = decks(&heaps, deal.dealer, |c| seen(holder(c), turn_up(c)), seen);
    let whole = decks(&heaps, deal.dealer, |c| label(holder(c), turn_up(c)), label);
    (fit, whole / fit)
}

/// At least 10^12 decks fit what a seat sees, and no whole deal is likelier than 1 in 4,096.
#[test]
fn the_next_deal_cannot_be_computed() {
    let records = played("iwwa");
    let (mut followed, mut least, mut likeliest) = (0, f64::MAX, 0.0_f64);
    let mut voids = 0;
    for (n, pair) in records.windows(2).enumerate() {
        let (previous, deal) = (end_of(&pair[0]), pair[1].full_deal(rules()).expect("a deal"));
        voids += usize::from(previous.is_passed_out());
        for seat in Seat::ALL {
            followed += usize::from(computed(&previous, &deal, seat).contains(&deal));
        }
        let (fit, chance) = fitting(&previous, &deal, Seat::ALL[n % 4]);
        least = least.min(fit);
        likeliest = likeliest.max(chance);
    }
    assert!((1..DEALS).contains(&voids), "{voids} void deals");
    assert_eq!(
        followed,
        0,
        "of {} hands the whole deal followed from the order of play",
        4 * DEALS
    );
    assert!(least >= 1e12, "only {least:.1e} decks fit a hand");
    assert!(likeliest <= 1.0 / 4096.0, "a whole deal had the probability {likeliest}");
}

/// Mean of the sum of the squares of suit lengths in a hand: 49.7 after a fresh shuffle.
fn clumps(mut deal: impl FnMut(u64) -> Deal) -> f64 {
    const DRAWS: u64 = 200;
    let of = |hand: &CardSet| Suit::ALL.iter().map(|&suit| hand.of(suit).len().pow(2)).sum::<u32>();
    let all: u32 = (0..DRAWS).map(|n| deal(n).hands.iter().map(of).sum::<u32>()).sum();
    f64::from(all) / (4 * DRAWS) as f64
}

/// Suits clump in the deals of a shared table as they do in the deals of a seed.
#[test]
fn suits_clump_as_ever() {
    let records = played("iwwa");
    // After deals that were played, and after void ones: number, clumps of seeded deals, clumps of
    // a table's deals.
    let mut sums = [[0.0; 3]; 2];
    for (number, record) in records.iter().enumerate() {
        let previous = end_of(record);
        let dealer = previous.dealer().next();
        let seeded = Deals::new(rules(), number as u64);
        let mut source = SecretDeals::new([number as u8; 32]);
        let sum = &mut sums[usize::from(previous.is_passed_out())];
        sum[0] += 1.0;
        sum[1] += clumps(|n| seeded.after(n, dealer, &previous));
        sum[2] += clumps(|_| source.after(rules(), dealer, &previous));
    }
    let [played, void] = sums.map(|[number, seeded, secret]| (seeded / number, secret / number));
    assert!(played.0 > 53.0 && (played.0 - played.1).abs() < 1.0, "{played:?} after play");
    // All hands of a void deal are sorted alike in the deals of a seed, and each in its own way at
    // a table.
    assert!(void.0 > 51.0 && void.1 > void.0 && void.1 < 63.0, "{void:?} after a void deal");
}
