/**
 * Preloaded in the payout service, with the preload for writes. Kills the process (SIGKILL)
 * immediately before or after a step towards a rail's counterpart: an SFTP call, or a request to a
 * chain's node. `RAIL_STEP` names the step, as `sftp rename` or `rpc eth_sendRawTransaction`. If
 * empty, each step is reported once on standard error. `RAIL_STEP_SIDE` is `before` or `after`.
 * `RAIL_STEP_NUMBER` selects the call, from 1.
 */
import "@disburse/faults/kinds/write-preload.ts";
import { createRequire } from "node:module";

const { RAIL_STEP: wanted = "", RAIL_STEP_SIDE: side, RAIL_STEP_NUMBER } = process.env;
const number = Number(RAIL_STEP_NUMBER ?? "1");

const reported = new Set<string>();
let seen = 0;

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Reports or counts a step. Returns whether to crash here. */
function isTheOne(step: string): boolean {
  if (wanted === "" && !reported.has(step)) {
    reported.add(step);
    process.stderr.write(`rail-step ${step}\n`);
  }
  if (step !== wanted) return false;
  seen += 1;
  return seen === number;
}

type Done = (...args: unknown[]) => void;
type Methods = Record<string, (this: unknown, ...args: unknown[]) => unknown>;

// The package doesn't export its session's class.
const bankFiles = createRequire(import.meta.resolve("@disburse/bank-files/sftp/session.ts"));
const { SFTP } = bankFiles("ssh2/lib/protocol/SFTP.js") as { SFTP: { prototype: Methods } };

for (const name of ["open", "write", "close", "rename", "ext_openssh_fsync", "readdir", "read"]) {
  const call = SFTP.prototype[name];
  if (call === undefined) throw new Error(`the SFTP session of ssh2 has no method ${name}`);
  SFTP.prototype[name] = function patched(...args) {
    if (!isTheOne(`sftp ${name}`)) return call.apply(this, args);
    if (side === "before") return die();
    const done = args.at(-1) as Done;
    const dying: Done = (...results) => {
      die();
      done(...results);
    };
    return call.apply(this, [...args.slice(0, -1), dying]);
  };
}

const { fetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const body = typeof init?.body === "string" ? init.body : "";
  const methods = [...body.matchAll(/"method":"(\w+)"/g)].map(([, method = ""]) => method);
  const isIt = methods.map((method) => isTheOne(`rpc ${method}`)).includes(true);
  if (!isIt) return fetch(input, init);
  if (side !== "before") await fetch(input, init).catch(() => undefined);
  die();
  return new Promise(() => undefined);
};
