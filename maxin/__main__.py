"""`python -m maxin` is the `maxin` command."""

from maxin.cli import main

if __name__ == "__main__":
    main()
