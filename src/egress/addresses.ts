import ipaddr from 'ipaddr.js';
import { errorMessage } from '../lib/errorMessage.ts';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
type Cidr = [IpAddress, number];

/** A host as a URL parser reads it: an IP address in canonical form, or a lower-case name. */
export type Host = { kind: 'address'; address: string } | { kind: 'name'; name: string };

/**
 * Reads `2130706433`, `0x7f.1`, `0177.0.0.1`, `[::ffff:7f00:1]` and names by the rules of browsers.
 * @returns undefined if no URL can contain such a host.
 */
export function parseHost(text: string): Host | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (bare.includes(':')) {
    return ipaddr.IPv6.isValid(bare) && !bare.includes('%') ? { kind: 'address', address: canonical(bare) } : undefined;
  }
  if (/[\s/?#@\\]/.test(bare) || !URL.canParse(`http://${bare}/`)) return undefined;
  const host = new URL(`http://${bare}/`).hostname;
  if (host === '' || host === '.') return undefined;
  return ipaddr.IPv4.isValidFourPartDecimal(host)
    ? { kind: 'address', address: host }
    : { kind: 'name', name: host.replace(/\.$/, '') };
}

/** @returns whether a name means this machine without a DNS query (RFC 6761). */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** @returns whether two texts mean the same address. IPv4 inside IPv6 counts as IPv4. */
export function sameAddress(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

/** Addresses that are allowed although they are not public. */
export interface AllowedRange {
  readonly network: Cidr;
  /** All ports unless given. */
  readonly port?: number;
}

const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+)):(?<port>\d{1,5})$/;

/** Reads `10.0.0.0/8`, `fd00::/8`, one address, or one address with a port: `127.0.0.1:3000`, `[::1]:3000`. @throws Error */
export function parseRange(text: string): AllowedRange {
  const trimmed = text.trim();
  const { v4, v6, port } = WITH_PORT.exec(trimmed)?.groups ?? {};
  try {
    const address = v6 ?? v4;
    if (address === undefined || port === undefined)
      return { network: trimmed.includes('/') ? ipaddr.parseCIDR(trimmed) : wholeAddress(trimmed) };
    if (Number(port) < 1 || Number(port) > 65_535) throw new Error(`${port} is not a port`);
    return { network: wholeAddress(address), port: Number(port) };
  } catch (cause) {
    const examples = '127.0.0.0/8, fd00::/8 or 127.0.0.1:3000';
    throw new Error(`"${text}" is not an address range such as ${examples}`, { cause });
  }
}

/** @returns why a text is not an address range, or undefined if it is one. */
export function rangeFault(text: string): string | undefined {
  try {
    parseRange(text);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

export function isWithin(to: { address: string; port: number }, ranges: readonly AllowedRange[]): boolean {
  const address = ipaddr.process(to.address);
  return ranges.some(({ network: [first, bits], port }) => {
    if (port !== undefined && port !== to.port) return false;
    return address.kind() === first.kind() && address.match(first, bits);
  });
}

/** @returns why an address is not public, or undefined if it is public unicast. */
export function whyNotPublic(text: string): string | undefined {
  return whyNot(ipaddr.process(text));
}

/** Addresses in public space that only the machine itself can reach: the agent of Azure's hypervisor. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);
/** All allocated global unicast space. The rest of IPv6 is not the public internet. */
const GLOBAL_UNICAST: Cidr = ipaddr.parseCIDR('2000::/3');
const NAT64: Cidr = ipaddr.parseCIDR('64:ff9b::/96');

function whyNot(address: IpAddress): string | undefined {
  if (address instanceof ipaddr.IPv6) return whyNotPublicV6(address);
  if (PLATFORM_ADDRESSES.has(address.toString())) return 'it is the address of the cloud platform';
  const range = address.range();
  return range === 'unicast' ? undefined : `it is not a public address (${range})`;
}

function whyNotPublicV6(address: ipaddr.IPv6): string | undefined {
  const inner = embeddedV4(address);
  if (inner.length > 0) {
    const bad = inner.find((v4) => whyNot(v4) !== undefined);
    return bad ? `it leads to ${bad.toString()}, which is not a public address (${bad.range()})` : undefined;
  }
  const range = address.range();
  if (range !== 'unicast') return `it is not a public address (${range})`;
  return address.match(GLOBAL_UNICAST) ? undefined : 'it is not a public address (unallocated)';
}

/** @returns the IPv4 addresses that packets to a transition address (NAT64, 6to4, Teredo) would reach. */
function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (offset: number, mask = 0) =>
    new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte: number) => byte ^ mask));
  if (address.match(NAT64)) return [at(12)];
  if (address.range() === '6to4') return [at(2)];
  if (address.range() === 'teredo') return [at(4), at(12, 0xff)];
  return [];
}

function canonical(text: string): string {
  return ipaddr.process(text).toString();
}

function wholeAddress(text: string): Cidr {
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
