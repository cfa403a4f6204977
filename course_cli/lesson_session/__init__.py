"""One learner's lesson in progress: read, fill, answer, score. Resumes where it stopped, after whatever ended it."""

from course_cli.lesson_session.session import interactive

__all__ = ["interactive"]
