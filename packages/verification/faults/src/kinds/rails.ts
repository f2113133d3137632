import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { say } from "@disburse/harness/command-line.ts";
import type { Fault } from "../context.ts";
import type { Assertion } from "../payouts/checks.ts";

const program = join(import.meta.dirname, "../../../rails/src/main.ts");
/** A verdict as `npm run test:rails` prints it; what is wrong stands in the lines below it. */
const verdictLine = /^(ok|FAILED|skipped)\s+(.+)$/;

/**
 * Rails that pay, killed at each of their steps with a chain and banks beside them. They have a
 * platform of their own: a program of its own tries them.
 */
export const railFault: Fault = {
  name: "rails",
  about: "npm run test:rails: payout killed at each step of the rails that pay",
  run: async ({ options, fired }) => {
    const args = ["--seed", String(options.seed)];
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const child = spawn(process.execPath, [program, ...args], { stdio: [...stdio] });
    const exited = once(child, "exit");
    // An interrupted run leaves no process behind.
    const end = () => void child.kill();
    process.once("exit", end);
    const assertions: Assertion[] = [];
    if (child.stdout === null) throw new Error("the program's output is a pipe");
    for await (const line of createInterface({ input: child.stdout })) {
      say(line);
      const [, word, name] = verdictLine.exec(line) ?? [];
      if (word === undefined || name === undefined || word === "skipped") continue;
      fired("rails");
      assertions.push({ name: `rails: ${name}`, problems: word === "ok" ? [] : ["see above"] });
    }
    const [code] = await exited;
    process.off("exit", end);
    const problems = code === 0 ? [] : [`it ended with ${code}`];
    return [...assertions, { name: "rails: the program ends well", problems }];
  },
};
