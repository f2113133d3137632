import {
  BeneficiaryKind,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { describe, expect, it } from "vitest";
import { times, useCalls, wireTimes } from "./test-calls.ts";

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
    expect(calls.asked()[0]).toMatchObject({
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
    expect(calls.asked()[0]).toMatchObject({
      fields: { depositorRelation: "external", depositorDetails: { address: { city: "Pune" } } },
      unreadable: [{ field: "company_owner_details[0].documents.document_type" }],
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
    });
    const depositor = { id: "dep_1", status: DepositorStatus.WHITELISTED, ...times };
    calls.fakes().beneficiary.getDepositor = calls.replying({
      depositor: { ...depositor, fields: { depositorDetails: { address: { city: "Pune" } } } },
    });
    expect(await calls.data({ path: "/api/v1/depositor/dep_1" })).toEqual({
      ...{ id: "dep_1", status: "whitelisted", ...wireTimes },
      depositor_details: { address: { city: "Pune" } },
    });
    expect(calls.asked()).toMatchObject([
      { merchantId: calls.merchantId(), beneficiaryId: "ben_1" },
      { merchantId: calls.merchantId(), depositorId: "dep_1" },
    ]);
  });
});
