# SPDX-License-Identifier: Apache-2.0
"""How nbgrader treats these assignments. It reads this file in the folder where it is started, so start it here."""

from pathlib import Path

c = get_config()  # noqa: F821  nbgrader's

c.CourseDirectory.root = str(Path(__file__).parent)
c.ClearSolutions.code_stub = {"java": '// YOUR CODE HERE\nthrow new UnsupportedOperationException("not done yet");'}
c.ExecutePreprocessor.timeout = 150
c.NbGrader.logfile = ""
# Autograding restores the hidden tests, and students get the feedback.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
