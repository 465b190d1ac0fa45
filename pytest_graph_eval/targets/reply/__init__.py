"""How the reply of any target is read: paths into it, its items and messages, and what is known of servers."""
