/** Kills processes at many moments. Once `tearsheet dev` runs again on the same folder, all accepted requests finish. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DevEnvironment } from '../integration/dev/devEnvironment.ts';
import { expectFinished, type GateName, type PostedRequests, postRequests } from '../integration/dev/postRequests.ts';
import { kill, type RunningProcess } from '../integration/dev/serviceFolders.ts';
import { eventually } from '../support/eventually.ts';

let env: DevEnvironment;

beforeAll(async () => {
  env = await DevEnvironment.create();
  await env.start();
}, 300_000);

afterAll(() => env?.close());

interface Place {
  readonly name: string;
  /**
   * The gates that stay shut until the kill, so that the work cannot pass the place. A capture may render one creative at a time, so a place
   * behind a rendered creative must not shut the gate of another one: it fails after some seconds.
   */
  readonly shut?: readonly GateName[];
  readonly receiver?: DevEnvironment['receiver']['mode'];
  /** Resolves at the place. */
  reached(asked: PostedRequests): Promise<unknown>;
}

const CREATIVES_OF_SET = 'select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id where j.set_id = $1';

/** The whole process is killed there. */
const PLACES: readonly Place[] = [
  { name: 'right after the answer', reached: async () => undefined },
  {
    name: 'when the job has its row',
    shut: ['tag', 'picture'],
    reached: ({ set }) => env.waitForRow('select 1 from screenshot_jobs where set_id = $1', [set]),
  },
  {
    name: 'when the first capture has opened its attempt',
    shut: ['tag', 'picture', 'page a', 'page b'],
    reached: ({ set }) =>
      env.waitForRow(
        'select 1 from job_indexes i join screenshot_jobs j on j.id = i.job_id where j.set_id = $1 and i.attempt > 0',
        [set],
      ),
  },
  {
    name: 'with a creative claimed and being rendered',
    shut: ['tag', 'page a', 'page b'],
    reached: async ({ set, gate }) => {
      await env.requestGate.waitForRequest(gate('tag'));
      await env.waitForRow(`${CREATIVES_OF_SET} and c.status = 'pending' and c.claim_expires_at is not null`, [set]);
    },
  },
  {
    name: 'after the first creative was rendered',
    shut: ['page a', 'page b'],
    reached: ({ set }) => env.waitForRow(`${CREATIVES_OF_SET} and c.status = 'rendered'`, [set]),
  },
  {
    name: 'after the first picture was stored',
    shut: ['page b'],
    reached: ({ set }) => uploaded(set, 1),
  },
  { name: 'with half of the pictures', shut: ['page b'], reached: ({ set }) => uploaded(set, 2) },
  {
    name: 'when the set is settled and its webhook was refused',
    receiver: 'refuses',
    reached: ({ set }) =>
      env.waitForRow("select 1 from deliveries where set_id = $1 and status = 'pending' and tries = 1", [set]),
  },
  {
    name: 'while the receiver of the webhook does not answer',
    receiver: 'never answers',
    reached: ({ set }) => env.receiver.asked('screenshot_set.approved', set),
  },
];

async function uploaded(set: string, count: number): Promise<void> {
  await env.waitForRow(
    "select 1 from screenshots where set_id = $1 and status = 'uploaded' group by set_id having count(*) >= $2",
    [set, count],
  );
}

/** Asks, and comes back when the place is reached; everything is let go as soon as the killing is done. */
async function strike({ name, shut = [], receiver = 'accepts', reached }: Place, deed: () => Promise<unknown>) {
  env.receiver.mode = receiver;
  const asked = await postRequests(env, name, shut);
  try {
    await reached(asked);
    await deed();
  } finally {
    env.receiver.mode = 'accepts';
    for (const gate of shut) env.requestGate.release(asked.gate(gate));
  }
  return asked;
}

describe('tearsheet dev after a SIGKILL', { timeout: 400_000 }, () => {
  for (const place of PLACES) {
    it(`tearsheet dev finishes all requests after it was killed ${place.name}`, async () => {
      const asked = await strike(place, () => env.service.end('SIGKILL'));
      await env.start();
      await expectFinished(env, asked);
    });
  }

  it('tearsheet dev finishes all requests after it was killed twice with the same creative claimed', async () => {
    const place: Place = {
      name: 'twice',
      shut: ['tag'],
      reached: ({ gate }) => env.requestGate.waitForRequest(gate('tag')),
    };
    const asked = await strike(place, async () => {
      await env.service.end('SIGKILL');
      env.requestGate.release('twice/tag');
      env.requestGate.hold('twice/tag');
      await env.start();
      await env.requestGate.waitForRequest('twice/tag');
      await env.service.end('SIGKILL');
    });
    await env.start();
    await expectFinished(env, asked);
  });

  it('tearsheet dev finishes all requests after all its processes were killed at once', async () => {
    const place: Place = { name: 'all', shut: ['page b'], reached: ({ set }) => uploaded(set, 2) };
    const asked = await strike(place, async () => {
      for (const { pid } of env.folders.processes()) kill(pid);
      await env.service.ended;
    });
    await env.start();
    await expectFinished(env, asked);
  });

  it('tearsheet dev finishes all requests after it was killed during a graceful shutdown', async () => {
    const place: Place = { name: 'shutdown', shut: ['page b'], reached: ({ set }) => uploaded(set, 2) };
    const asked = await strike(place, async () => {
      process.kill(env.service.pid, 'SIGTERM');
      await eventually(() => expect(env.service.output()).toContain('shutting down'));
      await env.service.end('SIGKILL');
    });
    await env.start();
    await expectFinished(env, asked);
  });

  it('tearsheet dev finishes all requests after it was killed during the migrations of a start', async () => {
    const place: Place = { name: 'migrations', shut: ['page b'], reached: ({ set }) => uploaded(set, 2) };
    const asked = await strike(place, async () => {
      await haltMigrations();
      await env.service.end('SIGKILL');
      const starting = env.begin();
      await eventually(async () => expect(await migrationsHalted()).toBe(true));
      await starting.end('SIGKILL');
      await letMigrationsPass();
    });
    await env.start();
    await expectFinished(env, asked);
  });

  it('tearsheet dev finishes all requests after only PostgreSQL was killed', async () => {
    const place: Place = { name: 'postgres', shut: ['page b'], reached: ({ set }) => uploaded(set, 2) };
    const asked = await strike(place, async () => {
      kill(Number(postmasterFile()[0]));
      const { code } = await env.service.ended;
      expect(code).not.toBe(0);
      expect(env.service.output()).toContain('PostgreSQL exited (SIGKILL)');
    });
    await env.start();
    await expectFinished(env, asked);
  });

  const CHILDREN: readonly (Place & { kind: RunningProcess['kind'] })[] = [
    {
      name: 'capture',
      kind: 'capture',
      shut: ['tag'],
      reached: ({ gate }) => env.requestGate.waitForRequest(gate('tag')),
    },
    {
      name: 'pages',
      kind: 'pages browser',
      shut: ['page a', 'page b'],
      reached: ({ gate }) => env.requestGate.waitForRequest(gate('page a')),
    },
    {
      name: 'creatives',
      kind: 'creatives browser',
      shut: ['tag'],
      reached: ({ gate }) => env.requestGate.waitForRequest(gate('tag')),
    },
  ];
  for (const { kind, ...place } of CHILDREN) {
    it(`tearsheet dev finishes all requests without a restart after every ${kind} was killed`, async () => {
      const { pid } = env.service;
      const asked = await strike(place, async () => {
        const victims = env.folders.processes().filter((one) => one.kind === kind);
        expect(victims).not.toHaveLength(0);
        for (const victim of victims) kill(victim.pid);
      });
      await expectFinished(env, asked);
      expect(env.service.pid).toBe(pid);
    });
  }

  it('tearsheet dev leaves no process behind after it was killed often and then stopped', async () => {
    expect(await env.service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await env.folders.expectNoProcesses();
    expect(env.receiver.forged).toBe(0);
  });
});

function postmasterFile(): string[] {
  return readFileSync(path.join(env.folders.data, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
}

/** Makes each creation of a table sleep. A start creates tables first. */
async function haltMigrations(): Promise<void> {
  await env.rows(`create function halt() returns event_trigger language plpgsql as
    $$ begin perform pg_sleep(120); end $$`);
  await env.rows("create event trigger halt on ddl_command_start when tag in ('CREATE TABLE') execute function halt()");
}

async function migrationsHalted(): Promise<boolean> {
  return (await onLatestPort("select 1 from pg_stat_activity where wait_event = 'PgSleep'")).length > 0;
}

async function letMigrationsPass(): Promise<void> {
  await onLatestPort('drop event trigger halt');
}

/** The server has another port at each start. */
async function onLatestPort(sql: string): Promise<object[]> {
  const address = new URL(env.ready.database_url);
  address.port = postmasterFile()[3] ?? '';
  return env.rows(sql, [], address.href);
}
