/** Prefix codes as deflate has them. */

/** Of deflate: no code is longer. */
const MAX_BITS = 15;

/** A code for each symbol: its bits in the order in which they are written, and how many there are. */
export interface Code {
  readonly bits: Uint16Array;
  readonly lengths: Uint8Array;
  /** Both in one: `bits << 4 | length`. */
  readonly packed: Uint32Array;
}

/** @param counts how often each symbol occurs; those that do not occur get a code too. */
export function codeFor(counts: Uint32Array): Code {
  let weights = counts.map((count) => Math.max(1, count));
  let lengths = treeDepths(weights);
  // Flatter weights make a flatter tree; they seldom have to.
  while (Math.max(...lengths) > MAX_BITS) {
    weights = weights.map((weight) => (weight >> 1) + 1);
    lengths = treeDepths(weights);
  }
  const bits = canonicalBits(lengths);
  return { bits, lengths, packed: Uint32Array.from(bits, (code, symbol) => (code << 4) | (lengths[symbol] ?? 0)) };
}

/** How many bits it takes to write what was counted. */
export function costOf(counts: Uint32Array, { lengths }: Code): number {
  let bits = 0;
  for (const [symbol, count] of counts.entries()) bits += count * (lengths[symbol] ?? 0);
  return bits;
}

/** How deep each symbol lies in Huffman's tree. */
function treeDepths(weights: Uint32Array): Uint8Array {
  const leaves = [...weights.keys()].sort((one, two) => (weights[one] ?? 0) - (weights[two] ?? 0));
  const count = leaves.length;
  // Leaves in order, then the nodes that join two, in the order in which they come about: both by weight.
  const weight = new Float64Array(2 * count - 1);
  const parent = new Uint32Array(2 * count - 1);
  for (const [place, symbol] of leaves.entries()) weight[place] = weights[symbol] ?? 0;
  let leaf = 0;
  let node = count;
  for (let joined = count; joined < weight.length; joined++) {
    for (let child = 0; child < 2; child++) {
      const isLeaf = node === joined || (leaf < count && (weight[leaf] ?? 0) <= (weight[node] ?? 0));
      const lightest = isLeaf ? leaf++ : node++;
      weight[joined] = (weight[joined] ?? 0) + (weight[lightest] ?? 0);
      parent[lightest] = joined;
    }
  }
  const depth = new Uint8Array(weight.length);
  for (let place = weight.length - 2; place >= 0; place--) depth[place] = (depth[parent[place] ?? 0] ?? 0) + 1;
  const lengths = new Uint8Array(count);
  for (const [place, symbol] of leaves.entries()) lengths[symbol] = depth[place] ?? 0;
  return lengths;
}

/** RFC 1951, 3.2.2; reversed, for a code is written from its first bit on. */
function canonicalBits(lengths: Uint8Array): Uint16Array {
  const counts = new Uint32Array(MAX_BITS + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const next = new Uint32Array(MAX_BITS + 1);
  for (let length = 2; length <= MAX_BITS; length++)
    next[length] = ((next[length - 1] ?? 0) + (counts[length - 1] ?? 0)) << 1;
  return Uint16Array.from(lengths, (length) => {
    const code = next[length] ?? 0;
    next[length] = code + 1;
    return reversed(code, length);
  });
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let bit = 0; bit < length; bit++) bits |= ((code >> bit) & 1) << (length - 1 - bit);
  return bits;
}
