/** The capture program and creatives that clients uploaded, with artifacts in a folder and in a bucket. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArtifacts } from '../../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { readSource } from '../../../../src/capture/program/renderClaims.ts';
import type { Attempt, ClaimedCreative } from '../../../../src/contract/captureProtocol.ts';
import { uploadKey } from '../../../../src/domain/uploads.ts';
import { sha256Of } from '../../../../src/lib/sha256.ts';
import { required } from '../../../support/required.ts';
import { type S3Server, startS3Server } from '../../../support/s3Server.ts';
import { prepareCaptureJobs } from '../doubles/captureJob.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const A = '11111111-1111-4111-8111-111111111111';
/** Its file is the page. */
const B = '22222222-2222-4222-8222-222222222222';
const file = { name: 'banner_300x250.zip', bytes: randomBytes(300_000) };

let server: S3Server;
let bucket: ArtifactStore;
beforeAll(async () => {
  server = await startS3Server();
  const { endpoint, region } = server;
  const account = { endpoint, region, forcePathStyle: true, credentials: server };
  bucket = openArtifacts(`s3://${await server.createBucket()}`, account);
}, 900_000);
afterAll(async () => {
  bucket?.close();
  await server?.close();
});

describe.each(['a folder', 'a bucket'])('an uploaded creative in %s', (place) => {
  const start = (hasPage = false) =>
    startCaptureJob({
      ads: { [A]: '', ...(hasPage && { [B]: '' }) },
      ...(hasPage && { pages: [{ site: 'http://site/', device: 'desktop', pictures: [[A, null]] }] }),
      files: { [A]: file, [B]: file },
      ...(place === 'a bucket' && { options: { artifacts: bucket } }),
    });

  test('The file is rendered under its own name', async () => {
    const job = await start();
    if (place === 'a folder') {
      job.misbehave(/GET .*artifacts\/uploads/, 500);
      job.misbehave(/GET .*artifacts\/uploads/, 'reset');
    }
    const program = runProgram(job);
    expect(await program.exit, program.errors.join()).toBe(0);
    expect(program.engine.rendered).toEqual([{ kind: 'file', name: file.name, bytes: file.bytes }]);
    expect(await job.creative(A)).toMatchObject({ status: 'rendered' });
  });

  test('A file that is given as the page is shown instead of the site, without secrets and location', async () => {
    const job = await start(true);
    await job.giveAsPage(A);
    const program = runProgram(job);
    expect(await program.exit, program.errors.join()).toBe(0);
    const { given, access, location } = required(program.engine.openedWith[0]);
    expect([given, access, location]).toEqual([{ format: 'image', bytes: file.bytes }, undefined, undefined]);
    const [shot] = await job.screenshots();
    expect(shot?.record).toMatchObject({ given_page: { format: 'image', sha256: sha256Of(file.bytes) } });
  });

  test('A page whose file the artifact store has lost fails with what to do', async () => {
    const job = await start(true);
    await job.giveAsPage(B);
    await job.artifacts.delete(uploadKey((await job.ad(B)).content));
    const program = runProgram(job);
    expect(await program.exit).toBe(0);
    expect(program.engine.opened).toEqual([]);
    expect(await job.screenshots()).toMatchObject([
      { status: 'generic_error', reason: expect.stringMatching(/no longer stored. Upload it again/) },
    ]);
  });

  test('A file that the artifact store has lost fails its ad, and the capture continues', async () => {
    const job = await start();
    const { content } = await job.ad(A);
    await job.artifacts.delete(uploadKey(content));
    expect(await runProgram(job).exit).toBe(0);
    expect(await job.creative(A)).toMatchObject({
      status: 'failed',
      failure: 'not_found',
      reason: 'The uploaded file "banner_300x250.zip" is no longer stored. Upload it again.',
    });
  });

  test('The address of a file opens no other file', async () => {
    const job = await start();
    const { content } = await job.ad(A);
    const other = randomUUID();
    await job.artifacts.put(uploadKey(other), Buffer.from('of another organization'), 'application/octet-stream');
    await job.otherCapture.call<Attempt>('indexes/0/attempts', { pod: 'pod-2' });
    const claim = await job.otherCapture.call<ClaimedCreative>('creatives/claim', { index: 0, attempt: 1 });
    const { url } = required(claim.body.creative?.file ?? undefined);
    const get = async (address: string) => {
      const response = await fetch(address);
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    expect((await get(url)).bytes).toEqual(file.bytes);
    if (place === 'a bucket' && !server.judgesSignatures) return;
    expect((await get(url.replace(content, other))).status).toBe(403);
  });
});

test('A claim without the file of an upload, from an older API, ends the capture so that it is repeated', async () => {
  const claim = {
    ad_id: A,
    kind: 'upload' as const,
    content: A,
    wanted: [],
    films: [],
    wants_facts: false,
    lease_seconds: 30,
  };
  const client = { downloadUpload: () => Promise.reject(new Error('unused')) };
  const read = readSource({ ...claim, wanted: [] }, { client, signal: AbortSignal.timeout(1_000) });
  await expect(read).rejects.toThrow('names no file');
});
