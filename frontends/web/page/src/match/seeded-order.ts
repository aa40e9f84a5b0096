// A shuffled order that depends on its seed only.

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the numbers below `count` in a shuffled order. */
export function seededOrder(count: number, seed: number): number[] {
  const next = seededNumbers(seed);
  const order = Array.from({ length: count }, (_, i) => i);
  for (let last = count - 1; last > 0; last--) {
    const at = Math.floor(next() * (last + 1));
    [order[last], order[at]] = [order[at], order[last]];
  }
  return order;
}
