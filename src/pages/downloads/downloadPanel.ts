/** The form that downloads the pictures of a set. */
import { EXPORT_FORMATS, type ExportFormat, MAX_DOCUMENT_PICTURES, partsOf } from '../../domain/exports.ts';
import { FRAMES, type Frame } from '../../domain/frames.ts';
import { type Html, type HtmlContent, html } from '../html.ts';

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  pptx: 'PowerPoint (PPTX)',
  pdf: 'PDF',
  zip: 'Original pictures (ZIP)',
};

const FRAME_NAMES: Readonly<Record<Frame, string>> = {
  browser: 'Browser window with address and time',
  device: 'Phone or tablet; browser window for desktop',
};

interface PanelOptions {
  /** Path of the page; its downloads are below it. */
  readonly path: string;
  readonly pictures: number;
  /** Whether a script may set the time zone of the reader. */
  readonly hasTimeZone: boolean;
}

/** With the asset downloads.js, the reader stays on the page. */
export function downloadPanel({ path, pictures, hasTimeZone }: PanelOptions): Html {
  return html`<details id="download" class="download"><summary>Download</summary>
<div class="panel"><form class="fields" method="get" action="${path}/export" data-download>
  <label for="download-format">Format</label><select id="download-format" name="format">${EXPORT_FORMATS.map((format) => html`<option value="${format}">${FORMATS[format]}</option>`)}</select>
  <label for="download-frame">Frame</label><select id="download-frame" name="frame"><option value="none">None</option>${FRAMES.map((frame) => html`<option value="${frame}">${FRAME_NAMES[frame]}</option>`)}</select>
  ${partChoice(pictures)}
  ${hasTimeZone && html`<input type="hidden" name="time_zone" value="UTC">`}
  <button>Download</button>
</form>
<div role="status" data-download-state></div></div>
</details>`;
}

function partChoice(pictures: number): HtmlContent {
  const parts = partsOf('pptx', pictures);
  if (parts === 1) return null;
  const range = (part: number) =>
    `${(part - 1) * MAX_DOCUMENT_PICTURES + 1} to ${Math.min(pictures, part * MAX_DOCUMENT_PICTURES)}`;
  const options = Array.from({ length: parts }, (_, at) => html`<option value="${at + 1}">${range(at + 1)}</option>`);
  return html`<label for="download-part">Pictures</label><select id="download-part" name="part">${options}</select>
  <p class="hint">A PowerPoint or PDF file holds ${MAX_DOCUMENT_PICTURES} pictures. A ZIP file holds all.</p>`;
}
