/** Names of the files that `tearsheet shoot` writes. */
import path from 'node:path';
import type { Device } from '../../domain/devices.ts';

/** `<nnn>-<site host>-<device>-<ad>-<ms|default>.png`, of letters, digits and dots alone. */
export function pictureFileName(
  number: number,
  { site, device, ad, markerMs }: { site: string; device: Device; ad: string; markerMs: number | null },
): string {
  const parts = [new URL(site).hostname, device.name, adName(ad), markerMs === null ? 'default' : `${markerMs}ms`];
  return `${[String(number).padStart(3, '0'), ...parts.map(plain)].join('-')}.png`;
}

/** The file's name of a path or address, `tag` for a tag. */
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
