"""What happens inside a pytest run: collection, asking ahead, the controller's books, and what it writes and shows."""
