-- Which functions each schema has.
select schema_name, functions_version from dataset.installed()
