import { isWithin, parseRange, whyNotPublic } from './addresses.ts';

/** @returns why an address and port must not be reached, or undefined if they may. */
export type Policy = (address: string, port: number) => string | undefined;

/**
 * Ports above 1023 of databases, caches, queues and control planes. They are refused on public addresses, too: no ad is
 * served there, and an HTTP request can control many of these protocols.
 */
const INFRASTRUCTURE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4222, 4369, 4789, 5432, 5601, 5672, 5900, 5984,
  5985, 6000, 6379, 6380, 6443, 7000, 7001, 7946, 8086, 8125, 8300, 8301, 8500, 8600, 9042, 9090, 9092, 9100, 9200,
  9300, 10248, 10249, 10250, 10255, 10256, 10257, 10259, 11211, 15672, 16379, 26257, 26379, 27017, 27018, 27019,
]);

/** @throws Error for an invalid range. */
export function createPolicy(allow: readonly string[]): Policy {
  const allowed = allow.map(parseRange);
  return (address, port) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${port} is not a port`;
    if (isWithin({ address, port }, allowed)) return undefined;
    return whyNotPublic(address) ?? whyNotPort(port);
  };
}

function whyNotPort(port: number): string | undefined {
  if (port === 80 || port === 443) return undefined;
  if (port < 1024) return `port ${port} is reserved for services other than the web`;
  return INFRASTRUCTURE_PORTS.has(port) ? `port ${port} is a usual port of infrastructure services` : undefined;
}
