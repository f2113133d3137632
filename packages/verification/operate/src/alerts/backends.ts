import { connect } from "amqplib";
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
    alert: "DisburseEventsRejected",
    break: async ({ backends, busNamespace }) => {
      const connection = await connect(backends.amqpUrl);
      const channel = await connection.createChannel();
      const exchange = `${busNamespace}.compliance.events`;
      channel.publish(exchange, "screening.changed", Buffer.from("not signed"));
      return () => connection.close();
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
