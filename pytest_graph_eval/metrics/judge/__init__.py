"""What a model is asked about an answer, and how its replies become scores; pure: nobody is asked here."""
