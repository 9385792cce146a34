import { describe, expect, it } from 'vitest';
import { FrameGrid, type GridPage, LateFrameError } from '../../../../src/capture/creative/frameGrid.ts';

const FRAME_MS = 1000 / 60;

/** A page whose frames are recorded. It requests frames while `requests` holds at a time in milliseconds. */
function fakePage(requests: (time: number) => boolean, changes: readonly number[] = []) {
  const drawn: number[] = [];
  let looked = -1;
  const page = {
    now: 10,
    clock: 'stepped' as 'stepped' | 'wall',
    wait: async (ms: number) => {
      page.now += ms;
    },
    draw: async () => {
      drawn.push(Math.round(page.now - 10));
      return { damage: false };
    },
    drawPicture: async () => ({ ...(await page.draw()), picture: Buffer.from(String(Math.round(page.now - 10))) }),
    frameNeed: async () => {
      const now = page.now - 10;
      let requested = false;
      for (let time = looked + 1; time <= now; time++) requested ||= requests(time);
      looked = Math.floor(now);
      const nextChangeMs = Math.min(...changes.filter((change) => change > now - 1).map((change) => change - now));
      return { requested, nextChangeMs };
    },
  };
  return { page: page satisfies GridPage, drawn };
}

async function walk(
  requests: (time: number) => boolean,
  {
    until,
    markers = [],
    each = false,
    changes = [] as number[],
  }: { until: number; markers?: number[]; each?: boolean; changes?: number[] },
) {
  const { page, drawn } = fakePage(requests, changes);
  const grid = new FrameGrid(page, each);
  const pictures: Record<number, string> = {};
  const ahead = [...markers];
  while (grid.time <= until) {
    const due = ahead.filter((marker) => marker < grid.nextTime);
    ahead.splice(0, due.length);
    const { picture } = await grid.draw(due.length > 0);
    for (const marker of due) pictures[marker] = String((await grid.pictureAt(marker)) ?? picture);
    await grid.next(ahead[0]);
  }
  return { drawn, pictures };
}

describe('the frames of a page', () => {
  it('a page that keeps requesting frames gets 60 frames a second', async () => {
    const { drawn } = await walk(() => true, { until: 10_000 });
    expect(drawn).toHaveLength(601);
    for (const [index, time] of drawn.entries()) expect(time).toBe(Math.round(index * FRAME_MS));
  });

  it('a page that requests no frames is drawn five times a second after its first half second', async () => {
    const { drawn } = await walk(() => false, { until: 10_000 });
    expect(drawn.filter((time) => time > 500)).toHaveLength(48);
  });

  it('an animation that ends gives a frame at that moment', async () => {
    const { drawn } = await walk(() => false, { until: 3_000, changes: [1_310] });
    expect(drawn).toContain(1_317);
  });

  it('a request in a part that is not looked at ends the pass', async () => {
    await expect(walk((time) => time > 2_010, { until: 4_000 })).rejects.toThrow(LateFrameError);
  });

  it('a look at each frame finds a late request in time', async () => {
    const { drawn } = await walk((time) => time > 2_010, { until: 4_000, each: true });
    expect(drawn.filter((time) => time >= 2_010 && time < 2_110)).toEqual([2_017, 2_033, 2_050, 2_067, 2_083, 2_100]);
  });
});

describe('a picture at a marker', () => {
  it('markers do not change the frames of a page that requests frames', async () => {
    const markers = [0, 35, 1_000, 1_234, 2_999];
    const alone = await walk(() => true, { until: 3_000 });
    const { drawn, pictures } = await walk(() => true, { until: 3_000, markers });
    expect(drawn).toEqual(alone.drawn);
    expect(pictures).toEqual({ 0: '0', 35: '33', 1000: '1000', 1234: '1233', 2999: '2983' });
  });

  it('the picture of a page that requests no frames shows the exact moment', async () => {
    const { pictures } = await walk(() => false, { until: 3_000, markers: [0, 70, 1_234, 2_999] });
    expect(pictures).toEqual({ 0: '0', 70: '70', 1234: '1234', 2999: '2999' });
  });
});
