import { inflateSync } from "node:zlib";
import {
  AlertState,
  Decision,
  ExportAlertRequest_Format as Format,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  hitOf,
  officer,
  party,
  requestOf,
  subjectOf,
  type TestReview,
  testReview,
} from "../test-review.ts";

let review: TestReview;
beforeAll(async () => {
  review = await testReview();
});
afterAll(() => review.end());

const reason = "born forty years apart, other passport";

async function alerted(uid = "7", subject = subjectOf(), name = "Orlan Vessik") {
  const { hits } = await review.screen(subject, [hitOf(uid)], requestOf(name));
  return hits[0]?.alertId ?? "";
}

const get = (alertId: string) => review.rpc.getAlert({ alertId });
const file = (alertId: string, operationId?: string, content = "a,b\n1,2\n", name = "ids.csv") =>
  review.rpc.addAlertFile({
    ...officer("ada", operationId),
    ...{ alertId, name, content: Buffer.from(content) },
  });

describe("a comment", () => {
  const comment = (alertId: string, text: string, operationId?: string) =>
    review.rpc.commentAlert({ ...officer("ada", operationId), alertId, comment: text });

  it("is in the history once, decides nothing, and may follow a decision", async () => {
    const alertId = await alerted();
    await comment(alertId, " asked the bank\r\nfor the passport ", "one");
    await comment(alertId, "asked the bank\nfor the passport", "one");
    const decided = { alertId, decision: Decision.FALSE_POSITIVE, reason };
    await review.rpc.decideAlert({ ...officer("ada"), ...decided });
    await comment(alertId, "filed");
    const { alert, entries } = await get(alertId);
    expect(alert?.state).toBe(AlertState.FALSE_POSITIVE);
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ["alert.commented", "asked the bank\nfor the passport"],
      ["alert.false_positive", reason],
      ["alert.commented", "filed"],
    ]);
    expect(entries[0]?.actor?.id).toBe("ada");
  });

  it("of another content under the same operation is refused", async () => {
    const alertId = await alerted();
    await comment(alertId, "one", "same-operation");
    await expect(comment(alertId, "two", "same-operation")).rejects.toThrow("other content");
  });

  it.each(["", " \n ", "a".repeat(2_001), "a\u0007b", "a\u202eb"])(
    "%j is refused",
    async (text) => {
      const alertId = await alerted();
      await expect(comment(alertId, text)).rejects.toThrow("comment: must be 1 to 2000");
      expect((await get(alertId)).entries).toEqual([]);
    },
  );
});

describe("a file", () => {
  it("is added once, with its hash in the history, and read as it was", async () => {
    const alertId = await alerted();
    const { file: first } = await file(alertId, "upload");
    expect((await file(alertId, "upload")).file).toEqual(first);
    const { files, entries } = await get(alertId);
    expect(files).toEqual([first]);
    expect(first).toMatchObject({ name: "ids.csv", mediaType: "text/plain", size: 8 });
    expect(entries).toHaveLength(1);
    expect(entries[0]?.detail).toBe(`ids.csv (${first?.id}, SHA-256 ${first?.sha256})`);
    const read = await review.rpc.getAlertFile({ fileId: first?.id ?? "" });
    expect(Buffer.from(read.content).toString()).toBe("a,b\n1,2\n");
    await expect(file(alertId, "upload", "other text")).rejects.toThrow("other content");
    await expect(file(await alerted("8"), "upload")).rejects.toThrow("other content");
  });

  it("that was not added completely is not found", async () => {
    const alertId = await alerted();
    const { file: added } = await file(alertId);
    const alerts = review.database.db.collection<{ _id: string }>("alerts");
    await alerts.updateOne({ _id: alertId }, { $set: { files: [] } });
    const fileId = added?.id ?? "";
    await expect(review.rpc.getAlertFile({ fileId })).rejects.toThrow("not_found");
    await expect(review.rpc.getAlertFile({ fileId: "fil_none" })).rejects.toThrow("not_found");
  });

  it("is refused if the alert has 20, if it is of another type, or without an alert", async () => {
    const alertId = await alerted();
    for (let at = 0; at < 20; at += 1) await file(alertId, `many-${at}`);
    await expect(file(alertId)).rejects.toThrow("has 20 files already");
    // A repeat is not another file.
    await file(alertId, "many-19");
    await expect(file(alertId, undefined, "\0")).rejects.toThrow("content: must be of type");
    await expect(file("alr_none")).rejects.toThrow("not_found");
    expect((await get(alertId)).files).toHaveLength(20);
  });
});

describe("related alerts", () => {
  it("are those of the same record, of the same party of any merchant, and of the same entry", async () => {
    const subject = subjectOf();
    const parties = [party("Tamsin Oake"), party("Ruvo Belltrame")];
    const hits = [hitOf("100"), hitOf("101", { subjectIndex: 1 })];
    const found = await review.screen(subject, hits, { parties, wallets: [] });
    const [own = "", sameRecord = ""] = found.hits.map(({ alertId }) => alertId);
    const elsewhere = { merchantId: "mer_9", recordId: subjectOf().recordId };
    const sameParty = await alerted("102", elsewhere, "Tamsin  OAKE");
    const sameEntry = await alerted("100", subjectOf(), "T. Oake");
    const decided = await alerted("100", subjectOf(), "Tam Oake");
    const clearing = { alertId: decided, decision: Decision.FALSE_POSITIVE, reason };
    await review.rpc.decideAlert({ ...officer("ada"), ...clearing });
    await alerted("103", subjectOf(), "Somebody Else");
    const { related } = await get(own);
    expect(related.map(({ id }) => id)).toEqual([sameRecord, sameParty, sameEntry]);
    expect(related.map(({ partyName }) => partyName)).toEqual([
      ...["Ruvo Belltrame", "Tamsin  OAKE", "T. Oake"],
    ]);
  });
});

describe("the queue", () => {
  const merchantId = "mer_queue";
  const ids: string[] = [];
  beforeAll(async () => {
    for (const [at, score] of [0.7, 0.9, 0.8].entries()) {
      const subject = { merchantId, recordId: subjectOf().recordId };
      const hit = hitOf(`q${at}`, { score, list: at === 1 ? "other" : "invented" });
      ids.push((await review.screen(subject, [hit])).hits[0]?.alertId ?? "");
    }
  });

  const listed = async (filter: object) =>
    (await review.rpc.listAlerts({ merchantId, ...filter })).alerts.map(({ id }) => id);

  it("filters by list and by score", async () => {
    expect(await listed({ list: "invented" })).toEqual([ids[0], ids[2]]);
    expect(await listed({ scoreFrom: 0.8 })).toEqual([ids[1], ids[2]]);
    expect(await listed({ scoreFrom: 0.8, list: "invented" })).toEqual([ids[2]]);
    await expect(listed({ scoreFrom: 1.1 })).rejects.toThrow("score_from: must be between");
    await expect(listed({ scoreFrom: Number.NaN })).rejects.toThrow("score_from: must be between");
  });

  it("has the alert before and after another one, in its order and with its filters", async () => {
    const beside = async (at: number, filter: object = {}) => {
      const list = { merchantId, ...filter };
      const found = await review.rpc.getAdjacentAlerts({ alertId: ids[at] ?? "", list });
      return [found.previousAlertId, found.nextAlertId];
    };
    expect(await beside(0)).toEqual(["", ids[1]]);
    expect(await beside(1)).toEqual([ids[0], ids[2]]);
    expect(await beside(2)).toEqual([ids[1], ""]);
    expect(await beside(1, { list: "invented" })).toEqual([ids[0], ids[2]]);
    expect(await beside(2, { list: "invented" })).toEqual([ids[0], ""]);
  });

  it("shows the party's name, and the deadline by verdict until a decision", async () => {
    const subject = subjectOf();
    const hits = [hitOf("200"), hitOf("201", { verdict: "block" })];
    const found = await review.screen(subject, hits);
    const { alerts } = await review.rpc.listAlerts({ recordId: subject.recordId });
    const hours = alerts.map(({ dueAt, waitingSince }) => {
      return Number((dueAt?.seconds ?? 0n) - (waitingSince?.seconds ?? 0n)) / 3_600;
    });
    expect(hours.toSorted()).toEqual([24, 72]);
    expect(alerts.map(({ partyName }) => partyName)).toEqual(["Orlan Vessik", "Orlan Vessik"]);
    const alertId = found.hits[0]?.alertId ?? "";
    const clearing = { alertId, decision: Decision.FALSE_POSITIVE, reason };
    const { alert } = await review.rpc.decideAlert({ ...officer("ada"), ...clearing });
    expect(alert?.dueAt).toBeUndefined();
  });
});

describe("an export", () => {
  async function wholeCase() {
    const alertId = await alerted("300", subjectOf(), "Щеглова Юлия");
    await review.rpc.commentAlert({ ...officer("eve"), alertId, comment: "asked the bank" });
    await file(alertId);
    await review.trueMatch(alertId, reason);
    review.held.payouts = [{ payoutId: "po_1", amount: "12.50", currencyCode: "USD" }];
    return alertId;
  }

  it("as JSON has the whole case", async () => {
    const alertId = await wholeCase();
    const exported = await review.rpc.exportAlert({ alertId, format: Format.JSON });
    expect(exported).toMatchObject({
      ...{ name: `case-${alertId}.json`, mediaType: "application/json" },
    });
    const document = JSON.parse(Buffer.from(exported.content).toString());
    const { files } = await get(alertId);
    expect(document).toMatchObject({
      exported_by: { id: "test" },
      alert: {
        ...{ id: alertId, state: "ALERT_STATE_TRUE_MATCH", reason, party_name: "Щеглова Юлия" },
        ...{ decided_by: { id: "ada" }, confirmed_by: { id: "bob" } },
        hit: { score: 0.9, reasons: [{ text: "orlan is written so in both" }] },
      },
      screening: { parties: [{ name: "Щеглова Юлия" }], configuration_version: "c1" },
      entries: [
        { action: "alert.commented", detail: "asked the bank", actor: { id: "eve" } },
        { action: "alert.file_added" },
        { action: "alert.true_match" },
      ],
      files: [{ name: "ids.csv", sha256: files[0]?.sha256 }],
      held_payouts: [{ payout_id: "po_1", amount: "12.50", currency_code: "USD" }],
      held_payouts_cut: false,
    });
  });

  it("as PDF has the JSON document attached", async () => {
    const alertId = await wholeCase();
    const { name, mediaType, content } = await review.rpc.exportAlert({
      ...{ alertId, format: Format.PDF },
    });
    expect([name, mediaType]).toEqual([`case-${alertId}.pdf`, "application/pdf"]);
    const pdf = Buffer.from(content);
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(streamsOf(pdf).some((text) => text.includes('"party_name": "Щеглова Юлия"'))).toBe(true);
  });

  it("needs a format and an alert", async () => {
    const alertId = await alerted("301");
    await expect(review.rpc.exportAlert({ alertId })).rejects.toThrow("format: is required");
    const none = review.rpc.exportAlert({ alertId: "alr_none", format: Format.JSON });
    await expect(none).rejects.toThrow("not_found");
  });
});

/** The texts of a PDF's compressed streams. */
function streamsOf(pdf: Buffer): string[] {
  const texts: string[] = [];
  for (let at = pdf.indexOf("stream\n"); at !== -1; at = pdf.indexOf("stream\n", at + 1)) {
    try {
      texts.push(inflateSync(pdf.subarray(at + 7), { finishFlush: 2 }).toString());
    } catch {
      // A stream of another kind.
    }
  }
  return texts;
}
