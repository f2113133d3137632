import { connect } from "amqplib";
import type { Breakage } from "./breakage.ts";

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
      // All processes and loops fail, and metrics requests wait for the database.
      ...["DisburseNotReady", "DisburseServiceDown", "DisburseLoopFailing"],
      "DisburseDatabaseSlow",
    ],
    break: async ({ backends }) => {
      backends.engine.proxy.set("disconnected");
      return () => backends.engine.proxy.set("normal");
    },
  },
];
