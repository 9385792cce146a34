-- Contents that captures declared for the pictures of running jobs, so that all API processes count together. Settling a job deletes its rows.
create table declared_uploads (
  job_id uuid not null references screenshot_jobs,
  -- The key of the picture in one attempt, without a content.
  picture text not null,
  -- SHA-256 of each content.
  contents text[] not null,
  primary key (job_id, picture)
);
