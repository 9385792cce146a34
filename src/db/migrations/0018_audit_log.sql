-- Administrative actions of each organization: who did what, when and from where. It refers to organizations only, so that it
-- can also be applied after migrations with higher numbers.
create table audit_log (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  created_at timestamptz not null default clock_timestamp(),
  -- A program with an API key, a person who signed in with one, the operator's command line, or a person who failed to sign in.
  actor_type text not null check (actor_type in ('api_key', 'session', 'operator', 'anonymous')),
  -- The key that was used. It is no reference, because the entry must not depend on other rows.
  actor_key_id text,
  -- The name of the key at that time.
  actor_name text,
  -- For example api_key.created.
  action text not null,
  object_type text not null,
  object_id text,
  -- [{"field": text, "from": text|null, "to": text|null}, …], without secrets.
  changes jsonb not null default '[]',
  -- Null for the operator's command line.
  address text,
  request_id text
);
create index on audit_log (organization_id, created_at desc, id);
-- The removal looks for the oldest entries of all organizations.
create index on audit_log (created_at);

-- Nobody changes an entry. AUDIT_LOG_RETENTION_DAYS is at least 30, so the removal never meets a younger one.
create function protect_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.created_at < now() - interval '30 days' then
      return old;
    end if;
    raise exception 'An entry of the audit log must stay for 30 days.';
  end if;
  raise exception 'The audit log is append-only: % is not possible.', lower(tg_op);
end $$;
create trigger protect_rows before update or delete on audit_log for each row execute function protect_audit_log();
create trigger protect_table before truncate on audit_log for each statement execute function protect_audit_log();
