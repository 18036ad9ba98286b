-- S8: a capture at the very moment from which on there is none.
update credit.hold set expires_at = resolved_at where resolution = 'captured';
