-- What an organization knows about a site. Captures of its pages apply it.
create table site_rules (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- In lower case and ASCII, with *. in front for subdomains.
  host text not null,
  -- With * for any text.
  path text not null,
  device text not null check (device in ('all', 'desktop', 'tablet', 'phone')),
  note text not null default '',
  -- {"slots": [{"size": {"width", "height"} or null, "selector"}, …], "hide": [selector, …], "click": …, "wait_for": …,
  -- "cookies": [name, …], "headers": …}
  body jsonb not null,
  -- Sealed: {"cookies": [{"name": text, "value": text}, …], "headers": the same}. Null without any.
  access text,
  -- When a part of it acted, and when a part found nothing, to the minute.
  last_acted_at timestamptz,
  last_missed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, host, path, device)
);
create trigger bury after delete on site_rules referencing old table as gone for each statement execute function bury();
