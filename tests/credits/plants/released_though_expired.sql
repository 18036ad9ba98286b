-- S8: a release at the very moment from which on there is none.
update credit.hold set expires_at = resolved_at where resolution = 'released';
