import { PER_PAGE_DEFAULT } from '../../contract/queries.ts';
import type { ListPage, Page } from '../../store/database/listPage.ts';
import { type JsonResponse, jsonResponse } from './endpoint.ts';

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
