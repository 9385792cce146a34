/** Makes the JSON of uploads. */
import { recordOf } from '../../contract/recordOf.ts';
import { UploadRecord } from '../../contract/records.ts';
import type { UploadRow } from './uploadQueries.ts';

export const uploadRecord = (row: UploadRow): UploadRecord => recordOf(UploadRecord, row, {});
