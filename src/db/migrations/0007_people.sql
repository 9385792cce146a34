-- People: who they are, what they may do in each organization, and how they sign in.

create table users (
  id uuid primary key,
  -- Lower case, and proven: by a mail to it, or by the provider. Null if the provider proves none.
  email text unique check (email = lower(email)),
  name text not null check (name <> ''),
  created_at timestamptz not null default now()
);

-- How an OpenID Connect provider names a person. A subject means nothing without its issuer.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index on user_identities (user_id);

create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'manager', 'reviewer', 'viewer')),
  -- Whether a rule about groups or e-mail domains gave it. Each sign-in with the provider sets it again.
  by_rule boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index on memberships (user_id);

create table user_sessions (
  id uuid primary key,
  -- Of the random token in the cookie.
  token_sha256 bytea not null unique,
  user_id uuid not null references users on delete cascade,
  -- provider: OpenID Connect. link: a link that was sent by e-mail, an invitation, or a link from the operator.
  method text not null check (method in ('provider', 'link')),
  -- Sealed. The provider needs it to end its own session.
  id_token text,
  -- As the browser names itself.
  user_agent text,
  address text,
  created_at timestamptz not null default now(),
  -- Written at most once a minute.
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on user_sessions (user_id);
create index on user_sessions (expires_at);

create table sign_in_links (
  token_sha256 bytea primary key,
  user_id uuid not null references users on delete cascade,
  -- Of the cookie in the browser that asked. Null: the operator's command made the link, and any browser may open it.
  browser_sha256 bytea,
  -- The page to open afterwards.
  next text not null default '',
  expires_at timestamptz not null
);
create index on sign_in_links (expires_at);

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'manager', 'reviewer', 'viewer')),
  token_sha256 bytea not null unique,
  -- Whether the token went to the address alone, so that it proves the address.
  mailed boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (organization_id, email)
);
create index on invitations (email);

-- A key or a person acts. Where a row has the key, it may have the person instead.

alter table audit_log add column actor_user_id uuid;
create index audit_log_actor_user on audit_log (organization_id, actor_user_id, created_at desc, id)
  where actor_user_id is not null;

alter table api_keys add column created_by_user uuid references users on delete set null;
alter table reviews add column user_id uuid references users;
alter table share_links add column created_by_user uuid references users;

alter table comments
  add column user_id uuid references users,
  add column resolved_by_user uuid references users,
  drop constraint comments_check,
  add constraint comments_author check (num_nonnulls(key_id, user_id, share_id) = 1);

-- Maintenance deletes people whom no row names.
create index on reviews (user_id) where user_id is not null;
create index on share_links (created_by_user) where created_by_user is not null;
create index on comments (user_id) where user_id is not null;
create index on comments (resolved_by_user) where resolved_by_user is not null;
create index on api_keys (created_by_user) where created_by_user is not null;

alter table request_drafts
  drop constraint request_drafts_pkey,
  alter column key_id drop not null,
  add column user_id uuid,
  add foreign key (organization_id, user_id) references memberships on delete cascade,
  add constraint request_drafts_author check (num_nonnulls(key_id, user_id) = 1),
  add constraint request_drafts_of_keys unique (organization_id, key_id),
  add constraint request_drafts_of_people unique (organization_id, user_id);
