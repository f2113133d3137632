import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ArchivedFilter,
  BeneficiaryKind,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creatorOn, example, merchantId, refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";

let service: TestService;
/** Newest first. Only the first two of each kind share a creation time. */
const created: Record<"beneficiaries" | "depositors", string[]> = {
  beneficiaries: [],
  depositors: [],
};
const foreign = "mer_globex";

beforeAll(async () => {
  service = await startTestService();
  const { compliance, clock, rpc } = service;
  const create = creatorOn(service);
  for (const merchant of [merchantId, foreign]) await create.permit(merchant, true);
  const company = example(cryptoBeneficiary, 1);
  const keep = async (kind: keyof typeof created, id: Promise<string>, moveMs = 1_000) => {
    created[kind] = [await id, ...created[kind]];
    clock.moveMs(moveMs);
  };
  await keep("beneficiaries", create.crypto(), 0);
  await keep("beneficiaries", create.fiat());
  created.beneficiaries.sort().reverse();
  await keep("beneficiaries", create.crypto(company));
  compliance.party = Verdict.BLOCK;
  await keep("beneficiaries", create.fiat({}, {}, 1));
  compliance.party = Verdict.CLEAR;
  await keep("beneficiaries", create.crypto({ destination_currency: "USDT_ETH" }));
  const [beneficiaryId = ""] = created.beneficiaries;
  await rpc.archiveBeneficiary({ mutation: mutation(), merchantId, beneficiaryId });
  await keep("depositors", create.depositor(0), 0);
  await keep("depositors", create.depositor(1));
  created.depositors.sort().reverse();
  await keep("depositors", create.depositor(2));
  compliance.party = Verdict.REVIEW;
  await keep("depositors", create.depositor(1));
  compliance.party = Verdict.CLEAR;
  await create.crypto({}, { merchantId: foreign });
  await create.depositor(0, {}, { merchantId: foreign });
});
afterAll(() => service.stop());

type Shown = { ids: string[]; nextCursor: string; totalCount: number };

/** Lists either kind with the same parameters. */
const lists = {
  beneficiaries: async (request: object = {}): Promise<Shown> => {
    const { rpc } = service;
    const { beneficiaries, totalCount, ...rest } = await rpc.listBeneficiaries({
      merchantId,
      ...request,
    });
    return { ...rest, ids: beneficiaries.map(({ id }) => id), totalCount: Number(totalCount) };
  },
  depositors: async (request: object = {}): Promise<Shown> => {
    const { rpc } = service;
    const { depositors, totalCount, ...rest } = await rpc.listDepositors({
      merchantId,
      ...request,
    });
    return { ...rest, ids: depositors.map(({ id }) => id), totalCount: Number(totalCount) };
  },
};
const kinds = ["beneficiaries", "depositors"] as const;

describe.each(kinds)("a list of %s", (kind) => {
  const list = lists[kind];
  const everything = kind === "beneficiaries" ? { archived: ArchivedFilter.ANY } : {};

  it.each([1, 2, 3])("goes through all pages of %i once, newest first", async (limit) => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await list({ ...everything, limit, cursor });
      expect(page.totalCount).toBe(created[kind].length);
      seen.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual(created[kind]);
  });

  it("shows no record of another merchant, with any cursor and filter", async () => {
    const { nextCursor } = await list({ ...everything, limit: 1 });
    const foreigners = await list({ ...everything, merchantId: foreign });
    expect(foreigners.ids).toHaveLength(1);
    expect(created[kind]).not.toContain(foreigners.ids[0]);
    for (const request of [{ ...everything, merchantId: "mer_none" }, { merchantId: "" }]) {
      expect(await list({ ...request, cursor: nextCursor })).toMatchObject({
        ids: [],
        totalCount: 0,
      });
    }
    const narrowed =
      kind === "beneficiaries" ? { destinationCurrency: "INR" } : { depositorType: "Corporate" };
    expect((await list(narrowed)).totalCount).toBe(1);
    expect(await list({ ...narrowed, merchantId: foreign })).toMatchObject({
      ids: [],
      totalCount: 0,
    });
  });

  it("includes its start and excludes its end", async () => {
    const at = await createdAt(kind, 1);
    const to = timestampFromDate(new Date(at.getTime() + 1));
    const from = timestampFromDate(at);
    const between = async (bounds: object) => (await list({ ...everything, ...bounds })).ids;
    expect(await between({ createdFrom: from, createdTo: to })).toEqual([created[kind][1]]);
    expect(await between({ createdFrom: from })).toEqual(created[kind].slice(0, 2));
    expect(await between({ createdTo: from })).toEqual(created[kind].slice(2));
    expect(await between({ createdFrom: to, createdTo: from })).toEqual([]);
  });

  it.each([
    [{ limit: 101 }, "limit: must be between 1 and 100"],
    [{ limit: -1 }, "limit: must be between 1 and 100"],
    [{ cursor: "junk" }, "cursor: must be one that a list returned"],
    [
      kind === "beneficiaries" ? { accountType: "Person" } : { depositorType: "Person" },
      `${kind === "beneficiaries" ? "account" : "depositor"}_type: must be one of the defined values`,
    ],
  ])("refuses %j", async (request, message) => {
    expect(await refusalOf(list(request))).toEqual({ code: "INVALID_REQUEST", message });
  });
});

async function createdAt(kind: (typeof kinds)[number], place: number): Promise<Date> {
  const { rpc } = service;
  const [beneficiary, depositor] = await Promise.all([
    rpc.listBeneficiaries({ merchantId, archived: ArchivedFilter.ANY }),
    rpc.listDepositors({ merchantId }),
  ]);
  const records = kind === "beneficiaries" ? beneficiary.beneficiaries : depositor.depositors;
  const at = records[place]?.createdAt;
  if (at === undefined) throw new Error("no such record");
  return timestampDate(at);
}

/** Returns the positions of the listed records in the creation order, newest first. */
async function places(kind: (typeof kinds)[number], request: object): Promise<number[]> {
  const { ids, totalCount } = await lists[kind](request);
  expect(totalCount).toBe(ids.length);
  return ids.map((id) => created[kind].indexOf(id));
}

it.each<[object, number[]]>([
  [{}, [1, 2, 3, 4]],
  [{ archived: ArchivedFilter.EXCLUDED }, [1, 2, 3, 4]],
  [{ archived: ArchivedFilter.ONLY }, [0]],
  [{ archived: ArchivedFilter.ANY }, [0, 1, 2, 3, 4]],
  [{ screeningStatus: ScreeningStatus.BLOCKED }, [1]],
  [{ screeningStatus: ScreeningStatus.PENDING }, []],
  [{ destinationCurrency: "INR" }, [1]],
  [{ destinationCurrency: "USDT_ETH" }, []],
  [{ destinationCurrency: "USDT_ETH", archived: ArchivedFilter.ONLY }, [0]],
  [{ accountType: "Corporate" }, [2]],
  [
    { kind: BeneficiaryKind.CRYPTO, accountType: "Corporate", destinationCurrency: "USDC_ETH" },
    [2],
  ],
  [{ kind: BeneficiaryKind.FIAT, accountType: "Corporate" }, []],
  [{ kind: BeneficiaryKind.FIAT, screeningStatus: ScreeningStatus.BLOCKED }, [1]],
  [{ kind: BeneficiaryKind.CRYPTO, destinationCurrency: "INR" }, []],
])("beneficiaries by %j are %j", async (request, left) => {
  expect(await places("beneficiaries", request)).toEqual(left);
});

it.each<[object, number[]]>([
  [{ status: DepositorStatus.REVIEW }, [0]],
  [{ depositorType: "Corporate" }, [1]],
  [{ depositorType: "Individual", status: DepositorStatus.REVIEW }, [0]],
  [{ depositorType: "Corporate", status: DepositorStatus.REVIEW }, []],
  [{ status: DepositorStatus.WHITELISTED }, [1, 2, 3]],
])("depositors by %j are %j", async (request, left) => {
  expect(await places("depositors", request)).toEqual(left);
});

it("shows each record like a read of the record", async () => {
  const { rpc } = service;
  const { beneficiaries } = await rpc.listBeneficiaries({ merchantId });
  const { depositors } = await rpc.listDepositors({ merchantId });
  for (const listed of beneficiaries) {
    const { beneficiary } = await rpc.getBeneficiary({ merchantId, beneficiaryId: listed.id });
    expect(listed).toEqual(beneficiary);
  }
  for (const listed of depositors) {
    const { depositor } = await rpc.getDepositor({ merchantId, depositorId: listed.id });
    expect(listed).toEqual(depositor);
  }
});
