-- IANA name, and a language of src/domain/texts.
alter table organizations add column time_zone text not null default 'UTC', add column language text not null default 'en';
-- Null: the language of the organization.
alter table users add column language text;

-- Clients who want e-mails about replies and new pictures of a share link. Only the confirmation goes to an address that its
-- owner has not confirmed.
create table share_followers (
  id uuid primary key default gen_random_uuid(),
  share_id uuid not null references share_links on delete cascade,
  -- In lower case.
  email text not null,
  asked_at timestamptz not null default now(),
  confirmed_at timestamptz,
  -- News until this time were sent. Null: the confirmation was not sent yet.
  told_at timestamptz,
  -- No mail is sent before.
  next_attempt_at timestamptz not null default now(),
  attempts integer not null default 0,
  unique (share_id, email)
);
create index on share_followers (email);
