/** The output of `tearsheet shoot` for each picture: file names, JSON lines and lines of text. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Device } from '../../domain/devices.ts';
import { counted } from '../../domain/text.ts';
import type { Warning } from '../../domain/warnings.ts';
import { Html, html } from '../../lib/html.ts';
import type { PictureResult } from '../engine/pageTask.ts';
import type { RecordedCandidate } from '../engine/provenance.ts';

const STYLE = new Html(readFileSync(new URL('contactSheet.css', import.meta.url), 'utf8'));

export interface SheetEntry extends Pick<PictureLine, 'ad' | 'site' | 'device' | 'marker'> {
  /** Name of the picture, by which entries are sorted. */
  readonly id: string;
  /** Path of the picture, relative to the sheet; undefined if there is none. */
  readonly picture: string | undefined;
  /** Path of the picture of the page that failed, relative to the sheet. */
  readonly page?: string | undefined;
  /** The status of a failure, for example `no_slots`. */
  readonly status: string;
  /** More about the picture, or the reason of the failure. */
  readonly text: string;
  readonly warnings: readonly string[];
  /** Path of the provenance record, relative to the sheet. */
  readonly record?: string;
}

/** One JSON line. It always has all keys. */
export interface PictureLine {
  /** `uploaded` if the picture was taken, else the failure status of the API. */
  readonly status: PictureResult['status'];
  /** The path of the PNG; null without a picture. */
  readonly file: string | null;
  /** The path of a PNG of the page with its slots, if no picture was taken and the page was opened. */
  readonly page_file: string | null;
  readonly site: string;
  readonly device: string;
  readonly ad: string;
  /** Seconds; null is the default frame. */
  readonly marker: number | null;
  /** The selector of the chosen slot. */
  readonly slot: string | null;
  readonly candidates: readonly RecordedCandidate[];
  /** The candidate in which the ad was placed. */
  readonly chosen: RecordedCandidate | null;
  readonly scale: number | null;
  /** `composed` or `browser`. */
  readonly mode: string | null;
  readonly warnings: readonly Warning[];
  /** Why there is no picture. */
  readonly reason: string | null;
}

export function pictureLine(
  result: PictureResult,
  { site, device }: { site: string; device: Device },
  { file, page }: { file: string | null; page: string | null },
): PictureLine {
  const { status, wanted, record } = result;
  return {
    status,
    file,
    page_file: page,
    site,
    device: device.name,
    ad: wanted.ad,
    marker: record.marker,
    slot: record.slot?.element ?? null,
    candidates: record.candidates,
    chosen: record.slot,
    scale: record.scale,
    mode: record.page_mode,
    warnings: record.warnings,
    reason: record.reason,
  };
}

/** @returns one line of text. */
export function textLine(line: PictureLine): string {
  const { status, file, site, device, marker, chosen, scale, mode, warnings, reason } = line;
  const where = `${site} as ${device}${marker === null ? '' : ` at ${marker} s`}`;
  if (chosen === null) return `${status}  ${where}: ${reason}`;
  return `placed  ${where}: ${chosen.size.join('×')} slot ${chosen.element}${scaled(scale)} (${mode}) → ${file}${warnings.map(({ message }) => `\n        warning: ${message}`).join('')}`;
}

const scaled = (scale: number | null) =>
  scale === null || scale === 1 ? '' : `, scaled to ${Math.round(scale * 100)} %`;

/** @returns the entry of a result on the contact sheet, which lies in the folder of the pictures. */
export function sheetEntry(result: PictureResult, line: PictureLine): SheetEntry {
  const { id } = result.wanted;
  const { ad, site, device, marker, status } = line;
  const slot = line.chosen === null ? '' : `Slot ${line.chosen.size.join('×')}, ${line.chosen.element}`;
  return {
    ...{ id, ad, site, device, marker, status },
    text: line.reason ?? `${slot}${scaled(line.scale)}.`,
    warnings: line.warnings.map(({ message }) => message),
    record: id.replace(/\.png$/, '.json'),
    page: line.page_file === null ? undefined : pageFileOf(id),
    picture: result.status === 'uploaded' ? id : undefined,
  };
}

/** @returns `<nnn>-<site host>-<device>-<ad>-<ms|default>.png`, only with letters, digits and dots. */
export function pictureFileName(
  number: number,
  { site, device, ad, markerMs }: { site: string; device: Device; ad: string; markerMs: number | null },
): string {
  const moment = markerMs === null ? 'default' : `${markerMs}ms`;
  return `${fileNameOf(number, [new URL(site).hostname, device.name, adName(ad), moment])}.png`;
}

/** @param id as {@link pictureFileName} gives it. */
export const pageFileOf = (id: string) => id.replace(/\.png$/, '-page.png');

/** @returns the number and the parts, only with letters, digits and dots. */
export function fileNameOf(number: number, parts: readonly string[]): string {
  return [String(number).padStart(3, '0'), ...parts.map(plain)].join('-');
}

/** @returns the file name of a path or URL; `tag` for a tag. */
function adName(given: string): string {
  if (given.startsWith('<')) return 'tag';
  const address = /^https?:/i.test(given) ? URL.parse(given) : null;
  const name = path.posix.basename(address === null ? given : address.pathname);
  return name === '' || name === '/' ? (address?.hostname ?? 'ad') : name;
}

function plain(text: string): string {
  const kept = text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
  return kept === '' ? 'x' : kept;
}

/** @returns the HTML. Pictures come first, by site and device; failures come last, by status. */
export function contactSheet(title: string, entries: readonly SheetEntry[]): string {
  const pictures = entries.filter(({ picture }) => picture !== undefined);
  const failures = entries.filter(({ picture }) => picture === undefined);
  const groups = [
    ...Map.groupBy(pictures, ({ site, device }) => `${site} · ${device}`),
    ...Map.groupBy(failures, ({ status }) => `Without a picture: ${status}`),
  ];
  const count = failures.length === 0 ? '' : `, ${failures.length} without a picture`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p>${counted(pictures.length, 'picture')}${count}</p></header>
<main>
${pictures.length === 0 && html`<p>No picture was taken. The reasons are below.</p>`}
${groups.map(([name, group]) => html`<section><h2>${name}</h2><div class="grid">${group.map(figureOf)}</div></section>\n`)}
</main>
<footer>Placement previews by Tearsheet. A picture shows how an ad looks on a page. It does not prove that a campaign ran.</footer>
</body>
</html>
`.text;
}

/** A failure shows the page without the ad, if there is a picture of it. */
function figureOf({ picture, page, record, ad, site, device, marker, text, warnings }: SheetEntry): Html {
  const moment = marker === null ? 'default frame' : `at ${marker} s`;
  const file = picture ?? page;
  return html`<figure>
${file !== undefined && html`<a href="${address(file)}"><img loading="lazy" src="${address(file)}" alt="${ad} on ${site}, ${device}, ${moment}"></a>`}
<figcaption><strong>${ad}</strong> ${moment}
<p>${picture === undefined && `${site}, ${device}: `}${text}${record !== undefined && html` <a href="${address(record)}">Record</a>`}</p>
${warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`)}</figcaption>
</figure>
`;
}

/** @returns a relative address; names of files may contain characters with a meaning in addresses. */
function address(file: string): string {
  return file.split(/[\\/]/).map(encodeURIComponent).join('/');
}
