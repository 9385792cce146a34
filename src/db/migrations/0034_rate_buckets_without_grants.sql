alter table rate_buckets drop column granted;
