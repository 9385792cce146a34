/** The corpus of docs/adr/0034: hand-written requests, most of them from published research on request smuggling. */
import { CONNECTIONS } from './connections.ts';
import { FRAMING } from './framing.ts';
import { HEADS } from './heads.ts';
import type { CorpusCase } from './types.ts';

export const CORPUS: readonly { readonly group: string; readonly cases: readonly CorpusCase[] }[] = Object.entries({
  ...FRAMING,
  ...HEADS,
  ...CONNECTIONS,
}).map(([group, cases]) => ({ group, cases }));
