"""Views as tables: text, CSV, Markdown and JSON."""
