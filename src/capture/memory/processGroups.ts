import { readdir, readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;

/** @returns the unshared memory of each process group, in bytes. Unreadable processes count as 0. */
export async function memoryOfGroups(): Promise<Map<number, number>> {
  const groups = new Map<number, number>();
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const [stat, statm] = await Promise.all([read('stat'), read('statm')]);
      // The process name in parentheses may contain any character, so fields count from the last parenthesis.
      const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
      const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
      if (group > 0) groups.set(group, (groups.get(group) ?? 0) + (resident - shared) * PAGE_BYTES);
    }),
  );
  return groups;
}
