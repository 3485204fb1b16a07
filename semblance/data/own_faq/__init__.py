"""The formats of a user's own FAQ: CSV, Excel, JSON lines, with the dirt that such files have."""
