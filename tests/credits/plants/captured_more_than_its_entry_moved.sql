-- S8: a hold of which more is said to be captured than was charged.
update credit.hold set captured = captured + 1 where resolution = 'captured';
