"""Reading notebooks and Quarto files: roles however they are written, damaged parts, hostile files."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders.errors import BadInput, CourseError
from graders.notebook import CUT, KEPT_OUTPUT, MAX_CELLS, read_ipynb, read_qmd
from graders.notebook_parts import Parts, missing_answers

CODE = "# course: lesson05\nimport triton\n\nx = 0.0\n"


def code(source: str, count: int | None = 1, outputs: Any = (), **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": list(outputs),
        "execution_count": count,
    }


def words(source: str, kind: str = "markdown", **metadata: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": metadata}


def read(*cells: Any, **more: Any) -> Parts:
    return read_ipynb(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}), "n.ipynb"
    )


def notes(parts: Parts) -> str:
    return "\n".join(n.en for n in parts.notes)


@pytest.mark.parametrize(
    "cell",
    [
        words("because A", course_role="answer", course_id="q1"),
        words("because A", course_role="answer", id="Q1"),
        words("because A", tags=["answer", "q1"]),
        words("because A", tags=["answer-q1"]),
        words("because A", tags=["答案", "问题1"]),
        words("### Q1\n\nWhy?\n\n**Your answer:**\n\nbecause A", course_role="answer"),
        words("## 问题一\n\n为什么？\n\n你的答案：\n\nbecause A"),
        words("# Q1\nbecause A"),
        words("<!-- course_role: answer; id: q1 -->\nbecause A"),
        code("#| course_role: answer\n#| id: q1\nbecause A", course_role=""),
        code("%%markdown\n## Q1\nbecause A", course_role="answer"),
        words("because A", kind="raw", course_role="answer", course_id="q1"),
        {**words("because A"), "id": "answer-q1"},
    ],
)
def test_an_answer_is_found_however_it_is_marked(cell: dict[str, Any]) -> None:
    parts = read(code(CODE), cell)
    assert parts.answers.get("q1").removeprefix("#| course_role: answer\n#| id: q1\n").endswith("because A")
    assert parts.code is not None and "x = 0.0" in parts.code


@pytest.mark.parametrize(
    "cell",
    [
        code("x = 0.0", course_role="exercise"),
        code("x = 0.0", course_role="练习"),
        code("#| course_role: exercise\nx = 0.0"),
        code("x = 0.0", tags=["exercise"]),
        code(CODE),
        code("%%writefile lesson05.py\nx = 0.0"),
        words("x = 0.0", course_role="exercise"),
        words("here:\n```python\nx = 0.0\n```\n", course_role="exercise"),
        words("#| course_role: exercise\nx = 0.0", kind="raw"),
    ],
)
def test_the_exercise_is_found_however_it_is_marked(cell: dict[str, Any]) -> None:
    parts = read(code("print(1)"), cell)
    assert parts.code is not None and "x = 0.0" in parts.code and "%%" not in parts.code and "#|" not in parts.code
    assert parts.suffix == ".py"


def test_a_written_cuda_file_is_code_and_keeps_its_ending() -> None:
    parts = read(code("%%writefile argmax.cu\n// course: lesson12\nint x;\n"), code("!course grade argmax.cu"))
    assert parts.suffix == ".cu" and parts.code is not None and parts.code.strip().startswith("// course")


def test_doubled_missing_converted_and_reordered_parts_are_named() -> None:
    parts = read(
        words("b", course_role="answer", course_id="q2"),
        words("a", course_role="answer", course_id="q1"),
        words("a2", course_role="answer", course_id="q1"),
        code("c", course_role="answer", course_id="q3"),
        words("d", kind="raw", course_role="answer", course_id="impl"),
        code("x = ______", course_role="exercise"),
        code("x = 1", course_role="exercise"),
        code("x = ______", course_role="exercise"),
    )
    told = notes(parts)
    assert "section 'Q1' stands in several cells" in told
    assert "cell 4: the answer Q3 stands in a code cell" in told
    assert "cell 5: the answer Implementation stands in a raw cell" in told
    assert "several cells (6, 7, 8)" in told and "(cell 7)" in told and parts.code == "x = 1"
    assert "another order" in told
    assert parts.answers.sections == {"q1": "a\n\na2", "q2": "b", "q3": "c", "impl": "d"}
    parts = read(words("", course_role="answer", course_id="q1"), words("nobody", course_role="answer"))
    told = notes(parts)
    assert "no cell holds the exercise" in told
    assert [n.en for n in missing_answers(parts.answers)] == ["no answer found for: Q1, Q2, Q3, Implementation"]
    assert "cell 2: an answer without a name was not graded" in told
    assert "converted" not in told


def test_an_exercise_below_the_answers_is_named() -> None:
    told = notes(read(words("a", course_role="answer", course_id="q1"), code(CODE)))
    assert "cell 2: the exercise stands after the answers" in told


def test_texts_of_the_lesson_are_no_answers() -> None:
    parts = read(
        words("### Performance trade-off\nthe lesson's words", course_role="text"),
        words("### Q1\nWhy?", course_role="question", course_id="q1"),
        words("<details>## Q1\nhint</details>", course_role="hint"),
        words("## Q1\nthe key", course_role="solution"),
        code(CODE),
    )
    assert not any(parts.answers.sections.values())


def test_format_3_is_read_and_named() -> None:
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "Q1"},
                    {"cell_type": "markdown", "source": ["because\n", "B"]},
                    {
                        "cell_type": "code",
                        "input": CODE,
                        "prompt_number": 7,
                        "outputs": [{"output_type": "pyout", "text": ["42"]}],
                    },
                ]
            }
        ],
    }
    parts = read_ipynb(json.dumps(old), "n.ipynb")
    assert parts.answers.get("q1") == "because\nB" and parts.code == CODE
    assert parts.cells[2].output == "42" and parts.cells[2].count == 7
    assert "notebook format 3" in notes(parts)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "broken JSON"),
        ('{"cells": [', "broken JSON"),
        ("[]", "no cells"),
        ("12", "no cells"),
        ('{"nbformat": 4}', "no cells"),
        ('{"cells": {}}', "no cells"),
        ('{"cells": ' + "[" * 100_000, "nested too deeply"),
        ('{"cells": [], "n": ' + "9" * 5000 + "}", "broken JSON"),
        ('{"cells": [' + ",".join(["0"] * (MAX_CELLS + 1)) + "]}", "more than"),
    ],
)
def test_what_is_no_notebook_is_refused_with_one_line(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_ipynb(text, "n.ipynb")
    message = caught.value.message("en")
    assert told in message and message.startswith("n.ipynb") and "\n" not in message


def test_cells_that_are_none_and_odd_values_are_passed_over() -> None:
    odd = {"cell_type": ["code"], "source": {"a": 1}, "metadata": [], "outputs": {"x": 1}, "execution_count": True}
    parts = read(3, None, odd, code(["a", 5, "b"], count="7", outputs=[1, {"text": [1, "t"]}, {"data": 3}]))  # type: ignore[arg-type]
    assert "2 entries of `cells` are no cells" in notes(parts)
    assert parts.cells[1].source == "ab" and parts.cells[1].count is None and parts.cells[1].output == "t"


def test_what_no_text_can_hold_does_not_come_through() -> None:
    parts = read_ipynb('{"cells": [{"cell_type": "markdown", "source": "# Q1\\n\\ud800 \\u0000 ok"}]}', "n.ipynb")
    assert parts.answers.get("q1") == "? \ufffd ok"


@pytest.mark.parametrize("shape", ["one text", "many lines", "many outputs"])
def test_fifty_megabytes_of_output_are_cut_quickly_and_in_bounded_memory(shape: str) -> None:
    def stream(text: Any) -> dict[str, Any]:
        return {"output_type": "stream", "name": "stdout", "text": text}

    if shape == "one text":
        big = [stream('x[{\\" ' * 8_400_000)]
    elif shape == "many lines":
        big = [stream(["ab\n"] * 7_000_000)]
    else:
        big = [stream("y" * 600) for _ in range(80_000)]
    text = json.dumps({"cells": [code(CODE, outputs=big), words("# Q1\nbecause")]})
    del big
    assert len(text) > 50_000_000
    begin = time.perf_counter()
    tracemalloc.start()
    parts = read_ipynb(text, "n.ipynb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert parts.code == CODE and parts.answers.get("q1") == "because"
    assert "its stored output (" in notes(parts) and parts.cells[0].cut > 50_000_000 and parts.cells[0].output == ""
    assert time.perf_counter() - begin < 15 and peak < 20_000_000


def test_a_file_that_is_large_without_its_outputs_is_refused() -> None:
    for bad in ('{"cells": [' + "[]," * 2_000_000 + "0]}", '{"cells": [], "x": "' + "a" * 40_000_000 + '"}'):
        with pytest.raises(BadInput, match="too large"):
            read_ipynb(bad, "n.ipynb")
    with pytest.raises(BadInput, match="more than"):
        read(words("x" * 3_000_000))
    deep = '{"cells": [{"cell_type": "code", "source": "", "outputs": [' + "[" * 5_000_000
    with pytest.raises(BadInput):
        read_ipynb(deep, "n.ipynb")


def test_the_mark_of_a_cut_output_cannot_be_forged_into_text() -> None:
    parts = read(code(CODE, outputs=[{"output_type": CUT, "size": 12, "text": "PASS"}]))
    assert parts.cells[0].cut == 12  # named as not read, which helps nobody


def test_the_error_stream_is_no_result() -> None:
    streams = [{"name": "stderr", "text": "UserWarning: no CUDA GPU"}, {"name": "stdout", "text": "42"}]
    assert read(code(CODE, outputs=streams)).cells[0].output == "42"


def test_kept_output_is_bounded() -> None:
    parts = read(code(CODE, outputs=[{"text": "a" * 15_000}] * 5))
    assert len(parts.cells[0].output) == KEPT_OUTPUT


QMD = """---
title: "x"
course:
  lesson: lesson05
---

::: {.course-text}
### Q1
the lesson's own words
```{mermaid}
flowchart LR
```
:::

```{python}
#| course_role: exercise
# course: lesson05
x = 0.0
```

::: {.callout-tip collapse="true"}
## Reference answer
### Q2
the key
```{python}
y = 1
```
:::

### Q1

Why?

::: {#answer-q1 .course-answer}
**Your answer:**

because A

- a list
:::

## 问题二 {#q2}

你的答案：

因为乙

### Q3
plain
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_quarto_file_is_read_by_divs_options_and_headings(ends: str) -> None:
    parts = read_qmd(QMD.replace("\n", ends), "x.qmd")
    assert parts.lesson == "lesson05" and parts.code is not None and parts.code.strip() == "# course: lesson05\nx = 0.0"
    assert parts.answers.get("q1") == "because A\n\n- a list"
    assert parts.answers.get("q2") == "因为乙" and parts.answers.get("q3") == "plain"


def test_an_unclosed_block_of_a_quarto_file_reaches_to_the_end() -> None:
    parts = read_qmd("### Q1\nwhy\n```{python}\n# course: lesson05\nx = 1\n")
    assert parts.code is not None and "x = 1" in parts.code and parts.answers.get("q1") == "why"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
sources = st.sampled_from(
    [CODE, "# Q1\nbecause", "%%writefile a.cu\nint x;", "#| course_role: answer\n#| id: q2\nx", "Your answer:"]
)
any_cell = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | values,
        "source": sources | st.lists(sources) | values,
        "input": values,
        "metadata": values
        | st.fixed_dictionaries(
            {},
            optional={
                "course_role": st.sampled_from(["exercise", "answer", "text", "答案"]) | values,
                "course_id": st.sampled_from(["q1", "run_output"]) | values,
                "tags": values | st.lists(st.sampled_from(["q1", "answer-q3"])),
            },
        ),
        "outputs": values
        | st.lists(st.fixed_dictionaries({}, optional={"text": values, "data": values, "output_type": values})),
        "execution_count": values,
        "level": values,
        "id": values,
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_cell | values, max_size=6), st.sampled_from(["cells", "worksheets"]), values)
def test_no_notebook_raises_anything_but_a_course_error(cells: list[Any], key: str, about: Any) -> None:
    value = cells if key == "cells" else [{"cells": cells}]
    try:
        parts = read_ipynb(json.dumps({key: value, "metadata": {"course": about}, "nbformat": about}), "n.ipynb")
    except CourseError as error:
        assert "\n" not in error.message("en")
        return
    for text in (*parts.answers.sections.values(), parts.code or ""):
        text.encode()


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200) | st.lists(st.sampled_from(QMD.split("\n")), max_size=40).map("\n".join))
def test_no_quarto_file_and_no_text_raises_anything_but_a_course_error(text: str) -> None:
    read_qmd(text, "x.qmd")
    for broken in (text, '{"cells": [' + text, QMD[: len(text)]):
        try:
            read_ipynb(broken, "n.ipynb")
        except CourseError as error:
            assert "\n" not in error.message("en")
