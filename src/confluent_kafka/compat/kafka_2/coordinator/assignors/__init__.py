"""The assignors that ``partition_assignment_strategy`` takes."""
