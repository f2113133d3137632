import type { Account } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accounts } from "../api/lists.ts";
import { send } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { TextField } from "../ui/field.tsx";
import { isZero } from "../ui/rules/amounts.ts";

const words = t.shell.accountSettings;

/** Names an account, sets its threshold, and closes it if it has no money. */
export function AccountSettings({ account }: { account: Account }) {
  const { id, available, currency_code: currency, closed_at: closedAt } = account;
  const own = { name: account.name, low_balance_threshold: account.low_balance_threshold ?? "" };
  const [typed, setTyped] = useState<Partial<typeof own>>({});
  const form = { ...own, ...typed };
  const client = useQueryClient();
  const path = `${accounts.path}/${encodeURIComponent(id)}`;
  const change = async (method: "PATCH" | "POST", ending: string, idempotencyKey: string) => {
    const body = method === "PATCH" ? typed : {};
    await send(method, `${path}${ending}`, { body, idempotencyKey });
    setTyped({});
    await client.invalidateQueries({ queryKey: [accounts.path] });
  };
  const set = (name: keyof typeof own) => (text: string) => setTyped({ ...typed, [name]: text });
  return (
    <>
      <ConfirmButton
        label={words.change}
        text={words.text}
        kind="plain"
        isReady={Object.keys(typed).length > 0}
        confirm={(key) => change("PATCH", "", key)}
      >
        <TextField label={words.name} value={form.name} onChange={set("name")} maxLength={100} />
        <TextField
          label={words.threshold({ currency })}
          value={form.low_balance_threshold}
          onChange={set("low_balance_threshold")}
          inputMode="decimal"
        />
      </ConfirmButton>
      {closedAt === "" && isZero(available) ? (
        <ConfirmButton
          label={words.close}
          text={words.closeText}
          confirm={(key) => change("POST", "/close", key)}
        />
      ) : null}
    </>
  );
}
