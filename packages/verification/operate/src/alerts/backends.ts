import type { Breakage } from "./breakage.ts";

/** What breaks the broker and the database. */
export const backendBreakages: readonly Breakage[] = [
  {
    alert: "DisburseBrokerUnreachable",
    break: async ({ backends }) => {
      backends.broker.proxy.set("disconnected");
      return () => backends.broker.proxy.set("normal");
    },
  },
  {
    alert: "DisburseDatabaseSlow",
    break: async ({ backends }) => {
      backends.engine.proxy.set("slow");
      return () => backends.engine.proxy.set("normal");
    },
  },
  {
    alert: "DisburseDatabaseUnreachable",
    companions: [
      // Every process waits, loops fail, and scrapes wait for the database's answer.
      ...["DisburseNotReady", "DisburseServiceDown", "DisburseLoopFailing"],
      "DisburseDatabaseSlow",
    ],
    break: async ({ backends }) => {
      backends.engine.proxy.set("disconnected");
      return () => backends.engine.proxy.set("normal");
    },
  },
];
