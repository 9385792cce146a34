// Asks for the reason of a rejection. Enter rejects, also without a reason.
globalThis.askReason = (form) => {
  const field = form.querySelector('textarea');
  field.placeholder = 'Reason (optional). Enter rejects the picture, Escape goes back.';
  field.onkeydown = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector('[data-key="r"]'));
  };
  field.onblur = () => {
    field.onkeydown = null;
    field.placeholder = '';
  };
  field.focus();
};
