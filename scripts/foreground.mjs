// Runs a program in the foreground on behalf of this process.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Ctrl-C arrives from the terminal and again from npm: within this time it is one signal. */
const sameSignalMs = 500;

/** The time between two checks that npm still runs. */
const starterPollMs = 500;

const lifeline = new URL(`./lifeline.mjs?starter=${process.pid}`, import.meta.url).href;

/** Node's compile cache, which halves the loading time. */
const compileCache = fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url));

/** The environment for tools: our Node first on PATH, the compile cache, no telemetry. */
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
 * Runs a program under the given Node and resolves with its exit code. The program has its own
 * session, so that it receives each signal once, from here, and is stopped when this process is
 * killed.
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
 * Stops the child if npm, which started this process, was killed. The end of a shell does not
 * count: background jobs outlive it.
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

/** Keeps termination signals from ending this process, until the returned function is called. */
export function outliveSignals() {
  const outlive = () => undefined;
  for (const signal of forwarded) process.on(signal, outlive);
  return () => {
    for (const signal of forwarded) process.off(signal, outlive);
  };
}

/** Forwards termination signals to a child, until the returned function is called. */
export function passSignals(child) {
  const passedAt = {};
  const pass = (signal) => {
    const now = performance.now();
    if (now - (passedAt[signal] ?? Number.NEGATIVE_INFINITY) < sameSignalMs) return;
    passedAt[signal] = now;
    child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, pass);
  return () => {
    for (const signal of forwarded) process.off(signal, pass);
  };
}
