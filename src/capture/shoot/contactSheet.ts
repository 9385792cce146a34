/** The contact sheet: one HTML file that shows pictures of a folder, then the failures. It needs no server and no script. */
import { readFileSync } from 'node:fs';
import { Html, html } from '../../lib/html.ts';

const STYLE = new Html(readFileSync(new URL('contactSheet.css', import.meta.url), 'utf8'));

export interface SheetPicture {
  /** Path of the picture, relative to the sheet. */
  readonly file: string;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
}

export interface SheetEntry {
  /** Name of the picture, by which entries are sorted. */
  readonly id: string;
  readonly ad: string;
  readonly site: string;
  readonly device: string;
  /** Seconds; null is the default frame. */
  readonly marker: number | null;
  /** Undefined if there is none. */
  readonly picture: SheetPicture | undefined;
  /** The status of a failure, for example `no_slots`. */
  readonly status: string;
  /** More about the picture, or the reason of the failure. */
  readonly text: string;
  readonly warnings: readonly string[];
  /** Path of the provenance record, relative to the sheet. */
  readonly record?: string;
}

/** @returns the HTML. Pictures come first, by site and device; failures come last, by status. */
export function contactSheet(title: string, entries: readonly SheetEntry[]): string {
  const pictures = entries.filter(({ picture }) => picture !== undefined);
  const failures = entries.filter(({ picture }) => picture === undefined);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p>${summary(pictures.length, failures.length)}</p></header>
<main>
${pictures.length === 0 && html`<p class="empty">No picture was taken. The reasons are below.</p>`}
${[...Map.groupBy(pictures, ({ site, device }) => `${site} · ${device}`)].map(pictureGroup)}
${failures.length > 0 && html`<section class="failures"><h2>Without a picture</h2>${[...Map.groupBy(failures, ({ status }) => status)].map(failureGroup)}</section>`}
</main>
<footer>Placement previews by Tearsheet. A picture shows how an ad looks on a page. It does not prove that a campaign ran.</footer>
</body>
</html>
`.text;
}

function summary(pictures: number, failures: number): string {
  const taken = `${pictures} ${pictures === 1 ? 'picture' : 'pictures'}`;
  return failures === 0 ? taken : `${taken}, ${failures} without a picture`;
}

function pictureGroup([name, entries]: readonly [string, readonly SheetEntry[]]): Html {
  return html`<section><h2>${name}</h2><div class="grid">${entries.map(pictureFigure)}</div></section>
`;
}

function pictureFigure({ picture, record, ad, site, device, marker, text, warnings }: SheetEntry): Html {
  if (picture === undefined) return html``;
  const { file, width, height } = picture;
  return html`<figure>
<a href="${address(file)}"><img loading="lazy" src="${address(file)}" width="${width}" height="${height}" alt="${ad} on ${site}, ${device}, ${moment(marker)}"></a>
<figcaption><strong>${ad}</strong> <span>${moment(marker)}</span>
<p>${text}${recordLink(record)}</p>
${warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`)}</figcaption>
</figure>
`;
}

function failureGroup([status, entries]: readonly [string, readonly SheetEntry[]]): Html {
  const rows = entries.map(
    ({
      site,
      device,
      ad,
      marker,
      text,
      warnings,
      record,
    }) => html`<tr><td>${site}</td><td>${device}</td><td>${ad}, ${moment(marker)}</td><td>${text}${recordLink(record)}${warnings.map((warning) => html`<p class="warning">Warning: ${warning}</p>`)}</td></tr>
`,
  );
  return html`<h3>${status} <span>(${entries.length})</span></h3>
<div class="wide"><table><thead><tr><th scope="col">Site</th><th scope="col">Device</th><th scope="col">Ad</th><th scope="col">Reason</th></tr></thead><tbody>${rows}</tbody></table></div>
`;
}

function recordLink(record: string | undefined): Html {
  return record === undefined ? html`` : html` <a href="${address(record)}">Record</a>`;
}

function moment(marker: number | null): string {
  return marker === null ? 'default frame' : `at ${marker} s`;
}

/** @returns a relative address; names of files may contain characters with a meaning in addresses. */
function address(file: string): string {
  return file.split(/[\\/]/).map(encodeURIComponent).join('/');
}
