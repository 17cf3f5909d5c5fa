#!/usr/bin/python3
"""Prints what the tags at a Plings station stand for.

usage: client.py SOCKET PLACE

PLACE is a file in which the client keeps how far it has come: started again, or after the station
was restarted, it goes on where it was. The standard library is all it needs.
"""

import json
import os
import socket
import sys
import time


def load(place):
    """How far the last run came, as parameters of `subscribe`; from the beginning if it is new."""
    try:
        with open(place, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["since"] == "start" or isinstance(kept["since"], int):
            return kept
    except FileNotFoundError:
        return {"since": "start"}
    except OSError as error:
        sys.exit(f"{place} can't be read: {error.strerror}")
    except (ValueError, TypeError, KeyError):
        pass
    sys.exit(f"{place} is damaged: delete it to begin with the first event")


def save(place, kept):
    """Keeps how far we are: the old file or the new one, never half of one."""
    try:
        with open(f"{place}.new", "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(f"{place}.new", place)
    except OSError as error:
        sys.exit(f"{place} can't be written: {error.strerror}")


def show(event):
    """Prints one resolution: what the tag stands for, its name and its URL."""
    name = event.get("object", {}).get("name", "-")
    print(event["outcome"], name, event["identifier"]["url"], flush=True)


def subscribed(result, kept):
    """Where the subscription begins, which is the place to keep from now on."""
    if "gap" in result:
        print(f"events before {result['gap']['first']} are gone", file=sys.stderr, flush=True)
    return {"since": result["from"], "log": result["log"]}


def follow(path, place):
    """One connection, to its end; whatever ends it, the next one goes on from `place`."""
    kept = load(place)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as station:
        station.connect(path)
        lines = station.makefile("r", encoding="utf-8", newline="\n")
        request = {"jsonrpc": "2.0", "id": 1, "method": "subscribe",
                   "params": {"types": ["resolution"], **kept}}
        station.sendall(json.dumps(request).encode() + b"\n")
        for line in lines:
            message = json.loads(line)
            if message.get("method") == "event":
                event = message["params"]
                if event["type"] == "resolution":
                    show(event)
                # An event that could not be stored has no seq; it comes again from the log.
                if "seq" in event:
                    kept["since"] = event["seq"]
            elif message.get("method") == "bye":
                print(f"the station ends it: {message['params']['reason']}", file=sys.stderr)
            elif "error" in message:
                if message["error"].get("data", {}).get("reason") != "busy":
                    sys.exit(message["error"]["message"])
            elif message.get("id") == 1:
                kept = subscribed(message["result"], kept)
            save(place, kept)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    while True:
        try:
            follow(sys.argv[1], sys.argv[2])
        except (ConnectionError, FileNotFoundError):
            # The station is being restarted, or not there yet.
            pass
        except OSError as error:
            sys.exit(f"{sys.argv[1]} can't be used: {error.strerror or error}")
        time.sleep(1)


if __name__ == "__main__":
    main()
