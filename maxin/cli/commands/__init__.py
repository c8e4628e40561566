"""The commands, one function or family of functions each."""

# Commands are named by "module:function" and imported when they are called, so that one command
# does not wait for the libraries of another.
COMMANDS = {
    "Tournaments": {
        "init": "tournaments.init:init",
        "plan": "tournaments.plan:plan",
        "run": "tournaments.run:run",
        "show": "tournaments.show:show",
        "report": "tournaments.report:report",
        "export": "tournaments.results:export",
        "import": "tournaments.results:import_",
        "verify": "tournaments.verify:verify",
        "backup": "tournaments.backup:backup",
    },
    "Tournaments that you play yourself": {
        "start": "tournaments.start:start",
        "ask": "matches:ask",
        "tell": "matches:tell",
        "fail": "matches:fail",
        "void": "matches:void",
        "retract": "matches:retract",
        "request": "matches:request",
        "players": "tournaments.players:app",
    },
    "Tournaments on the network": {
        "serve": "service.serve:serve",
        "token": "service.token:app",
        "items": "service.items:items",
        "invite": "service.invite:invite",
        "work": "service.work:work",
    },
    "Without a tournament": {
        "rank": "standalone.rank:rank",
        "games": "standalone.games:app",
        "simulate": "standalone.simulate:simulate",
        "plugins": "standalone.plugins:plugins",
        "doctor": "standalone.doctor:doctor",
    },
}
COMMAND_NAMES = {name for commands in COMMANDS.values() for name in commands}
