"""Engine against engine, with numbers one can trust: matches, their statistics, and the page that shows them."""
