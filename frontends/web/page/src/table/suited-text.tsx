// Texts with coloured suits.

/** A suit sign, with the rank of a card or the level of a call before it. */
const SUITED = /((?:\b(?:10|[2-9A-Z])|\b\d+ )?[♠♣♦♥])/;
const SIGNS = "♠♣♦♥";
/** Classes of the suits in the style sheet, in the order of `SIGNS`. */
const SUIT_CLASSES = "SCDH";

/** A card or a call as a piece of text that ends with a suit sign. */
function SuitedPiece({ text }: { text: string }) {
  const sign = text.at(-1)!;
  const suit = <span class={`suit ${SUIT_CLASSES[SIGNS.indexOf(sign)]}`}>{sign}</span>;
  if (text === sign) return suit;
  // A blank follows the level of a call, but not the rank of a card.
  return (
    <span class={text.includes(" ") ? "height" : "slip"}>
      {text.slice(0, -1)}
      {suit}
    </span>
  );
}

/**
 * A text with its suits in their colours. A card looks like one, and the level of a call stays on
 * the line of its suit.
 */
export function SuitedText({ text }: { text: string }) {
  return (
    <>
      {text
        .split(SUITED)
        .map((piece, i) => (i % 2 === 0 ? piece : <SuitedPiece key={i} text={piece} />))}
    </>
  );
}
