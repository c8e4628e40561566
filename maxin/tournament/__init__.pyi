from .goals import Goal as Goal
from .settings import Settings as Settings
from .settings import SettingsDiffer as SettingsDiffer
from .state.verification import Verification as Verification
from .tournament import Tournament as Tournament
