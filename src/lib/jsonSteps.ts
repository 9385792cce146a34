/** Items of a list that are written between two looks at the clock. */
const STEP = 50;

/** Writes an object as `JSON.stringify` does, in steps if its lists are long. Run them with `runInSlices`. */
export function* jsonSteps(record: object): Generator<undefined, string> {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    const text: string | undefined = Array.isArray(value) ? yield* listSteps(value) : JSON.stringify(value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

function* listSteps(items: readonly unknown[]): Generator<undefined, string> {
  const parts: string[] = [];
  for (let start = 0; start < items.length; start += STEP) {
    parts.push(JSON.stringify(items.slice(start, start + STEP)).slice(1, -1));
    yield;
  }
  return `[${parts.join(',')}]`;
}
