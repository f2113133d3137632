import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { Party_Type } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  AlertState,
  type Case,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { openPdf } from "@disburse/statement-formats/pdf-page.ts";
import { printableName } from "@disburse/statement-formats/printable.ts";

type Pair = readonly [name: string, value: string];

/** Renders a case for people. The complete JSON document is attached. */
export async function casePdf(whole: Case, json: string): Promise<Buffer> {
  const page = await openPdf("Sanctions alert: case");
  const fields = (pairs: readonly Pair[]) => page.fields(pairs.filter(([, value]) => value !== ""));
  fields(alertFields(whole));
  page.heading("Party");
  fields(partyFields(whole));
  page.heading("Listed entry");
  fields(entryFields(whole));
  page.heading("Score");
  await page.table(
    reasonColumns,
    (whole.alert?.hit?.reasons ?? []).map(({ kind, text, effect }) => [kind, text, number(effect)]),
  );
  await page.table(
    partColumns,
    (whole.alert?.hit?.parts ?? []).map(({ party, entry, similarity, weight }) => [
      ...[party, entry, number(similarity), number(weight)],
    ]),
  );
  page.heading("Comments and decisions");
  await page.table(
    historyColumns,
    whole.entries.map(({ createdAt, actor, action, detail, sequence }) => [
      ...[timeText(createdAt), actor?.id ?? "", action.replace("alert.", "")],
      ...[detail, String(sequence)],
    ]),
  );
  page.heading("Files");
  await page.table(
    fileColumns,
    whole.files.map(({ name, mediaType, size, addedBy, createdAt, sha256 }) => [
      ...[name, `${mediaType}, ${size} bytes`, addedBy?.id ?? "", timeText(createdAt), sha256],
    ]),
  );
  page.heading("Payouts held");
  await page.table(
    heldColumns,
    whole.heldPayouts.map(({ payoutId, amount, currencyCode, subStatus, createdAt }) => [
      ...[payoutId, enumName(PayoutSubStatus, subStatus) ?? "", timeText(createdAt)],
      `${amount} ${currencyCode}`,
    ]),
  );
  const sums = whole.heldSums.map(({ amount, currencyCode }) => `${amount} ${currencyCode}`);
  page.text(sums.length === 0 ? "No payout is held." : `Together: ${sums.join(", ")}.`);
  if (whole.heldPayoutsCut) {
    page.text("The record has more payouts than were read, so this list may be incomplete.");
  }
  page.text("The file case.json is attached. It has all data of this case.");
  page.attach("case.json", json);
  return page.end();
}

const reasonColumns = [
  { title: "Part", share: 0.15 },
  { title: "Reason", share: 0.7 },
  { title: "Effect", share: 0.15, isNumber: true },
];
const partColumns = [
  { title: "Word of the party", share: 0.35 },
  { title: "Word of the entry", share: 0.35 },
  { title: "Similarity", share: 0.15, isNumber: true },
  { title: "Weight", share: 0.15, isNumber: true },
];
const historyColumns = [
  { title: "Time (UTC)", share: 0.16 },
  { title: "Person", share: 0.14 },
  { title: "Action", share: 0.14 },
  { title: "Text", share: 0.46 },
  { title: "Entry", share: 0.1, isNumber: true },
];
const fileColumns = [
  { title: "Name", share: 0.2 },
  { title: "Type", share: 0.18 },
  { title: "Added by", share: 0.12 },
  { title: "Time (UTC)", share: 0.16 },
  { title: "SHA-256", share: 0.34 },
];
const heldColumns = [
  { title: "Payout", share: 0.35 },
  { title: "State", share: 0.2 },
  { title: "Created (UTC)", share: 0.2 },
  { title: "Amount", share: 0.25, isNumber: true },
];

function alertFields({ alert, exportedAt, exportedBy, screening, listVersion }: Case): Pair[] {
  return [
    ["Alert", alert?.id ?? ""],
    ["State", enumName(AlertState, alert?.state ?? AlertState.UNSPECIFIED) ?? ""],
    ["Reason", alert?.reason ?? ""],
    ["Decided by", alert?.decidedBy?.id ?? ""],
    ["Confirmed by", alert?.confirmedBy?.id ?? ""],
    ["Assigned to", alert?.assignee ?? ""],
    ["Found", timeText(alert?.createdAt)],
    ["Waiting since", timeText(alert?.waitingSince)],
    ["Due", timeText(alert?.dueAt)],
    ["Score", number(alert?.hit?.score ?? 0)],
    ["Screening", alert?.screeningId ?? ""],
    ["Screened", timeText(screening?.createdAt)],
    ["List", [listVersion?.list, listVersion?.version].filter(Boolean).join(" ")],
    ["Checksum of the list", listVersion?.checksum ?? ""],
    ["Exported", `${timeText(exportedAt)} by ${exportedBy?.id ?? "a service"}`],
  ];
}

function partyFields({ alert, screening }: Case): Pair[] {
  const party = screening?.parties[alert?.hit?.subjectIndex ?? -1];
  return [
    ["Name", printableName(alert?.partyName ?? "", "")],
    ["Type", party === undefined ? "" : (enumName(Party_Type, party.type) ?? "")],
    ["Birth or incorporation", party?.date ?? ""],
    ["Countries", party?.countries.join(", ") ?? ""],
    [
      "Documents",
      party?.documents.map((each) => `${each.number} ${each.country}`).join("; ") ?? "",
    ],
    ["Record", alert?.subject?.recordId ?? ""],
    ["Merchant", alert?.subject?.merchantId ?? ""],
  ];
}

function entryFields({ alert, entry }: Case): Pair[] {
  const named = (kind: string) =>
    (entry?.names ?? []).flatMap((each) => (each.kind === kind ? [each.name] : []));
  return [
    ["Matched name", printableName(alert?.hit?.matchedName ?? "", "")],
    ["Primary name", named("primary").join("; ")],
    ["Aliases", [...named("alias"), ...named("weak")].join("; ")],
    ["Entry", [alert?.hit?.list, alert?.hit?.entryUid].filter(Boolean).join(" ")],
    ["Type", alert?.hit?.entryType ?? ""],
    ["Publisher", alert?.hit?.source ?? ""],
    ["Born or incorporated", entry?.births.join(", ") ?? ""],
    ["Countries", entry?.countries.join(", ") ?? ""],
    ["Documents", entry?.documents.map((each) => `${each.type} ${each.number}`).join("; ") ?? ""],
    ["Wallets", entry?.wallets.map((each) => each.address).join("; ") ?? ""],
    ["Programmes", entry?.programs.join(", ") ?? ""],
  ];
}

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const { format: number } = new Intl.NumberFormat("en", decimals);

function timeText(at: Timestamp | undefined): string {
  return at === undefined ? "" : timestampDate(at).toISOString().slice(0, 19).replace("T", " ");
}
