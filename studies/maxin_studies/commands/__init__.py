"""The commands `maxin bench` and `maxin paper`."""
