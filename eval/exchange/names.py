"""What the formats are called, and which commands take which."""

from enum import StrEnum


class Name(StrEnum):
    """What ``--format`` takes."""

    TREC = "trec"
    TREC_RUN = "trec-run"
    BEIR = "beir"
    QUEPID = "quepid"
    QUEPID_RATERS = "quepid-raters"
    RATINGS = "ratings"
    RRE = "rre"
    RRE_GRADES = "rre-grades"
    OPENSEARCH = "opensearch"
    CLICKS = "clicks"
    IR_DATASETS = "ir-datasets"


# Both shapes of RRE are read as one.
READ = tuple(name.value for name in Name if name is not Name.RRE_GRADES)
WRITTEN = tuple(name.value for name in Name if name not in (Name.CLICKS, Name.IR_DATASETS))
SPREADSHEETS = (Name.QUEPID, Name.QUEPID_RATERS, Name.RATINGS)
