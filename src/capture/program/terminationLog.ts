/** The termination message of a capture: a line of JSON that the kubelet copies into the status of the pod. */
import { writeFileSync } from 'node:fs';

/** The kubelet keeps only this many bytes. */
const MAX_BYTES = 4_096;

export interface Termination {
  readonly exitCode: number;
  readonly message: string;
}

/** Writes into an existing file. Outside of a pod the file does not exist, and the function does not create it. Never throws. */
export function writeTerminationLog(file: string, termination: Termination): void {
  try {
    writeFileSync(file, terminationLine(termination), { flag: 'r+' });
  } catch {
    // The log contains the message as well.
  }
}

export function terminationLine({ exitCode, message }: Termination): string {
  const line = (words: string) => `${JSON.stringify({ exit_code: exitCode, message: words })}\n`;
  // More cannot fit. `toWellFormed` replaces half a surrogate pair at the cut.
  const points = [...message.slice(0, MAX_BYTES).toWellFormed()];
  let words = message.length > MAX_BYTES ? `${points.join('')}…` : points.join('');
  for (let kept = points.length; Buffer.byteLength(line(words)) > MAX_BYTES; ) {
    kept = Math.floor(kept * 0.95);
    words = `${points.slice(0, kept).join('')}…`;
  }
  return line(words);
}
