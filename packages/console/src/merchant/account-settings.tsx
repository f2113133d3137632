import type { Account } from "@disburse/sdk/gen/types.ts";
import { accounts } from "../api/lists.ts";
import { pathOf } from "../api/pages.ts";
import { post, send } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { FormButton } from "../ui/form-button.tsx";
import { isZero } from "../ui/rules/amounts.ts";

const words = t.shell.accountSettings;

/** Names an account, sets its threshold, and closes it if it has no money. */
export function AccountSettings({ account }: { account: Account }) {
  const { available, currency_code: currency, closed_at: closedAt } = account;
  const path = pathOf(accounts, account.id);
  return (
    <>
      <FormButton
        label={words.change}
        text={words.text}
        kind="plain"
        initial={{
          name: account.name,
          low_balance_threshold: account.low_balance_threshold ?? "",
        }}
        fields={[
          { name: "name", label: words.name, maxLength: 100 },
          {
            name: "low_balance_threshold",
            label: words.threshold({ currency }),
            inputMode: "decimal",
          },
        ]}
        isReady={(_, changed) => Object.keys(changed).length > 0}
        send={(_, idempotencyKey, body) => send("PATCH", path, { body, idempotencyKey })}
      />
      {closedAt === "" && isZero(available) ? (
        <ConfirmButton
          label={words.close}
          text={words.closeText}
          confirm={(key) => post(`${path}/close`, {}, key)}
        />
      ) : null}
    </>
  );
}
