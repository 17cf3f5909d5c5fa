"""All parts of one sandbox, on one database."""
import asyncio
from pathlib import Path

from . import seed
from .connections import Connections
from .database import Database
from .faults import FaultPlan
from .idempotency import FirstAnswers
from .outage import Outage
from .request_log import RequestLog
from .scan_events import ScanEvents
from .sessions import Sessions
from .settings import Settings
from .space import Space
from .traffic import InFlight, RateLimit, RetryAfter
from .violations import Violations
from .world import World


class Sandbox:
    """The API's data, its switches and its log."""

    def __init__(self, state_file: Path | None = None) -> None:
        self.database = Database(state_file)
        self.settings = Settings(self.database)
        self.world = World(self.database)
        self.space = Space(self.database)
        self.scan_events = ScanEvents(self.database)
        self.sessions = Sessions(self.database, self.world, self.settings)
        self.first_answers = FirstAnswers(self.database)
        self.log = RequestLog(self.database)
        self.violations = Violations(self.database)
        self.faults = FaultPlan(self.database)
        self.rate_limit = RateLimit(self.settings)
        self.retry_after = RetryAfter()
        self.in_flight = InFlight()
        self.connections = Connections(self.log.last_connection())
        self.outage = Outage(self.database, self.connections)
        self.release = asyncio.Event()
        if not self.world.fixtures:
            self._seed()

    @property
    def changes(self) -> int:
        """Grows with every change of data, so that a harmless repeat can be told from another."""
        return self.world.changes + self.space.changes + self.scan_events.changes

    async def reset(self) -> None:
        """Back to the seeded state; what is being held is let go without an answer."""
        self.release_held()
        await self.outage.end()
        with self.database.transaction():
            for part in (self.settings, self.world, self.space, self.scan_events,
                         self.first_answers, self.log, self.violations, self.faults,
                         self.rate_limit, self.retry_after, self.in_flight):
                part.clear()
            self._seed()

    def _seed(self) -> None:
        with self.database.transaction():
            self.sessions.clear()
            seed.seed(self.world, self.space)

    def release_held(self) -> None:
        """Lets go every request that is held; requests held from now on are not affected."""
        self.release.set()
        self.release = asyncio.Event()
