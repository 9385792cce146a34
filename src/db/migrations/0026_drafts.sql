-- What a person has entered on the page of a new request and not sent yet: each tab of a browser has one.
-- The version before uses request_drafts, so a later migration drops that table.
create table drafts (
  organization_id uuid not null references organizations,
  -- The key with which the person signed in, or the member.
  key_id text references api_keys on delete cascade,
  user_id uuid,
  -- In the address of the page.
  id uuid not null,
  -- The fields of the form.
  body jsonb not null,
  updated_at timestamptz not null default now(),
  foreign key (organization_id, user_id) references memberships on delete cascade,
  unique nulls not distinct (organization_id, key_id, user_id, id)
);
create index on drafts (key_id);
create index on drafts (updated_at);
insert into drafts select organization_id, key_id, user_id, gen_random_uuid(), body, updated_at from request_drafts;
