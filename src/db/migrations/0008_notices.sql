-- Notices: what members get by e-mail, and chats of an organization by an incoming webhook.

-- Whether processes with a mail server run. Without one, no notices of members are stored.
alter table installation add column sends_mail boolean not null default false;

create table notice_chats (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null check (name <> ''),
  kind text not null check (kind in ('slack', 'teams', 'webhook')),
  -- Sealed, because programs that have it can write into the chat.
  address text not null,
  -- The host in the address, which pages show.
  host text not null,
  -- The kinds of notices that it gets.
  notices text[] not null,
  disabled_at timestamptz,
  -- Why the service disabled it.
  disabled_reason text,
  created_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- What a member chose for one kind of notice, in place of the default.
create table notice_choices (
  organization_id uuid not null,
  user_id uuid not null,
  kind text not null,
  timing text not null check (timing in ('now', 'hour', 'day', 'none')),
  primary key (organization_id, user_id, kind),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index on notice_choices (user_id);

-- How the mails of a person fare.
create table notice_addresses (
  user_id uuid primary key references users on delete cascade,
  -- Digests by day come in the morning of this time zone.
  time_zone text not null default 'UTC',
  -- The address that the mail server refused, how often in a row, and its words.
  refused_email text,
  refusals integer not null default 0,
  refused_reason text
);

-- Notices that wait for their mail or message. Each receiver has one of a kind about a subject, which counts.
create table notices (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  user_id uuid,
  chat_id uuid references notice_chats on delete cascade,
  kind text not null,
  set_id uuid references screenshot_sets on delete cascade,
  -- The set, or another object of the organization that it is about.
  subject_id uuid,
  -- What the text needs, of the last occurrence.
  facts jsonb not null,
  times integer not null default 1,
  pictures integer not null default 0,
  -- If the person chose nothing.
  timing text not null check (timing in ('now', 'hour', 'day')),
  -- Whether it waits for a digest, because its receiver got too many in an hour.
  is_deferred boolean not null default false,
  created_at timestamptz not null default now(),
  -- When the collector looks at it. It then waits for its digest, or goes.
  due_at timestamptz not null,
  foreign key (organization_id, user_id) references memberships on delete cascade,
  check (num_nonnulls(user_id, chat_id) = 1),
  unique nulls not distinct (organization_id, user_id, chat_id, kind, subject_id)
);
create index on notices (due_at);
create index on notices (user_id);
create index on notices (chat_id);
create index on notices (set_id);

-- A notice is an event with a delivery to a person or a chat. `target` is the name of the receiver then. Not valid: the
-- rows of the version before hold all the same, and a check of each would lock the table.
alter table deliveries
  alter column subscriber_id drop not null,
  add column user_id uuid references users on delete cascade,
  add column chat_id uuid references notice_chats on delete cascade,
  drop constraint deliveries_channel_check,
  add constraint deliveries_channel_check check (channel in ('webhook', 's3', 'email', 'chat')) not valid,
  add constraint deliveries_receiver check (num_nonnulls(subscriber_id, user_id, chat_id) = 1) not valid;
create index on deliveries (user_id, created_at) where user_id is not null;
create index on deliveries (chat_id, created_at) where chat_id is not null;

-- As before. Notices have names of clients too.
create or replace function bury_set() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id)
    select old.id, old.organization_id union all select id, old.organization_id from screenshots where set_id = old.id
    on conflict do nothing;
  delete from job_creatives where job_id in (select id from screenshot_jobs where set_id = old.id);
  delete from events where set_id = old.id and topic in ('share.answered', 'notice');
  return old;
end $$;
