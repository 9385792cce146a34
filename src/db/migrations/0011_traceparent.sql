-- The span of the request that made a row, as the W3C header `traceparent`: null without tracing. A job has that of its set, its placement or
-- its oldest ad, and an event that of its set or its ad, so that all work for one set belongs to one trace. Not valid, as in 0006.
alter table screenshot_sets
  add column traceparent text,
  add check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
alter table placements
  add column traceparent text,
  add check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
alter table ads
  add column traceparent text,
  add check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
alter table screenshot_jobs
  add column traceparent text,
  add check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
alter table events
  add column traceparent text,
  add check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
