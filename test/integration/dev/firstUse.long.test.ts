/** The first minutes of a person with `tearsheet dev`: sign in by the printed link, and send the printed request. */
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createServiceFolders, type ServiceFolders } from './serviceFolders.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

/** A `tearsheet dev` without `--allow`, and its two streams apart. */
interface FirstStart {
  readonly stdout: () => string;
  readonly stderr: () => string;
  end(): Promise<void>;
}

function start(folders: ServiceFolders): FirstStart {
  const child = spawn(process.execPath, [CLI, 'dev', '--port', '0', '--data', folders.data], {
    env: { ...process.env, TMPDIR: folders.temporary, LOG_LEVEL: 'info', DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    end: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

let folders: ServiceFolders;
beforeAll(() => {
  folders = createServiceFolders();
});
afterAll(() => folders.remove());

it('the printed link signs in once, and the printed request makes pictures on the sample page', {
  timeout: 900_000,
}, async () => {
  const service = start(folders);
  try {
    await eventually(() => expect(service.stdout(), service.stderr()).toMatch(/\n {2}\}'\n/), 120_000);
    const welcome = service.stdout();
    const link = /sign in +(\S+)/.exec(welcome)?.[1] ?? '';
    // The button of the page that the link opens.
    const open = () => fetch(link, { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(60_000) });
    const first = await open();
    expect([first.status, first.headers.get('location')]).toEqual([303, '/o/demo']);
    const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const home = await fetch(new URL('/o/demo', link), { headers: { cookie }, signal: AbortSignal.timeout(60_000) });
    expect(await home.text()).toContain('Sign out');
    expect(await (await open()).text()).toContain('was used already');

    const command = welcome.slice(welcome.indexOf('curl -s '));
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    const { id, html_url } = JSON.parse(stdout) as { id: string; html_url: string };
    const key = /API key +(\S+)/.exec(welcome)?.[1] ?? '';
    const shots = await finishedScreenshots(`${new URL(link).origin}/api/v1/orgs/demo/screenshot_sets/${id}`, key);
    expect(shots.map(({ status, reason }) => reason ?? status)).toEqual(['uploaded', 'uploaded']);
    expect(html_url).toContain(id);
    for (const { image_url } of shots) expect(await hasBanner(image_url)).toBe(true);
    expect(service.stderr()).not.toContain(link.split('/').at(-1));
  } finally {
    await service.end();
  }
});

interface Shot {
  readonly status: string;
  readonly reason?: string;
  readonly image_url: string;
}

async function finishedScreenshots(url: string, key: string): Promise<readonly Shot[]> {
  return eventually(async () => {
    const response = await fetch(url, { headers: { authorization: key }, signal: AbortSignal.timeout(60_000) });
    const { screenshots } = (await response.json()) as { screenshots: readonly Shot[] };
    if (screenshots.some(({ status }) => status === 'pending')) throw new Error('The set is not finished.');
    return screenshots;
  }, 600_000);
}

/** Whether the sun of the sample banner, the only thing of its color, is in the picture. */
async function hasBanner(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let at = 0; at < data.length; at += info.channels)
    if (data[at] === 255 && data[at + 1] === 215 && data[at + 2] === 154) count += 1;
  return count > 1_000;
}
