"""What commands print: tables, charts, live views and JSON."""
