"""What `tests/run` is made of.

jobs           every test that is not in Rust, with its arguments in its two lengths and what it needs
lanes          several jobs at a time, none beside another that uses the same thing
"""
