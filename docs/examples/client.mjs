#!/usr/bin/env node
// Prints what the tags at a Plings station stand for.
//
// usage: client.mjs SOCKET PLACE
//
// PLACE is a file in which the client keeps how far it has come: started again, or after the
// station was restarted, it goes on where it was. Node 18 or later, without any package.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** Ends the client with a sentence for people. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** How far the last run came, as parameters of `subscribe`; from the beginning if it is new. */
function load(place) {
  try {
    const { since, log } = JSON.parse(readFileSync(place, "utf8"));
    if (since === "start" || Number.isInteger(since)) return { since, log };
  } catch (error) {
    if (error.code === "ENOENT") return { since: "start" };
    if (error.code) fail(`${place} can't be read: ${error.message}`);
  }
  return fail(`${place} is damaged: delete it to begin with the first event`);
}

/** Keeps how far we are: the old file or the new one, never half of one. */
function save(place, kept) {
  try {
    writeFileSync(`${place}.new`, JSON.stringify(kept));
    renameSync(`${place}.new`, place);
  } catch (error) {
    fail(`${place} can't be written: ${error.message}`);
  }
}

/** Prints one resolution: what the tag stands for, its name and its URL. */
function show(event) {
  console.log(event.outcome, event.object?.name ?? "-", event.identifier.url);
}

/** Takes one message; returns how far we are after it. */
function take(message, kept) {
  if (message.method === "event") {
    const event = message.params;
    if (event.type === "resolution") show(event);
    // An event that could not be stored has no seq; it comes again from the log.
    return { ...kept, since: event.seq ?? kept.since };
  }
  if (message.method === "bye") {
    console.error(`the station ends it: ${message.params.reason}`);
  } else if (message.error) {
    if (message.error.data?.reason !== "busy") fail(message.error.message);
  } else if (message.id === 1) {
    const { from, log, gap } = message.result;
    if (gap) console.error(`events before ${gap.first} are gone`);
    return { since: from, log };
  }
  return kept;
}

/** One connection, to its end; whatever ends it, the next one goes on from `place`. */
async function follow(path, place) {
  let kept = load(place);
  const station = connect(path);
  const params = { types: ["resolution"], ...kept };
  station.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params })}\n`);
  const ended = new Promise((resolve) => {
    station.on("error", resolve);
    station.on("close", resolve);
  });
  const lines = createInterface({ input: station, crlfDelay: Infinity });
  // It passes on the errors of the connection, which are dealt with above.
  lines.on("error", () => {});
  lines.on("line", (line) => {
    kept = take(JSON.parse(line), kept);
    save(place, kept);
  });
  const error = await ended;
  if (error?.code && !["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(error.code)) {
    fail(`${path} can't be used: ${error.message}`);
  }
}

const [path, place] = process.argv.slice(2);
if (!place) {
  console.error("usage: client.mjs SOCKET PLACE");
  process.exit(2);
}
for (;;) {
  await follow(path, place);
  // The station is being restarted, or not there yet.
  await sleep(1000);
}
