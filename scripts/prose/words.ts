/** Words and turns of phrase that make a text hard to read, with what to write instead. */

export interface Avoided {
  /** A regular expression; it matches whole words, in `AVOIDED_WORDS` without regard to case. */
  readonly pattern: string;
  readonly instead: string;
}

const avoid = (instead: string, ...patterns: readonly string[]): readonly Avoided[] =>
  patterns.map((pattern) => ({ pattern, instead }));

/** "…, for it is late": a clause follows. "…, for example" and "…, for each page" are fine. */
const PRONOUN = '(?:it|they|there|we|he|she|nothing|nobody|many)';
const NOUN =
  "(?:the|a|an|its|their|our|this|that)(?: (?!(?:that|which|who|when|where|if|it|they|we)\\b)[\\w'’-]+){1,3}";
const AUXILIARY = '(?:is|are|was|were|has|have|had|may|might|must|can|cannot|could|does|do|did|will|would)';

export const AVOIDED_WORDS: readonly Avoided[] = [
  ...avoid('who acts', 'somebody', 'whoever', 'whomever', 'whosoever', 'whose(?:so)?ever'),
  ...avoid('"again"', 'anew', 'afresh'),
  ...avoid('"so" or a new sentence', 'thereby', 'whereby', 'whereupon', 'thereupon', 'hereby', 'wherein', 'therein'),
  ...avoid('"so that … not"', 'lest'),
  ...avoid('"because"', `(?<=[,;] )for ${PRONOUN}`, `(?<=[,;] )for ${NOUN} ${AUXILIARY}`),
  ...avoid('a limit: "at most …"', 'no longer than'),
  ...avoid('"replaces", "is in" or "is written in"', '(?:stands?|stood|standing) in'),
  ...avoid('"continues"', '(?:goes|go|going|went|gone) on'),
  ...avoid(
    'who tells what: "the API reports …"',
    '(?:is|are|was|were|be|been|being) told',
    'tell of',
    'tells of',
    'told of',
    'telling of',
  ),
  ...avoid('"orphaned" or "abandoned"', 'forsaken'),
  ...avoid('"unlabeled object"', 'strays'),
  ...avoid('a common term', 'acquaintance', 'calmly', 'undertaking', 'aftermath', 'allowances', 'at its word'),
  ...avoid('"lost leadership"', 'leads no more'),
  ...avoid('"no longer"', '(?<!leads |and )no more(?= *(?:[.,;:)]|$))'),
  ...avoid('"default frame"', 'resting (?:picture|frame|image|state)', 'at rest'),
  ...avoid(
    '"must be", "will be" or "is"',
    '(?:is|are|was|were) to (?:be|go|have|wait|get|come|end|stay|run|do|take|last)',
  ),
  ...avoid('"results from" or "comes from"', '(?:comes|come|came) of'),
  ...avoid('"causes"', '(?:brings|bring|brought|bringing) about'),
  ...avoid('"depends on" or "uses"', '(?:rests|rest|rested) (?:on|upon)', '(?:stands?|stood) (?:on|upon)'),
  ...avoid('"except"', 'but for', 'save for'),
  ...avoid('"whether"', 'be it', 'be they', 'be there'),
  ...avoid('"on"', 'upon'),
  ...avoid('"fix" or "repair"', 'mend', 'mends', 'mended', 'mending'),
  ...avoid('"failed after N attempts" or "stops retrying"', 'given up', 'gives up', 'gave up'),
  ...avoid('"forever" or "without limit"', 'for ever'),
  ...avoid('"once" or "at once"', 'in one go', 'in its turn'),
  ...avoid('"entirely"', 'wholly'),
  ...avoid('"must" or "will"', 'shall', 'ought'),
  ...avoid(
    'a plain word',
    'albeit',
    'amid',
    'whilst',
    'hitherto',
    'henceforth',
    'hence',
    'in vain',
    'had better',
    'as yet',
  ),
  ...avoid(
    '"placement preview", because Tearsheet does not prove that a campaign ran',
    'proof (?:that|of) an? (?:ad|campaign)',
  ),
];

/** Starts of sentences that hide the subject. A question ("What now?") is fine. */
export const AVOIDED_STARTS: readonly Avoided[] = [
  ...avoid('start with the subject, not with "what"', '[Ww]hat', '[Ww]hatever', 'Whichever', '[Ww]ho', 'Whom'),
  ...avoid('start with the subject', 'Of', 'But for', 'Not so', 'So is', 'So are', 'Nor'),
];
