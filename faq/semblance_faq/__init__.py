"""The application: a model that answers from a user's own FAQ."""
