import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { sealedContents } from "./contents.ts";
import { openBankStore } from "./documents.ts";
import { sealedFindings } from "./incoming/findings.ts";
import { indexes } from "./indexes.ts";
import { bankMetrics, startBankMetrics } from "./metrics.ts";
import { openBankRail } from "./open.ts";
import { sealedPayments } from "./payments.ts";
import { guardedBankFiles } from "./rpc.ts";
import { assertLiveBanks, readBankRails, setting } from "./settings.ts";

/** Creates the rails that send payment files to banks. Each account has its own rail. */
export const bankRails: RailPackage = {
  setting,
  indexes,
  sealed: [sealedPayments, sealedContents, sealedFindings],
  configure: (text = "[]", mode) => {
    const configured = readBankRails(text);
    if (mode === "live") assertLiveBanks(configured);
    return {
      names: configured.map(({ rail }) => rail),
      servers: configured.map(({ rail, sftp: { host, port } }) => ({ rail, host, port })),
      // A stored payment contains the beneficiary's account number, which is encrypted.
      needsSealer: configured.length > 0,
      open: async (context) => {
        const { database, clock, sealer, audit, approvals } = context;
        const rpc = guardedBankFiles({
          bank: openBankStore(database),
          sealer,
          audit,
          clock,
          approvals,
        });
        if (sealer === undefined) {
          // Registers the metrics even without a bank, because alert rules query them.
          bankMetrics(context, []);
          return { rails: [], rpc, start: () => ({ stop: async () => undefined }) };
        }
        const rails = configured.map((each) => openBankRail(each, { ...context, sealer }));
        const start = () => {
          const loops = [startBankMetrics(context, rails), ...rails.map((each) => each.start())];
          return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
        };
        return { rails: rails.map(({ rail }) => rail), rpc, start };
      },
    };
  },
};
