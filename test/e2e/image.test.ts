/** The image, built from the Dockerfile and started by a Docker engine, as everybody can who has one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { required } from '../support/required.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const NAME = 'tearsheet:built-by-docker';
const BUILD_MS = 20 * 60_000;
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

const engine = await getContainerRuntimeClient().catch(() => undefined);
if (engine === undefined) console.warn('No Docker engine answers: the image is not built and started by one.');
// Where the project starts the cluster, it starts an engine too.
if (engine === undefined && process.env['E2E_OWN_CLUSTER'] === 'true') throw new Error('The Docker engine is gone.');

/** As pods run it: nothing but /tmp and /dev/shm can be written, and nothing can be gained. */
class Confined extends GenericContainer {
  constructor() {
    super(NAME);
    this.hostConfig.ReadonlyRootfs = true;
    this.withTmpFs({ '/tmp': 'rw,exec,size=1g' }).withSharedMemorySize(256 * 2 ** 20);
    this.withDroppedCapabilities('ALL').withSecurityOpt('no-new-privileges');
  }
}

/** A page in the scripts of the world, from the container itself. */
const SERVES = `
  const page = '<!doctype html><meta charset=utf-8><title>World</title><body style="margin:0">' +
    '<div id="div-gpt-ad-1" style="width:300px;height:250px"></div>' +
    ['العربية', '简体中文', '日本語', '한국어', 'हिन्दी', 'ไทย', '😀🇩🇪'].map((words) => '<p class=words><span>' + words + '</span></p>').join('');
  require('node:http').createServer((_req, res) => res.setHeader('content-type', 'text/html').end(page)).listen(8000);`;

const containers: StartedTestContainer[] = [];
afterEach(async () => {
  for (const container of containers.splice(0)) await container.stop();
});

/** With Node instead of the program, under the same first process. */
async function idle(): Promise<StartedTestContainer> {
  const container = await new Confined()
    .withEntrypoint(['/usr/bin/tini', '--'])
    .withCommand(['node', '-e', SERVES])
    .start();
  containers.push(container);
  return container;
}

async function said(container: StartedTestContainer, command: string): Promise<string> {
  const { exitCode, output } = await container.exec(['sh', '-c', command]);
  expect({ command, exitCode, output }).toMatchObject({ exitCode: 0 });
  return output.trim();
}

describe.skipIf(engine === undefined)('the image', () => {
  beforeAll(async () => {
    await GenericContainer.fromDockerfile(ROOT).build(NAME, { deleteOnExit: false });
  }, BUILD_MS);

  test('the image describes itself in its labels and its SBOM', async () => {
    const described = await required(engine).container.dockerode.getImage(NAME).inspect();
    expect(described.Config).toMatchObject({
      ...{ User: '10001:10001', StopSignal: 'SIGTERM' },
      Labels: {
        'org.opencontainers.image.title': 'Tearsheet',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'dev.tearsheet.sbom': '/usr/share/tearsheet.cdx.json',
      },
    });
    const container = await idle();
    const sbom = JSON.parse(await said(container, 'cat /usr/share/tearsheet.cdx.json'));
    const names = sbom.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['chromium-headless-shell', 'tini', 'node', 'playwright-core', 'sharp']),
    );
    for (const tool of ['typescript', 'playwright']) expect(names).not.toContain(tool);
    expect(await said(container, 'tearsheet version')).toBe(version);
    expect(await said(container, 'for tool in gcc cc make npm npx; do command -v $tool; done; true')).toBe('');
  });

  test('the image runs as an unprivileged user on a read-only root', async () => {
    const container = await idle();
    expect(await said(container, 'id -u; id -g; echo $HOME $TMPDIR')).toBe('10001\n10001\n/tmp /tmp');
    expect(await said(container, 'grep CapEff /proc/self/status')).toMatch(/0000000000000000$/);
    expect(await said(container, 'find / -xdev -type f -perm /6000 2>/dev/null || true')).toBe('');
    const { exitCode } = await container.exec(['touch', '/opt/tearsheet/anything']);
    expect(exitCode).not.toBe(0);
  });

  test('the image leaves no zombie process', async () => {
    const container = await idle();
    expect(await said(container, 'cat /proc/1/comm')).toBe('tini');
    // The child's parent ends first, so that it falls to the first process.
    await said(container, 'sh -c "sleep 0.3 & true"; sleep 1');
    expect(await said(container, 'grep -l "^State:.Z" /proc/[0-9]*/status || true')).toBe('');
  });

  test('a screenshot from the image shows the letters of many scripts, not boxes', async () => {
    const container = await idle();
    const ad = `<div style="width:300px;height:250px;background:rgb(0,51,102)"></div>`;
    const shoot = `tearsheet shoot --ad '${ad}' --site http://127.0.0.1:8000/ --allow 127.0.0.0/8 --out /tmp/out --json`;
    const [line = ''] = (await said(container, `${shoot} 2>/dev/null`)).split('\n');
    const { status, file, chosen } = JSON.parse(line);
    expect(status).toBe('uploaded');
    const picture = sharp(Buffer.from(await said(container, `base64 -w0 ${file}`), 'base64'));
    const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([1440, 900]);
    const at = 3 * ((chosen.box.y + 125) * info.width + chosen.box.x + 150);
    expect([...data.subarray(at, at + 3)]).toEqual([0, 51, 102]);
    for (const language of ['ar', 'zh-cn', 'ja', 'ko', 'hi', 'th', 'und-zsye']) {
      expect(await said(container, `fc-list :lang=${language} family | head -1`)).toMatch(/Noto/);
    }
  });

  test('the image runs the whole service with its PostgreSQL, and ends by itself after SIGTERM', async () => {
    const container = await new Confined()
      .withCommand(['dev', '--data', '/tmp/data', '--json'])
      .withStartupTimeout(240_000)
      .start();
    containers.push(container);
    const ready = 'until node -e "fetch(\'http://127.0.0.1:8080/\').catch(() => process.exit(1))"; do sleep 0.5; done';
    await said(container, ready);
    const handle = required(engine).container.getById(container.getId());
    // After this time the engine kills it, and its exit code is 137.
    await handle.stop({ t: 120 });
    expect((await handle.inspect()).State).toMatchObject({ ExitCode: 0, OOMKilled: false });
  });
});
