"""What every command uses: parameters, values, texts, tables, and how a command ends."""
