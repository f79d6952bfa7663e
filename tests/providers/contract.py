"""What every engine must do. A further engine passes by subclassing ``ProviderContract``.

A subclass gives a fixture ``engine``: see ``asking``.
"""

from tests.providers.contract_door import Door
from tests.providers.contract_fields import Fields
from tests.providers.contract_hostile import Hostile
from tests.providers.contract_matching import Matching
from tests.providers.contract_order import Order
from tests.providers.contract_visible import Visible

__all__ = ["Order", "ProviderContract"]


class ProviderContract(Matching, Fields, Visible, Order, Hostile, Door):
    """The whole suite."""
