-- The page of an ad lists its deliveries.
create index on deliveries (ad_id, created_at desc, id) where ad_id is not null;
