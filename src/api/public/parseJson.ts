import { setImmediate } from 'node:timers/promises';
import { isObject, type JsonObject, kindOf } from '../../contract/faults.ts';
import { invalid } from '../../domain/failure.ts';
import { MAX_BODY_SHAPES, MAX_BODY_VALUES } from '../../domain/limits.ts';
import { malformed, tooLarge } from './readBytes.ts';

/** No valid body is that deep. To parse millions of levels takes seconds and gigabytes. */
const MAX_LEVELS = 1_000;

/** Other requests get their turn before and after `JSON.parse`, because each step takes tens of milliseconds for the largest bodies. */
const otherRequests = () => setImmediate();

/** @throws Failure: 400 for malformed JSON, 413 if it has too many values, 422 if it is not an object. */
export async function parseJson(body: Buffer): Promise<JsonObject> {
  if (body.length === 0) throw malformed('must be a JSON object, but is empty.');
  rejectCostly(body);
  await otherRequests();
  const value = parseText(decode(body));
  await otherRequests();
  if (!isObject(value)) throw invalid({ body: [`must be a JSON object, but is ${kindOf(value)}.`] });
  return value;
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed('must be JSON in UTF-8, but has bytes that are not UTF-8.');
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`must be valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it is not'}.`);
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT, COMMA, COLON] = [...'"\\[{]},:'].map((c) =>
  c.charCodeAt(0),
);

/** @throws Failure if parsing would hold the event loop: 400 if the body is too deep, 413 if it has too many values or kinds of objects. */
function rejectCostly(body: Buffer): void {
  // A shape is a sequence of field names. To parse a new one costs a hundred times as much as a known one.
  const shapes = new Map<string, number>();
  const open: number[] = [];
  let values = 0;
  let text = { start: 0, end: 0 };
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === QUOTE) {
      text = { start: i, end: endOfString(body, i + 1) };
      i = text.end;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(0);
      values += 1;
      if (open.length > MAX_LEVELS) throw malformed(`must not be nested more than ${figure(MAX_LEVELS)} levels deep.`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) {
      const shape = `${open.pop()} ${body.toString('latin1', text.start, text.end)}`;
      open.push(shapes.get(shape) ?? shapes.set(shape, shapes.size + 1).size);
    }
    if (values > MAX_BODY_VALUES) throw tooMany(MAX_BODY_VALUES, 'values');
    if (shapes.size > MAX_BODY_SHAPES) throw tooMany(MAX_BODY_SHAPES, 'sequences of field names');
  }
}

/** @returns the index of the closing quote. */
function endOfString(body: Buffer, start: number): number {
  let i = start;
  while (i < body.length && body[i] !== QUOTE) i += body[i] === BACKSLASH ? 2 : 1;
  return i;
}

const figure = (value: number) => value.toLocaleString('en');
const tooMany = (most: number, what: string) =>
  tooLarge(`must hold at most ${figure(most)} ${what}: send several requests.`);
