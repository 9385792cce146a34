// Shows times in everyday form, in the time zone of the reader. The server writes them in UTC; the whole time is the tooltip.
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function spoken(time, { date }) {
  if (date !== undefined) return dayOfYear.format(time);
  const now = new Date();
  const age = now - time;
  if (age >= 0 && age < 60 * MINUTE_MS) return age < MINUTE_MS ? 'just now' : `${Math.floor(age / MINUTE_MS)} min ago`;
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  if (Math.abs(age) < 6 * DAY_MS) return `${day.format(time)}, ${clock.format(time)}`;
  return time.getFullYear() === now.getFullYear() ? day.format(time) : dayOfYear.format(time);
}

function showLocally(root) {
  for (const element of root.querySelectorAll('time[datetime]:not([title])')) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    element.title = whole.format(time);
    element.textContent = spoken(time, element.dataset);
  }
}

showLocally(document);
setInterval(() => {
  for (const element of document.querySelectorAll('time[datetime][title]'))
    element.textContent = spoken(new Date(element.dateTime), element.dataset);
}, MINUTE_MS);
// Scripts of the pages replace parts while a set is captured.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node.parentElement !== null) showLocally(node.parentElement);
  }
}).observe(document.body, { childList: true, subtree: true });
