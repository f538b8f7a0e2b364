"""The table of masks: which tokens carry loss, exactly."""

import json
from typing import Any

import pytest

from drydock_trainer.preparation import Source, prepare

from .cases import Case
from .table_messages import MESSAGES
from .table_others import LENGTHS, SESSIONS, TEXTS
from .table_tools import THOUGHTS, TOOLS
from .words import make_tokenizer, show

TABLE = [*MESSAGES, *TOOLS, *THOUGHTS, *TEXTS, *LENGTHS, *SESSIONS]


def texts_of(case: Case) -> list[str]:
    """Whatever a template may write of a case."""
    words = "system user assistant tool model ipython User Assistant tools result name arguments parameters"
    rows = json.dumps(case.rows, ensure_ascii=False).replace("\\n", " ").replace("\\", "")
    return [words, '[no result] of call {"",}:', rows, "\n", case.options.system_prompt or ""]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.title)
def test_prepare_puts_loss_on_exactly_these_tokens(case: Case) -> None:
    tokenizer = make_tokenizer(case.template, texts_of(case))
    source = Source(case.role, "data", list(enumerate(case.rows)))
    prepared = prepare([source], tokenizer, case.options)
    assert [show(tokenizer, example) for example in prepared.examples] == case.expected
    assert dict(prepared.report.total.skip_reasons) == case.skipped
    lengths: list[Any] = [example.position_ids for example in prepared.examples]
    assert all((positions is not None) == case.options.packing for positions in lengths)


def test_table_has_thirty_conversations() -> None:
    assert len(TABLE) >= 30
    assert len({case.title for case in TABLE}) >= 30
