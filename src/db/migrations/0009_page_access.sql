-- Cookies and headers that a request gives for its pages. They are removed with the set.
create table page_access (
  id uuid primary key,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Sealed: {"cookies": [{"name": text, "value": text}, …], "headers": the same}
  content text not null
);
create index on page_access (set_id);

-- The row with the cookies and headers of the page. Both rows go with their set, so nothing else refers to it.
alter table screenshots add column page_access_id uuid;
