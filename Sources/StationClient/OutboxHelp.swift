extension HelpText {
    static let outbox = """
        Usage: plingsctl outbox [list] [--state STATE] [--limit N] [OPTION]…
               plingsctl outbox show ID [OPTION]…
               plingsctl outbox retry ID|--all [--force] [OPTION]…
               plingsctl outbox discard ID|--all [--force] [OPTION]…

        Shows the scans that are to be delivered to the API, and decides of those that need
        attention: the API refused them for good, or failed on them again and again.

          list      one job a line: what needs attention first, then what waits
          show      one job with each attempt at it, and what was answered
          retry     puts a job that needs attention into the outbox again
          discard   gives a job up: it is not delivered

        Retry and discard are for root, the station's own user and members of the control group.

        Options:
          --state STATE   only these: queued, waiting (held after failures), attention, done,
                          discarded
          --limit N       at most N jobs
          --all           every job that needs attention
          --force         retry although a later scan of the same tag was delivered, so that the
                          place where it was last seen runs backwards; discard although the job
                          is still tried
          --json          print the job objects alone, one a line, as the station sends them;
                          for show, the whole reply
          --color WHEN    `auto` (the default: on a terminal, unless NO_COLOR is set), `always` or
                          `never`
          --socket PATH   the station's socket

        Examples:
          plingsctl outbox
          plingsctl outbox list --state attention --json | jq -r .id
          plingsctl outbox show 01a22a74-0001-7c81-8f9b-ff062a9cbcac
          plingsctl outbox retry --all

        """

    static let metrics = """
        Usage: plingsctl metrics [OPTION]…

        Prints counts, sizes and states of the station as OpenMetrics text, for Prometheus and
        the like.

        Options:
          --socket PATH   the station's socket

        Example:
          plingsctl metrics > /var/lib/prometheus/node-exporter/plings.prom

        """
}
