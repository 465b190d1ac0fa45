"""pytest's door into this package: options and ini keys; everything else loads with `--graph-eval`."""
