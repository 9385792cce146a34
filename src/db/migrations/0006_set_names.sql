-- A name that people give a set. Without one, the set has the name of its campaign and its date.
alter table screenshot_sets
  add column name text check (char_length(name) between 1 and 250);
