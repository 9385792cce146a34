/** Sends each request to both databases in turns, and runs each step of the controller on both. */
import { Client } from 'undici';
import { median } from '../medians.ts';
import {
  type BenchRequest,
  findPlaces,
  listRequests,
  objectRequests,
  pageRequests,
  send,
  writingRequests,
} from './requests.ts';
import type { Side, Stand } from './stand.ts';
import { openSideStore, STEPS } from './steps.ts';

export interface Measured {
  readonly name: string;
  /** Medians in milliseconds. */
  readonly empty: number;
  readonly full: number;
  readonly ratio: number;
}

/** Not measured: connections, prepared statements and the cache of PostgreSQL. */
const WARM_UPS = 4;

export async function measureAll(
  { empty, full }: Pick<Stand, 'empty' | 'full'>,
  options: MeasureOptions,
): Promise<Measured[]> {
  return [...(await measureSteps({ empty, full }, options)), ...(await measureRequests({ empty, full }, options))];
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Called after each. */
  readonly measured: (one: Measured) => void;
}

type Sides = Pick<Stand, 'empty' | 'full'>;

async function measureRequests({ empty, full }: Sides, options: MeasureOptions): Promise<Measured[]> {
  const sides = [await requestsOf(empty), await requestsOf(full)];
  const [few = [], many = []] = sides.map(({ requests }) => requests);
  const measured: Measured[] = [];
  try {
    for (const [index, { name }] of few.entries()) {
      const other = many[index];
      if (other === undefined) continue;
      const run = (side: number, request: BenchRequest) => answered(sides[side]?.client, request, [empty, full][side]);
      measured.push(await inTurns(name, options, [() => run(0, few[index] ?? other), () => run(1, other)]));
    }
  } finally {
    for (const { client } of sides) await client.close();
  }
  return measured;
}

async function requestsOf({ database, origin }: Side) {
  const places = await findPlaces(database);
  const groups = [listRequests, objectRequests, pageRequests, writingRequests];
  return { client: new Client(origin), requests: groups.flatMap((group) => group(places)) };
}

/** @returns milliseconds. @throws Error unless the answer is a success. */
async function answered(client: Client | undefined, request: BenchRequest, side: Side | undefined): Promise<number> {
  if (client === undefined || side === undefined) throw new Error('There is no such side.');
  const { ms, status, text } = await send(client, request, side);
  if (status >= 300) throw new Error(`${request.name}, ${request.path}: ${status}: ${text.slice(0, 500)}`);
  return ms;
}

async function measureSteps({ empty, full }: Sides, options: MeasureOptions): Promise<Measured[]> {
  const [few, many] = [await openSideStore(empty), await openSideStore(full)];
  const measured: Measured[] = [];
  try {
    for (const { name, run } of STEPS) measured.push(await inTurns(name, options, [() => run(few), () => run(many)]));
  } finally {
    for (const { store } of [few, many]) await store.close();
  }
  return measured;
}

async function inTurns(
  name: string,
  { rounds, measured }: MeasureOptions,
  [few, many]: readonly [() => Promise<number>, () => Promise<number>],
): Promise<Measured> {
  const values = { empty: [] as number[], full: [] as number[] };
  for (let round = -WARM_UPS; round < rounds; round += 1) {
    const [a, b] = [await few(), await many()];
    if (round >= 0) values.empty.push(a) && values.full.push(b);
  }
  const [empty, full] = [median(values.empty), median(values.full)];
  const result = { name, empty, full, ratio: full / empty };
  measured(result);
  return result;
}
