import { afterEach, describe, expect, it } from 'vitest';
import { errorMessage } from '../../../src/lib/errorMessage.ts';
import { type Health, type HealthOptions, RestartRequiredError, startHealth } from '../../../src/observe/health.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';
import { eventually } from '../../support/eventually.ts';

const HERE = { host: '127.0.0.1', port: 0 };

let health: Health | undefined;
afterEach(async () => {
  await health?.close();
  health = undefined;
});

async function start(checks: HealthOptions['checks'] = {}): Promise<Health> {
  health = await startHealth({ host: '127.0.0.1', port: 0, checks, metrics: createMetrics() });
  return health;
}

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${health?.url}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('the health server', () => {
  it('a server without checks is live and ready', async () => {
    await start();
    expect(await get('/livez')).toEqual({ status: 200, text: 'ok\n' });
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ok\n' });
  });

  it('a process stays ready when a check fails after it has succeeded once', async () => {
    let [isAway, reports] = [true, [] as unknown[]];
    const database = () => (isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve());
    const metrics = createMetrics();
    const checked = (name: string, error: unknown) => reports.push([name, errorMessage(error)]);
    health = await startHealth({ ...HERE, everyMs: 5, checks: { database }, checked, metrics });
    expect(await get('/readyz')).toEqual({ status: 503, text: 'database: connect ECONNREFUSED\n' });
    expect(await metrics.render()).toContain('tearsheet_ready 0');
    isAway = false;
    await eventually(async () => expect(await get('/readyz')).toEqual({ status: 200, text: 'database: ok\n' }));
    [isAway, reports] = [true, []];
    await eventually(async () =>
      expect(await get('/readyz')).toEqual({ status: 200, text: 'database: connect ECONNREFUSED\n' }),
    );
    expect(reports).toContainEqual(['database', 'connect ECONNREFUSED']);
    expect(await metrics.render()).toContain('tearsheet_ready 1');
    expect(await metrics.render()).toContain('tearsheet_dependency_available{dependency="database"} 0');
  });

  it('a process that must be started again is not ready', async () => {
    let error: Error | undefined;
    const database = async () => {
      if (error !== undefined) throw error;
    };
    health = await startHealth({ ...HERE, everyMs: 5, checks: { database }, metrics: createMetrics() });
    error = new RestartRequiredError('not the database that this process started with');
    await eventually(async () => expect((await get('/readyz')).status).toBe(503));
  });

  it('/readyz lists each check with its result and the reason of a failure', async () => {
    await start({
      database: () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432')),
      queue: () => Promise.resolve(),
      cluster: () => Promise.reject(new AggregateError([new Error('a'), new Error('b')], '')),
    });
    expect(await get('/readyz')).toEqual({
      status: 503,
      text: 'database: connect ECONNREFUSED 127.0.0.1:5432\nqueue: ok\ncluster: a; b\n',
    });
    expect((await get('/livez')).status).toBe(200);
  });

  it('a check that never answers counts as failed', async () => {
    const checks = { database: () => new Promise(() => undefined) };
    health = await startHealth({ ...HERE, checks, checkMs: 10, metrics: createMetrics() });
    expect(await get('/readyz')).toEqual({ status: 503, text: 'database: took longer than 0.01 s\n' });
  });

  it('after setUnready, /readyz answers 503 although the checks pass', async () => {
    const { setUnready } = await start({ database: () => Promise.resolve() });
    expect((await get('/readyz')).status).toBe(200);
    setUnready();
    expect(await get('/readyz')).toEqual({ status: 503, text: 'shutting down\n' });
  });

  it('metrics are served, and other paths get 404', async () => {
    await start();
    expect((await get('/metrics?x=1')).text).toContain('# TYPE tearsheet_requests_total counter');
    expect((await get('/secrets')).status).toBe(404);
  });

  it('/metrics answers 500 with the reason when rendering fails', async () => {
    const render = () => Promise.reject(new Error('no registry'));
    const metrics = { contentType: 'text/plain', render, collectHealth: () => undefined };
    health = await startHealth({ host: '127.0.0.1', port: 0, checks: {}, metrics });
    expect(await get('/metrics')).toEqual({ status: 500, text: 'no registry\n' });
  });

  it('starting on a port in use is rejected', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    await expect(startHealth({ host: '127.0.0.1', port, checks: {}, metrics: createMetrics() })).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});
