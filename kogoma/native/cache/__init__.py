"""The cache of compiled native libraries: its folders, their trust rules, and file locks."""
