/** The creatives and pages of a gallery: the project's fixtures, or what folders hold. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { CreativeSource } from '../../src/capture/creative/creative.ts';
import { errorMessage } from '../../src/lib/errorMessage.ts';
import { CREATIVES } from '../../test/fixtures/media/creatives.ts';
import { startPublishers } from '../../test/fixtures/publisherServer.ts';
import { PAGE_NAMES } from '../../test/fixtures/publishers/pages.ts';
import { zipOf } from '../../test/support/zips.ts';

export interface GalleryCreative {
  readonly name: string;
  readonly source: CreativeSource;
}

export interface GalleryPage {
  readonly name: string;
  readonly url: string;
  /** The HTML source. The plan searches it for sizes of ads. */
  readonly html: string;
}

export interface Materials {
  readonly creatives: readonly GalleryCreative[];
  readonly pages: readonly GalleryPage[];
  close(): Promise<void>;
}

/** The word for the project's own creatives or pages in a list of folders. */
const FIXTURES = 'fixtures';
/** Files beside creatives that are none. */
const NO_CREATIVE = /^\.|^__MACOSX$|^node_modules$|\.(json|md|txt)$/i;
const MAX_ZIP_FILES = 500;
const MAX_PAGE_DEPTH = 3;
const SOURCE_MS = 1_000;

/** @param lists folders, or the word `fixtures`. @throws Error if a folder cannot be read or holds nothing. */
export async function openMaterials(lists: {
  creatives: readonly string[];
  pages: readonly string[];
}): Promise<Materials> {
  const publishers = await startPublishers();
  const servers: FolderServer[] = [];
  const close = async () => {
    await Promise.all([publishers.close(), ...servers.map((server) => server.close())]);
  };
  try {
    const creatives: GalleryCreative[] = [];
    for (const list of lists.creatives)
      creatives.push(...(list === FIXTURES ? fixtureCreatives(publishers.cdn) : await creativesOf(list)));
    const pages: GalleryPage[] = [];
    for (const list of lists.pages) {
      if (list === FIXTURES) {
        pages.push(...(await Promise.all(PAGE_NAMES.map((name) => fixturePage(name, publishers.url(name))))));
        continue;
      }
      const server = await serveFolder(list);
      servers.push(server);
      pages.push(...(await pagesOf(list, server.url)));
    }
    return { creatives, pages, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function fixtureCreatives(cdn: string): GalleryCreative[] {
  return CREATIVES.map(({ key, type, content }) => ({ name: key, source: { kind: type, content: content(cdn) } }));
}

async function fixturePage(name: string, url: string): Promise<GalleryPage> {
  // One of the pages never answers on purpose.
  const answer = await fetch(url, { signal: AbortSignal.timeout(SOURCE_MS) }).catch(() => undefined);
  return { name, url, html: (await answer?.text()) ?? '' };
}

/** Each file is a creative, and each folder is the content of an HTML5 zip. */
async function creativesOf(folder: string): Promise<GalleryCreative[]> {
  const names = (await readdir(folder)).filter((name) => !NO_CREATIVE.test(name)).sort();
  if (names.length === 0) throw new Error(`The folder ${folder} holds no creative.`);
  return Promise.all(
    names.map(async (name) => {
      const place = path.join(folder, name);
      const isFolder = (await stat(place)).isDirectory();
      const source = isFolder
        ? ({ kind: 'file', name: `${name}.zip`, bytes: await zipOfFolder(place) } as const)
        : ({ kind: 'file', name, bytes: await readFile(place) } as const);
      return { name, source };
    }),
  );
}

async function zipOfFolder(folder: string): Promise<Buffer> {
  const names = await filesBelow(folder);
  if (names.length > MAX_ZIP_FILES) throw new Error(`The creative ${folder} has more than ${MAX_ZIP_FILES} files.`);
  const files = await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const));
  return zipOf(Object.fromEntries(files));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Each HTML file of the folder, and each `index.html` of its folders. */
async function pagesOf(folder: string, url: string): Promise<GalleryPage[]> {
  const files = (await filesBelow(folder)).filter((name) => {
    const depth = name.split(path.sep).length;
    return depth === 1
      ? /\.html?$/i.test(name)
      : depth <= MAX_PAGE_DEPTH && /^index\.html?$/i.test(path.basename(name));
  });
  if (files.length === 0) throw new Error(`The folder ${folder} holds no page.`);
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/(\/index)?\.html?$/i, ''),
      url: `${url}/${file.split(path.sep).map(encodeURIComponent).join('/')}`,
      html: await readFile(path.join(folder, file), 'utf8'),
    })),
  );
}

interface FolderServer {
  readonly url: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.woff2': 'font/woff2',
};

/** Serves the files of one folder on loopback. */
async function serveFolder(folder: string): Promise<FolderServer> {
  const root = path.resolve(folder);
  const server = createServer((request, response) => {
    answer(root, request.url ?? '/', response).catch((error: unknown) => {
      response.writeHead(500).end(errorMessage(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(root: string, address: string, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(address, 'http://127.0.0.1');
  const file = path.join(root, decodeURIComponent(pathname));
  const found = file.startsWith(root + path.sep) ? await readFile(file).catch(() => undefined) : undefined;
  if (found === undefined) {
    response.writeHead(404).end('There is no such file.');
    return;
  }
  const type = TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type }).end(found);
}
