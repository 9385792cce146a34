/** The filters of the list of deliveries. They are in the address of the page. */
import type { Request } from 'express';
import type { DeliveryFilter } from '../../core/webhooks/listDeliveries.ts';
import { isUuid } from '../../domain/slugs.ts';
import { EVENT_TOPICS } from '../../domain/topics.ts';
import { pageOf } from '../routing.ts';

export const STATUSES = ['pending', 'delivered', 'retries_exhausted', 'gone', 'refused'] as const;
export const CHANNELS = ['webhook', 's3'] as const;

export interface DeliveryQuery {
  readonly page: number;
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly topic?: (typeof EVENT_TOPICS)[number] | undefined;
  readonly channel?: (typeof CHANNELS)[number] | undefined;
  readonly set?: string | undefined;
  readonly ad?: string | undefined;
  /** The time at which the reader opened the first list page, so that new deliveries do not move those on later ones. */
  readonly until?: Date | undefined;
}

/** A value that a filter does not know counts as no filter. */
export function readDeliveryQuery(request: Pick<Request, 'query'>): DeliveryQuery {
  const value = (name: string) => {
    const given = request.query[name];
    return typeof given === 'string' ? given.trim() : '';
  };
  const until = new Date(Number(value('until')));
  return {
    page: pageOf(request),
    status: STATUSES.find((status) => status === value('status')),
    topic: EVENT_TOPICS.find((topic) => topic === value('topic')),
    channel: CHANNELS.find((channel) => channel === value('channel')),
    set: isUuid(value('set')) ? value('set').toLowerCase() : undefined,
    ad: isUuid(value('ad')) ? value('ad').toLowerCase() : undefined,
    until: value('until') === '' || Number.isNaN(until.getTime()) ? undefined : until,
  };
}

export function filterOf(
  { status, topic, channel, set, ad, until }: DeliveryQuery,
  organizationId: string,
): DeliveryFilter {
  return { organizationId, status, topic, channel, setId: set, adId: ad, until };
}

export function hasFilter({ status, topic, channel, set, ad }: DeliveryQuery): boolean {
  return [status, topic, channel, set, ad].some((value) => value !== undefined);
}

/** @returns the address of another list page with the same filters. */
export function listPageAddress(path: string, query: DeliveryQuery, given: { page: number; until: Date }): string {
  const { page: _page, until: _until, ...filters } = query;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) parameters.set(name, value);
  if (given.page > 1) {
    parameters.set('page', String(given.page));
    parameters.set('until', String(given.until.getTime()));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
