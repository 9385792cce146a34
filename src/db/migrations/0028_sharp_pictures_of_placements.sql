-- Pixels of the picture of a placement for each CSS pixel.
alter table placements add column image_ratio integer not null default 1;
