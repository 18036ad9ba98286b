-- Who asks, and which of the two schemas there are.
select current_user::text, to_regnamespace('fence') is not null, to_regnamespace('credit') is not null
