/** VMAP: a playlist of ad breaks, each with a VAST document or its URL. */
import { attributeOf, child, children, textOf, type XmlNode } from './vastXml.ts';

/** The source of the ads of a break. */
export type BreakSource = { readonly vast: XmlNode } | { readonly xml: string } | { readonly url: string };

/** @returns the sources in the order of the breaks in time. */
export function readBreaks(vmap: XmlNode): BreakSource[] {
  return children(vmap, 'AdBreak')
    .map((node) => ({ node, at: offsetOf(attributeOf(node, 'timeOffset')) }))
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ node }) => sourcesOf(child(node, 'AdSource')));
}

function sourcesOf(source: XmlNode | undefined): BreakSource[] {
  const data = child(source, 'VASTAdData') ?? child(source, 'VASTData');
  const vast = child(data, 'VAST');
  if (vast !== undefined) return [{ vast }];
  // Some servers write the document as text.
  const xml = textOf(data);
  if (xml.startsWith('<')) return [{ xml }];
  const url = textOf(child(source, 'AdTagURI'));
  return url === '' ? [] : [{ url }];
}

/** Positions by number (`#1`), in percent and at the end have no known time; they follow those with a time. */
const NUMBERED = 1e6;
const PERCENT = 1e7;
const END = 1e9;

/** @returns a number to sort by; seconds for a time. */
function offsetOf(text: string): number {
  if (text === 'start') return 0;
  if (text === 'end') return END;
  const [, number] = /^#(\d+)$/.exec(text) ?? [];
  if (number !== undefined) return NUMBERED + Number(number);
  const [, percent] = /^([\d.]+)%$/.exec(text) ?? [];
  if (percent !== undefined) return PERCENT + Number(percent);
  const [, hours, minutes, seconds] = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}
