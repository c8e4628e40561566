"""What is known about a tournament, as data that a terminal, a page or a program can show."""
