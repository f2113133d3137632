// Running a program in the foreground on behalf of this process.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Ctrl-C reaches this process from the terminal and once more from npm, which passes it on; the
 * same signal again within this time is the same wish.
 */
const sameWishMs = 500;

/** Nobody waits for it: whoever killed npm so has turned away. */
const starterPollMs = 500;

const lifeline = new URL(`./lifeline.mjs?starter=${process.pid}`, import.meta.url).href;

/** Where Node keeps what it made of a module, which halves the time to load it the next time. */
const compileCache = fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url));

/**
 * The environment for tools: our Node first on PATH, modules from the cache, and nothing reported
 * to their makers.
 */
export function toolEnvironment(node) {
  return {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache,
    DO_NOT_TRACK: "1",
    NO_UPDATE_NOTIFIER: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
}

/**
 * Runs a program under the given Node and resolves with its exit code. The program has a session
 * of its own, so that a signal comes from here alone and exactly once, and is asked to end when
 * this process is killed.
 */
export function runNode(node, args, options = {}) {
  const { cwd = process.cwd(), stdin = "ignore", stdout = "inherit", env = {} } = options;
  const child = spawn(node, ["--import", lifeline, ...args], {
    cwd,
    detached: true,
    env: { ...toolEnvironment(node), ...env },
    stdio: [stdin, stdout, "inherit", "pipe"],
  });
  const stopPassing = passSignals(child);
  const stopWatching = watchStarter(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      stopPassing();
      stopWatching();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/**
 * Asks the child to end when npm, which started this process, has been killed. Not when a shell
 * did: what was put into the background is meant to outlive it.
 */
function watchStarter(child) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const starter = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, starterPollMs);
  return () => clearInterval(watch);
}

/** Hands the signals that ask to end on to a child; the returned function stops that. */
export function passSignals(child) {
  const passedAt = {};
  const pass = (signal) => {
    const now = performance.now();
    if (now - (passedAt[signal] ?? Number.NEGATIVE_INFINITY) < sameWishMs) return;
    passedAt[signal] = now;
    child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, pass);
  return () => {
    for (const signal of passedOn) process.off(signal, pass);
  };
}
