import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type CreateKeyResponse,
  KeySchema,
  ListKeysResponseSchema,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { createKey } from "@disburse/forms/bodies/team.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import { scopesToGive } from "../keys/rules/key.ts";
import * as f from "../openapi/fields.ts";
import { get, post, type Resource, remove } from "../openapi/operation.ts";
import { soundBody, textOf, textsOf } from "./own-body.ts";

const described = f.fields(KeySchema, {
  id: f.text("Key id: its public part, which logs show.", "a1B2c3D4"),
  description: f.text("Your note; empty if none was given.", "Payroll server"),
  scopes: f.listOf("What it may do.", f.text("A scope.", "payout:read")),
  source_cidrs: f.listOf(
    "Where it may be used from; empty: anywhere.",
    f.text("An address or a network.", "203.0.113.0/24"),
  ),
  created_at: f.moment("When it was created."),
  expires_at: f.momentOrNone("When it ends; empty if it does not."),
  revoked_at: f.momentOrNone("When it was revoked; empty otherwise."),
  root_id: f.text(
    "The key or member that it counts as one actor with: neither approves what the other made.",
    "mem_01hqz0000000000000000000ab",
  ),
});

const key = f.component("ApiKey", "An API key, without its secret part.", described);

const keyWithSecret = f.component<Pick<CreateKeyResponse, "key" | "secret">>(
  "ApiKeyWithSecret",
  "An API key with its text, which is shown only here.",
  {
    ...f.within(({ key }) => key, described),
    secret: f.from(
      ({ secret }: Pick<CreateKeyResponse, "secret">) => secret,
      f.text("The key: what `Authorization: Bearer` carries.", "dsb_test_…"),
    ),
  },
);

const keyList = f.record(ListKeysResponseSchema, "ApiKeyList", "Your API keys.", {
  keys: f.listOf("Oldest first, those that were revoked too.", f.ref(key)),
});

const path = "/api/v1/keys";

/** A merchant's own API keys. */
export const apiKeys: Resource = {
  scope: "key",
  tag: "API keys",
  components: [key, keyWithSecret, keyList],
  operations: [
    get("listKeys", path, {
      summary: "List API keys",
      description: "Your keys, without their secret parts.",
      data: keyList,
      answer: ({ request }, { keys }) => keys.listKeys(request),
    }),
    post("createKey", path, {
      summary: "Create API key",
      description:
        "The response contains the key, which is not shown again. You can give only scopes that you have yourself.",
      body: { form: createKey },
      data: keyWithSecret,
      needsFreshSignIn: true,
      refusals: ["ACCESS_FORBIDDEN"],
      answer: async (call, { keys }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const scopes = textsOf(values, "scopes");
        const refusal = scopesToGive(call.scopes, scopes);
        if (refusal !== undefined) return refusal;
        const expiry = parseMoment(textOf(values, "expires_at"));
        return keys.createKey({
          ...call.change,
          scopes,
          sourceCidrs: textsOf(values, "source_cidrs"),
          description: textOf(values, "description"),
          ...(expiry && { expiresAt: timestampFromDate(expiry) }),
        });
      },
    }),
    remove("revokeKey", `${path}/:keyId`, {
      summary: "Revoke API key",
      description: "It stops working everywhere within 5 s, and stays in the list.",
      data: key,
      answer: async ({ change }, { keys }) => {
        const { merchantId, keyId, mutation } = change;
        // The RPC is an operator's, who may revoke any key.
        const own = await keys.listKeys({ merchantId });
        if (!own.keys.some(({ id }) => id === keyId)) return refused("RECORD_NOT_FOUND");
        return (await keys.revokeKey({ keyId, mutation })).key;
      },
    }),
  ],
};
