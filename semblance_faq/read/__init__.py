"""A user's own tables: CSV, Excel, JSON lines, with the dirt that such files have."""
