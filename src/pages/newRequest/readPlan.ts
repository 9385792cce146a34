import { tableOfFile, tableOfText } from '../../core/mediaPlans/readTable.ts';
import { type Plan, planOfTable } from './draft.ts';

/** Runs in a child process, because the text or the file may be hostile. @throws Failure (422) if it is not a plan. */
export async function readPlan(given: string | Buffer): Promise<Plan> {
  return planOfTable(typeof given === 'string' ? { rows: tableOfText(given) } : await tableOfFile(given));
}
