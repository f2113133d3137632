import { setTimeout as pause } from "node:timers/promises";
import type { SandboxClients } from "@disburse/sandbox/clients.ts";
import { show } from "./printed.ts";

/** A bank's statement is taken at the second look at its folder. */
const takenTimeoutMs = 15_000;
const lookEveryMs = 500;

/** Shows the day of each rail account, beside what its bank's statement says. */
export async function reconcile(
  { operations }: Pick<SandboxClients, "operations">,
  rails: readonly { readonly rail: string; readonly currencyCode: string }[],
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (const { rail, currencyCode } of rails) {
    const latest = Date.now() + (rail.startsWith("bank-") ? takenTimeoutMs : 0);
    let { report } = await operations.getRailReport({ rail, currencyCode, day });
    while (report?.statementClosing === "" && Date.now() < latest) {
      await pause(lookEveryMs);
      ({ report } = await operations.getRailReport({ rail, currencyCode, day }));
    }
    if (report === undefined) throw new Error(`${rail} has no report`);
    const { opening, funded, paid, returned, charges, closing, held } = report;
    const { statementClosing: statement, difference, unexplained } = report;
    show(
      `The day of ${rail} in our books, ${currencyCode}`,
      `opening ${opening}, funded ${funded}, paid ${paid}, returned ${returned}, charges ${charges}: closing ${closing}, of which ${held} on its way`,
      statement === ""
        ? "no bank says what it has there: the chain does"
        : `its statement says ${statement}: difference ${difference}, unexplained ${unexplained}`,
    );
    if (statement !== "" && !/^-?0(?:\.0+)?$/.test(unexplained)) {
      throw new Error(`${rail}: ${unexplained} ${currencyCode} cannot be explained`);
    }
  }
}
