-- Filter lists are no evidence for slots any more.
drop table slot_lists;
drop table slot_list_bundle;
