import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ArchivedFilter,
  BeneficiaryKind,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { describe, expect, it } from "vitest";
import { at, times, useCalls, wireTimes } from "../test-calls.ts";

const calls = useCalls();

describe("beneficiaries and depositors", () => {
  it.each([
    ["crypto/beneficiary", "createCryptoBeneficiary"],
    ["fiat/beneficiary", "createFiatBeneficiary"],
  ] as const)("%s is created by its owner", async (path, rpc) => {
    calls.fakes().beneficiary[rpc] = calls.replying({ beneficiaryId: "ben_1" });
    const body = '{"beneficiary_name":"Jane","beneficiary_city":[],"unknown":{"a":1}}';
    const answer = await calls.data({ path: `/api/v1/transfer/${path}`, body });
    expect(answer).toEqual({ beneficiary_id: "ben_1" });
    expect(calls.requests()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      fields: { beneficiaryName: "Jane", beneficiaryCity: "" },
      unreadable: [{ field: "beneficiary_city", problem: "must be a string" }],
    });
  });

  it("a depositor is created with its nested fields", async () => {
    calls.fakes().beneficiary.createDepositor = calls.replying({ depositorId: "dep_1" });
    const body =
      '{"depositor_relation":"external","depositor_details":{"address":{"city":"Pune"}},' +
      '"company_owner_details":[{"documents":{"document_type":5}}]}';
    expect(await calls.data({ path: "/api/v1/depositor", body })).toEqual({ id: "dep_1" });
    expect(calls.requests()[0]).toMatchObject({
      fields: { depositorRelation: "external", depositorDetails: { address: { city: "Pune" } } },
      unreadable: [{ field: "company_owner_details[0].documents.document_type" }],
    });
  });

  it("say where their payment method cannot carry them, and why", async () => {
    const unpayableReason = "beneficiary_city: must be at most 35 characters over SWIFT";
    const beneficiary = {
      id: "ben_1",
      kind: BeneficiaryKind.FIAT,
      transferMethod: "SWIFT",
      unpayableReason,
      screeningStatus: ScreeningStatus.CLEARED,
      ...times,
      fields: { case: "fiat" as const, value: { beneficiarySingleName: true } },
    };
    calls.fakes().beneficiary.getBeneficiary = calls.replying({ beneficiary });
    expect(await calls.data({ path: "/api/v1/transfer/beneficiaries/ben_1" })).toMatchObject({
      payable: false,
      unpayable_reason: unpayableReason,
      beneficiary_single_name: true,
    });
  });

  it("are read as they are stored", async () => {
    const fields = { beneficiaryFirstName: "Jane", beneficiaryAccountNumber: "**7890" };
    calls.fakes().beneficiary.getBeneficiary = calls.replying({
      beneficiary: {
        ...{ id: "ben_1", kind: BeneficiaryKind.FIAT, name: "Jane Doe", accountType: "Individual" },
        ...{ transferMethod: "SWIFT", accountNumberMasked: "**7890", archived: false, ...times },
        screeningStatus: ScreeningStatus.CLEARED,
        fields: { case: "fiat" as const, value: fields },
      },
    });
    expect(await calls.data({ path: "/api/v1/transfer/beneficiaries/ben_1" })).toEqual({
      ...{ beneficiary_id: "ben_1", beneficiary_type: "fiat", beneficiary_name: "Jane Doe" },
      ...{ beneficiary_first_name: "Jane", beneficiary_account_number: "**7890" },
      ...{ transfer_method: "SWIFT", screening_status: "cleared", archived: false, ...wireTimes },
      payable: true,
      unpayable_reason: "",
    });
    const depositor = { id: "dep_1", status: DepositorStatus.WHITELISTED, ...times };
    calls.fakes().beneficiary.getDepositor = calls.replying({
      depositor: { ...depositor, fields: { depositorDetails: { address: { city: "Pune" } } } },
    });
    expect(await calls.data({ path: "/api/v1/depositor/dep_1" })).toEqual({
      ...{ id: "dep_1", status: "whitelisted", ...wireTimes },
      depositor_details: { address: { city: "Pune" } },
    });
    expect(calls.requests()).toMatchObject([
      { merchantId: calls.merchantId(), beneficiaryId: "ben_1" },
      { merchantId: calls.merchantId(), depositorId: "dep_1" },
    ]);
  });

  it.each([
    ["crypto/beneficiary", "createCryptoBeneficiary"],
    ["fiat/beneficiary", "createFiatBeneficiary"],
  ] as const)("%s is only checked where that is asked", async (path, rpc) => {
    calls.fakes().beneficiary[rpc] = (request) => {
      calls.replying({})(request);
      return { beneficiaryId: request.validateOnly ? "" : "ben_1" };
    };
    const create = `/api/v1/transfer/${path}`;
    const headers = { "idempotency-key": crypto.randomUUID() };
    const post = (at: string) => calls.ask({ path: at, body: "{}", headers });
    // A validation does nothing, so its key stays free.
    expect((await post(`${create}/validate`)).json).toEqual({ data: { valid: true } });
    expect((await post(create)).json).toEqual({ data: { beneficiary_id: "ben_1" } });
    expect((await post(`${create}/validate`)).json).toEqual({ data: { valid: true } });
    expect((await post(create)).headers["idempotent-replayed"]).toBe("true");
    expect(calls.requests().map(({ validateOnly }) => validateOnly)).toEqual([true, false, true]);
  });

  it("are created once under a key", async () => {
    calls.fakes().beneficiary.createFiatBeneficiary = calls.replying({ beneficiaryId: "ben_1" });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const path = "/api/v1/transfer/fiat/beneficiary";
    const post = () => calls.ask({ path, body: "{}", headers });
    const [first, again] = [await post(), await post()];
    expect(again.json).toEqual(first.json);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(calls.requests()).toHaveLength(1);
  });

  it("are listed in pages, narrowed by filters", async () => {
    const { beneficiary } = calls.fakes();
    beneficiary.listBeneficiaries = calls.replying({
      beneficiaries: [{ id: "ben_1", ...times }],
      totalCount: 3n,
      nextCursor: "c2",
    });
    beneficiary.listDepositors = calls.replying({
      depositors: [{ id: "dep_1", fields: {}, ...times }],
      totalCount: 1n,
    });
    const query =
      "limit=1&cursor=c1&beneficiary_type=fiat&beneficiary_account_type=Corporate" +
      "&destination_currency=USD&screening_status=review&archived=any" +
      "&beneficiary_name=Ad%C3%A8le&reference_id=s-1&metadata=team=engine&metadata=a=b" +
      "&created_from=2026-11-01&created_to=2026-11-20T11:26:00.123Z";
    const path = "/api/v1/transfer/beneficiaries";
    expect(await calls.data({ path: `${path}?${query}` })).toMatchObject({
      beneficiaries: [{ beneficiary_id: "ben_1" }],
      meta_data: { total_count: 3, next_cursor: "c2" },
    });
    await calls.data({ path });
    const depositors = "/api/v1/depositors?status=whitelisted&depositor_type=Individual";
    const page = "limit=2&cursor=c9&created_from=2026-11-01&created_to=2026-11-20T11:26:00.123Z";
    expect(await calls.data({ path: `${depositors}&${page}` })).toMatchObject({
      depositors: [{ id: "dep_1" }],
      meta_data: { total_count: 1, next_cursor: "" },
    });
    expect(calls.requests()).toMatchObject([
      {
        merchantId: calls.merchantId(),
        limit: 1,
        cursor: "c1",
        kind: BeneficiaryKind.FIAT,
        accountType: "Corporate",
        destinationCurrency: "USD",
        screeningStatus: ScreeningStatus.REVIEW,
        archived: ArchivedFilter.ANY,
        beneficiaryName: "Adèle",
        referenceId: "s-1",
        metadata: { team: "engine", a: "b" },
        createdFrom: timestampFromDate(new Date("2026-11-01")),
        createdTo: at,
      },
      {
        merchantId: calls.merchantId(),
        limit: 0,
        kind: BeneficiaryKind.UNSPECIFIED,
        archived: ArchivedFilter.UNSPECIFIED,
      },
      {
        merchantId: calls.merchantId(),
        status: DepositorStatus.WHITELISTED,
        depositorType: "Individual",
        limit: 2,
        cursor: "c9",
        createdFrom: timestampFromDate(new Date("2026-11-01")),
        createdTo: at,
      },
    ]);
  });

  it.each([
    ["/api/v1/transfer/beneficiaries?screening_status=fine", "screening_status: must be one of"],
    ["/api/v1/transfer/beneficiaries?archived=1", "archived: must be one of false, true, any"],
    ["/api/v1/transfer/beneficiaries?beneficiary_name=", "beneficiary_name: must be 1 to 255"],
    ["/api/v1/transfer/beneficiaries?metadata=a", "metadata: must be key=value"],
    ["/api/v1/depositors?limit=0", "limit: must be a whole number from 1 to 100"],
    ["/api/v1/transfer/corridors?limit=101", "limit: must be a whole number from 1 to 100"],
    ["/api/v1/transfer/accounts?cursor=a%20b", "cursor: must be one that a list returned"],
    ["/api/v1/webhooks/endpoints?limit=a", "limit: must be a whole number from 1 to 100"],
  ])("%s is refused", async (path, problem) => {
    const { status, json } = await calls.ask({ path });
    expect([status, json]).toMatchObject([
      400,
      { code: "INVALID_REQUEST", message: expect.stringContaining(problem) },
    ]);
  });

  it("are updated by the sent fields alone", async () => {
    const beneficiary = { id: "ben_1", ...times };
    calls.fakes().beneficiary.updateBeneficiary = calls.replying({ beneficiary });
    const path = "/api/v1/transfer/beneficiaries/ben_1";
    const body = '{"beneficiary_alias":"","metadata":{"a":"1"},"beneficiary_email":null}';
    expect(await calls.data({ method: "PATCH", path, body })).toMatchObject({
      beneficiary_id: "ben_1",
    });
    const [request] = calls.requests();
    expect(request).toMatchObject({
      ...{ merchantId: calls.merchantId(), beneficiaryId: "ben_1" },
      ...{ beneficiaryAlias: "", metadata: { a: "1" } },
      mutation: { actor: { id: calls.keyId() } },
    });
    for (const field of ["beneficiaryEmail", "referenceId"]) {
      expect(Object.hasOwn(request ?? {}, field)).toBe(false);
    }
  });

  it("report an earlier one with the same account, if there is one", async () => {
    const { beneficiary } = calls.fakes();
    const path = "/api/v1/transfer/fiat/beneficiary";
    for (const existingBeneficiaryId of ["ben_0", ""]) {
      const response = { beneficiaryId: "ben_1", existingBeneficiaryId };
      beneficiary.createFiatBeneficiary = calls.replying(response);
      expect(await calls.data({ path, body: "{}" })).toEqual({
        beneficiary_id: "ben_1",
        ...(existingBeneficiaryId !== "" && { existing_beneficiary_id: existingBeneficiaryId }),
      });
    }
  });

  it("are archived by the key's merchant", async () => {
    const beneficiary = { id: "ben_1", archived: true, ...times };
    calls.fakes().beneficiary.archiveBeneficiary = calls.replying({ beneficiary });
    const path = "/api/v1/transfer/beneficiaries/ben_1";
    const archived = await calls.data({ method: "DELETE", path });
    expect(archived).toMatchObject({ beneficiary_id: "ben_1", archived: true });
    expect(calls.requests()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      beneficiaryId: "ben_1",
      mutation: { actor: { id: calls.keyId() } },
    });
  });
});
