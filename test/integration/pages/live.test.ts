import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { endKey } from '../../../src/core/organizations/operator.ts';
import { createShareLink } from '../../../src/core/sharing/shareLinks.ts';
import { notify } from '../../../src/db/notifications.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { inDays } from '../../../src/domain/shareLinks.ts';
import { LiveConnections } from '../../../src/pages/parts/live.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey } from '../../support/keys.ts';
import { listenHttp } from '../../support/listeners.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { type PagesServer, seedSet, startPages } from './pagesServer.ts';
import { RequestForm } from './requestForm.ts';

let server: PagesServer;
const open: AbortController[] = [];
afterEach(async () => {
  for (const controller of open.splice(0)) controller.abort();
  await server.close();
});

const shots = [{ site: 'https://news.example/', device: 'desktop', status: 'pending' }] as const;

/** Reads a stream as it comes. */
async function listenTo(
  setId: string,
  { key = server.apiKey, path = `/o/demo/screenshot_sets/${setId}/events` } = {},
): Promise<{ status: number; text: () => string; ended: () => boolean }> {
  const controller = new AbortController();
  open.push(controller);
  const response = await fetch(server.url + path, {
    headers: { authorization: key },
    signal: controller.signal,
  });
  let text = '';
  let ended = false;
  const read = async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
    ended = true;
  };
  read().catch((error: unknown) => {
    // Ended by this test.
    if (!controller.signal.aborted) text += String(error);
  });
  return { status: response.status, text: () => text, ended: () => ended };
}

const changesIn = (stream: { text: () => string }) => stream.text().split('event: changed').length - 1;

/** Opens a stream, and keeps it open until the test ends. */
async function statusOf(path: string): Promise<number> {
  const controller = new AbortController();
  open.push(controller);
  return (await fetch(server.url + path, { signal: controller.signal })).status;
}

describe('live progress', () => {
  it('a stream says at once that its page may be old, then each change, also of a set that is finished', async () => {
    server = await startPages();
    const { setId } = await seedSet(server, { shots });
    const stream = await listenTo(setId);
    await eventually(() => expect(changesIn(stream)).toBe(1));
    const { db } = server.store;
    await db.updateTable('screenshot_sets').set({ status: 'approved' }).where('id', '=', setId).execute();
    await notify(db, { set: setId });
    await eventually(() => expect(changesIn(stream)).toBe(2));
    await notify(db, { set: setId });
    await eventually(() => expect(changesIn(stream)).toBe(3));
    expect(stream.ended()).toBe(false);
  });

  it('a stream reports a new name, a link and a retake as soon as they are stored', async () => {
    server = await startPages();
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ ...shots[0], status: 'uploaded' }] });
    const stream = await listenTo(setId);
    await eventually(() => expect(changesIn(stream)).toBe(1));
    const form = await RequestForm.open(server);
    const path = `/o/demo/screenshot_sets/${setId}`;
    await form.postTo(`${path}/change`, { name: 'Spring' });
    await eventually(() => expect(changesIn(stream)).toBe(2));
    await form.postTo(`${path}/shares`, { label: 'Anna', pictures: 'all' });
    await eventually(() => expect(changesIn(stream)).toBe(3));
    await form.postTo(`${path}/retake`, { which: 'all' });
    await eventually(() => expect(changesIn(stream)).toBe(4));
  });

  it('a stream reports that anything may have changed after a lost connection to PostgreSQL', async () => {
    server = await startPages();
    const { setId } = await seedSet(server, { shots });
    const stream = await listenTo(setId);
    await eventually(() => expect(changesIn(stream)).toBe(1));
    await notify(server.store.db, {});
    await eventually(() => expect(changesIn(stream)).toBe(2), 10_000);
  });

  it('a stream says nothing of other sets', async () => {
    server = await startPages();
    const [{ setId }, other] = [await seedSet(server, { shots }), await seedSet(server, { shots })];
    const [stream, ofOther] = [await listenTo(setId), await listenTo(other.setId)];
    await eventually(() => expect([changesIn(stream), changesIn(ofOther)]).toEqual([1, 1]));
    await notify(server.store.db, { set: other.setId });
    await eventually(() => expect(changesIn(ofOther)).toBe(2));
    expect(changesIn(stream)).toBe(1);
  });

  it('a stream ends when the key is revoked, and reports nothing more', async () => {
    server = await startPages();
    const { setId } = await seedSet(server, { shots });
    const key = await createKey(server.store.db, 'demo');
    const stream = await listenTo(setId, { key: key.api_key });
    await eventually(() => expect(changesIn(stream)).toBe(1));
    await endKey(server.store.db, 'demo', key.id);
    await notify(server.store.db, { set: setId });
    await eventually(() => expect(stream.ended()).toBe(true));
    expect(changesIn(stream)).toBe(1);
  });

  it('a stream of an object that does not exist is not found', async () => {
    server = await startPages();
    expect((await listenTo(randomUUID())).status).toBe(404);
  });

  it('the number of streams is limited, and a client that disconnects no longer counts', async () => {
    server = await startPages({ liveLimits: { all: 2 } });
    const { setId } = await seedSet(server, { shots });
    expect((await listenTo(setId)).status).toBe(200);
    expect((await listenTo(setId)).status).toBe(200);
    expect((await listenTo(setId)).status).toBe(503);
    open[0]?.abort();
    await eventually(async () => expect((await listenTo(setId)).status).toBe(200));
  });

  it('one organization cannot use all streams', async () => {
    server = await startPages({ liveLimits: { all: 3, organization: 1 } });
    const { setId } = await seedSet(server, { shots });
    expect((await listenTo(setId)).status).toBe(200);
    expect((await listenTo(setId)).status).toBe(503);
  });

  it('one person cannot use all streams of the organization', async () => {
    server = await startPages();
    const { setId } = await seedSet(server, { shots });
    const opened = await Promise.all(Array.from({ length: 31 }, () => listenTo(setId)));
    expect(opened.filter(({ status }) => status === 503).length).toBe(1);
    const { api_key: key } = await createKey(server.store.db, 'demo');
    expect((await listenTo(setId, { key })).status).toBe(200);
  });

  it('one address cannot use all streams', async () => {
    server = await startPages({ liveLimits: { all: 3, network: 1 } });
    const { setId } = await seedSet(server, { shots });
    expect((await listenTo(setId)).status).toBe(200);
    expect((await listenTo(setId)).status).toBe(503);
  });

  it('the client’s page of a campaign follows all its sets, and ends when the link is revoked', async () => {
    server = await startPages();
    const campaignId = randomUUID();
    const { setId: older } = await seedSet(server, { shots, campaignId });
    await seedSet(server, { shots, campaignId });
    const { setId: other } = await seedSet(server, { shots });
    const { db } = server.store;
    const wanted = { organizationId: server.organizationId, campaignId, label: '', expiresAt: inDays(new Date(), 7) };
    const { id } = await db
      .transaction()
      .execute((tx) => createShareLink(tx, { ...wanted, downloads: false }, OPERATOR));
    const path = `/s/${shareToken(server.secret, id)}/events`;
    const stream = await listenTo(older, { path });
    await eventually(() => expect(changesIn(stream)).toBe(1));
    await notify(db, { set: other });
    await notify(db, { set: older });
    await eventually(() => expect(changesIn(stream)).toBe(2));
    const { setId: newer } = await seedSet(server, { shots, campaignId });
    await notify(db, { set: newer, organization: server.organizationId });
    await eventually(() => expect(changesIn(stream)).toBe(3));
    await notify(db, { set: newer });
    await eventually(() => expect(changesIn(stream)).toBe(4));
    await db.updateTable('share_links').set({ revoked_at: new Date() }).where('id', '=', id).execute();
    await notify(db, { set: older });
    await eventually(() => expect(stream.ended()).toBe(true));
    expect(changesIn(stream)).toBe(4);
  });

  it('one share link cannot use all streams of its organization', async () => {
    server = await startPages({ liveLimits: { link: 1 } });
    const { setId } = await seedSet(server, { shots });
    const paths = [];
    for (let links = 0; links < 2; links += 1) {
      const wanted = { organizationId: server.organizationId, setId, label: '', expiresAt: inDays(new Date(), 7) };
      const { id } = await server.store.db
        .transaction()
        .execute((tx) => createShareLink(tx, { ...wanted, downloads: false }, OPERATOR));
      paths.push(`/s/${shareToken(server.secret, id)}/events`);
    }
    const [one = '', other = ''] = paths;
    expect([await statusOf(one), await statusOf(one), await statusOf(other)]).toEqual([200, 503, 200]);
  });

  it('a client that disconnects before its stream starts does not count', async () => {
    let subscribed = 0;
    const subscribe = () => {
      subscribed += 1;
      return () => undefined;
    };
    const live = new LiveConnections({ subscribe, log: TEST_LOG, liveLimits: { all: 1 } });
    const watched = { concerns: () => false, exists: async () => false };
    const opened = (response: express.Response) =>
      live.open(response, { organizationId: 'organization' }, watched, async () => true);
    const app = express();
    const left = Promise.withResolvers<void>();
    app.get('/leaves', async (_request, response) => {
      await once(response, 'close');
      await opened(response);
      left.resolve();
    });
    app.get('/stays', (_request, response) => opened(response));
    const listener = await listenHttp(app);
    const leaver = new AbortController();
    const leaving = fetch(`${listener.url}/leaves`, { signal: leaver.signal });
    await eventually(() => expect(listener.open).toBe(1));
    leaver.abort();
    await expect(leaving).rejects.toThrow();
    await left.promise;
    expect(subscribed).toBe(0);
    expect((await fetch(`${listener.url}/stays`)).status).toBe(200);
    await listener.close();
  });
});
