"""Pictures of views for notebooks, with matplotlib; all in one style."""
