-- S8: a hold that is said to be void, and its opening is the newest.
update credit.hold set resolution = 'void', resolved_by = null, resolved_fence = null, resolved_holder = null
where resolution = 'released';
