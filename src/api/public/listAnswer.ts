import { PER_PAGE_DEFAULT } from '../../contract/queries.ts';
import { findPlace, type ListTable, type Place } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import type { ListPage, Page } from '../../db/list.ts';
import { invalid } from '../../domain/failure.ts';
import { type Call, type JsonResponse, jsonResponse } from './endpoint.ts';

interface Range {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Responds with one list page: `{"data":[…],"page":…,"per_page":…,"total":…}`. */
export async function listAnswer<Row>(
  query: { page?: number | undefined; per_page?: number | undefined },
  list: (page: Page) => Promise<ListPage<Row>>,
  item: (row: Row) => object,
): Promise<JsonResponse> {
  const { page = 1, per_page = PER_PAGE_DEFAULT } = query;
  const { rows, total } = await list({ page, perPage: per_page });
  return jsonResponse(200, { data: rows.map(item), page, per_page, total });
}

/** @returns the place of the object that a list begins after. @throws Failure (422) if the organization has no such object. */
export async function placeOf(
  db: Queryable,
  table: ListTable,
  { id, organizationId }: { readonly id: string | undefined; readonly organizationId: string },
): Promise<Place | undefined> {
  if (id === undefined) return undefined;
  const place = await findPlace(db, table, { id, organizationId });
  if (place === undefined) throw unknownPlace();
  return place;
}

export const unknownPlace = () =>
  invalid({ after: ['is not the id of an object of this list. It may have been removed by now.'] });

/** The filters of the query as the store names them. */
export function filterOf<Q extends { readonly q?: string | undefined }>({ q, ...query }: Q) {
  return { ...query, text: q };
}

/** The filter of a list that has only a period. */
export function rangeOf({
  organizationId,
  query: { from, to },
}: Pick<Call, 'organizationId'> & { readonly query: Range }) {
  return { organizationId, from, to };
}
