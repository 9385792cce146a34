/** Functions that the tests run in the processes that read files. */
export const whoAmI = (): number => process.pid;

export const environment = (): string[] => Object.keys(process.env);

export const echo = (given: Buffer): Buffer => given;

export function fail(message: string): never {
  throw new Error(message);
}

export function loop(): never {
  for (;;);
}

const kept: Buffer[] = [];

export function keepMemory(): number {
  kept.push(Buffer.alloc(160 * 1024 * 1024, 1));
  return process.pid;
}

/** Memory that is not on the heap, as that of image libraries. */
export async function takeMemory(): Promise<void> {
  for (const taken: Buffer[] = []; ; taken.push(Buffer.alloc(32 * 1024 * 1024, 1))) await new Promise(setImmediate);
}

export function fillHeap(): never {
  for (const taken: number[][] = []; ; ) taken.push(new Array<number>(1_000_000).fill(0.5));
}

export const exit = (): never => process.exit(3);
