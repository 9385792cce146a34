// Shows times in the zone of the reader. The server writes them in UTC, which stays as the tooltip.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

function showLocally(root) {
  for (const element of root.querySelectorAll('time[datetime]:not([title])')) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    element.title = element.textContent;
    element.textContent = format.format(time);
  }
}

showLocally(document);
// Scripts of the pages replace parts while a set is captured.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node.parentElement !== null) showLocally(node.parentElement);
  }
}).observe(document.body, { childList: true, subtree: true });
