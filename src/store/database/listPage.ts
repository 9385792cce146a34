/** Which part of a list: pages count from 1. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

export interface ListPage<T> {
  readonly rows: readonly T[];
  /** On all pages together. */
  readonly total: number;
}

export const offsetOf = ({ page, perPage }: Page) => (page - 1) * perPage;
