import { silentLog } from "@disburse/chassis/log.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { describe, expect, it } from "vitest";
import { createRpcNetwork } from "../network/rpc-network.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { createMemoryDatabase } from "../store/memory-database.ts";
import { createMeter } from "./meter.ts";

type Row = { _id: string; colour?: string };

function metered() {
  const meter = createMeter();
  const plain = createMemoryDatabase(() => new Date(0));
  const { db } = meter.assembly.database("payout", plain).connect(plain.direct);
  return { meter, rows: db.collection<Row>("rows") };
}

describe("createMeter", () => {
  it("counts a document that is inserted, and its bytes", async () => {
    const { meter, rows } = metered();
    await rows.insertOne({ _id: "a" });
    const { counts, kinds } = meter.take();
    expect(counts).toMatchObject({ documents: 1, commands: 1, hops: 0 });
    expect(counts.bytes).toBeGreaterThan(0);
    expect(kinds).toEqual({ "payout.rows insert": 1 });
  });

  it("counts writes that share a command as one command, and each document", async () => {
    const { meter, rows } = metered();
    await Promise.all(["a", "b", "c"].map((_id) => rows.insertOne({ _id })));
    await Promise.all(["d", "e"].map((_id) => rows.insertOne({ _id })));
    expect(meter.take().counts).toMatchObject({ documents: 5, commands: 2 });
  });

  it("counts a call that a service serves", async () => {
    const { meter } = metered();
    const scheduler = new Scheduler(1, 0);
    const network = meter.assembly.network(createRpcNetwork(scheduler));
    const outside = { instance: undefined, log: silentLog };
    network.serve(BeneficiaryService, { listBeneficiaryCurrencies: async () => ({}) }, outside);
    const caller = network.client(BeneficiaryService, { kind: "service", name: "payout" });
    const called = caller.listBeneficiaryCurrencies({});
    await scheduler.run(() => false, 10_000, 1_000);
    await called;
    const { counts, kinds } = meter.take();
    expect(counts).toEqual({ documents: 0, commands: 0, bytes: 0, hops: 1 });
    expect(kinds).toEqual({ "call listBeneficiaryCurrencies": 1 });
  });

  it("counts an update that changes nothing as a command alone", async () => {
    const { meter, rows } = metered();
    await rows.updateOne({ _id: "a" }, { $set: { colour: "red" } });
    expect(meter.take().counts).toMatchObject({ documents: 0, commands: 1 });
  });

  it("names a read by the fields of its filter, and counts what it found", async () => {
    const { meter, rows } = metered();
    await rows.insertOne({ _id: "a", colour: "red".repeat(1_000) });
    meter.take();
    await rows.find({ colour: "blue" }).toArray();
    const { counts: missed, kinds } = meter.take();
    await rows.find({ _id: "a" }).toArray();
    expect(kinds).toEqual({ "payout.rows read by colour": 1 });
    expect(meter.take().counts.bytes).toBeGreaterThan(missed.bytes + 3_000);
  });

  it("leaves out what it is to ignore, also beside another write of the command", async () => {
    const { meter, rows } = metered();
    meter.ignore(["payout.rows insert"]);
    await rows.insertOne({ _id: "a" });
    expect(meter.take().counts).toEqual({ documents: 0, commands: 0, bytes: 0, hops: 0 });
    await Promise.all([
      rows.insertOne({ _id: "b" }),
      rows.updateOne({ _id: "a" }, { $set: { colour: "red" } }),
    ]);
    expect(meter.take().counts).toMatchObject({ documents: 1, commands: 1 });
  });
});
