/** Why a capture ended, where the kubelet looks for it: a line of JSON that then stands in the pod's status. */
import { writeFileSync } from 'node:fs';

/** The kubelet keeps that much of the end. */
const MAX_BYTES = 4_096;

export interface Termination {
  readonly exitCode: number;
  readonly message: string;
}

/** Writes into a file that is there; elsewhere than in a pod there is none, and nothing is made. Never throws: the end stays what it is. */
export function writeTerminationLog(file: string, termination: Termination): void {
  try {
    writeFileSync(file, terminationLine(termination), { flag: 'r+' });
  } catch {
    // The log says it too.
  }
}

export function terminationLine({ exitCode, message }: Termination): string {
  const line = (words: string) => `${JSON.stringify({ exit_code: exitCode, message: words })}\n`;
  // No more can fit; half a pair at the cut becomes a sign of its own.
  const points = [...message.slice(0, MAX_BYTES).toWellFormed()];
  let words = message.length > MAX_BYTES ? `${points.join('')}…` : points.join('');
  for (let kept = points.length; Buffer.byteLength(line(words)) > MAX_BYTES; ) {
    kept = Math.floor(kept * 0.95);
    words = `${points.slice(0, kept).join('')}…`;
  }
  return line(words);
}
