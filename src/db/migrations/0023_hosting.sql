-- A capture that has finished its own index may continue with small sets of the same organization: it hosts them.
alter table screenshot_jobs
  add column small boolean not null default false,
  -- The capture that works on this job instead of a Job of its own. No foreign keys, because the row of the host may be removed first.
  add column host_job_id uuid,
  add column host_index integer,
  add column host_pod text,
  add column hosted_at timestamptz;
create index screenshot_jobs_hosted on screenshot_jobs (host_job_id, host_index)
  where host_job_id is not null and settled_at is null;

alter table job_indexes
  -- The capture of the current attempt may host until then, unless it renews this lease. Null: it does not host.
  add column hosting_until timestamptz,
  -- Since when it waits for a guest.
  add column idle_since timestamptz,
  add column hosting_ended_at timestamptz,
  add column guests integer not null default 0;
create index job_indexes_hosting on job_indexes (hosting_until) where hosting_until is not null;
