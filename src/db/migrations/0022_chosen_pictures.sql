-- The screenshots of the set that the link is limited to. Null: all of them.
alter table share_links add column screenshot_ids uuid[];
