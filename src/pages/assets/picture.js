// Keys of the page of one picture. Each does what a link or a button of the page does.
{
  const TARGETS = {
    ArrowLeft: 'a[rel="prev"]',
    ArrowRight: 'a[rel="next"]',
    e: '#show-slots',
    a: '.decide [data-key="a"]',
    u: '.decide [data-key="u"]',
  };
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('textarea, select, input:not([type="checkbox"])');
    if (isTyping && event.key === 'Escape') event.target.blur();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const form = document.querySelector('.decide:has([data-key="r"])');
    if (event.key === 'r' && form !== null) askReason(form);
    else if (event.key === 'c') document.getElementById('comment')?.focus();
    else if (Object.hasOwn(TARGETS, event.key)) document.querySelector(TARGETS[event.key])?.click();
    else return;
    event.preventDefault();
  });
}
