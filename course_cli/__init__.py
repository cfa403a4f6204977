"""The terminal side of the course: commands, prompts, tables and the learner's own files."""

__version__ = "0.1.0"
