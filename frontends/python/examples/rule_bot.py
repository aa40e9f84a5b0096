"""A bot of hand-written rules: it proposes long suits, leads high and saves cards for its side."""
import troel

RANKS = "23456789TJQKA"

def beats(card, other, trump):
    """Whether a card beats another one that was played before it."""
    return card[1] == trump if card[1] != other[1] else RANKS.index(card[0]) > RANKS.index(other[0])

@troel.each
def bot(view):
    numbers = dict(zip(view.codes, view.legal))
    if view.phase != "play":
        suits, honours = [card[1] for card in view.hand], sum(card[0] in "AKQ" for card in view.hand)
        calls = [f"8{suit}" for suit in "SCDH" if suits.count(suit) >= 5 and honours >= 4]
        return next((numbers[call] for call in [*calls, "pass", "keep"] if call in numbers), view.legal[0])
    cards = sorted(view.codes, key=lambda card: (card[1] == view.trump, RANKS.index(card[0])))
    if not view.trick:
        return numbers[cards[-1]]
    winner, best = view.trick[0]
    for seat, card in view.trick[1:]:
        winner, best = (seat, card) if beats(card, best, view.trump) else (winner, best)
    winning = [card for card in cards if beats(card, best, view.trump)]
    is_ours = (winner in view.declarers) == (view.seat in view.declarers)
    return numbers[winning[-1] if winning and not is_ours else cards[0]]
