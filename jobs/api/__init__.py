"""The REST door: one class per URL, which checks shape and access and calls the same services as the pages do."""
