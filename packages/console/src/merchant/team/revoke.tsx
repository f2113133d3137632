import type { Revocation } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";

const words = t.team.revocation;
const choices = Object.entries(words.orders);
const foundTexts: Readonly<Record<string, string>> = words.found;
const kinds = ["scheduled_payouts", "batches", "keys", "endpoints", "members"] as const;

/**
 * Revokes a key or removes a member, and asks what to do with unpaid orders. Shows the affected
 * records. When the person closes the result, reloads the list.
 */
export function RevokeButton(props: { path: string; id: string; label: string; text: string }) {
  const { path, id, label, text } = props;
  const client = useQueryClient();
  const [orders, setOrders] = useState("hold");
  const [found, setFound] = useState<Revocation>();
  return (
    <>
      <ConfirmButton
        label={label}
        text={text}
        confirm={async () => {
          const own = `${path}/${encodeURIComponent(id)}?orders=${orders}`;
          const { revocation } = await send<{ revocation: Revocation }>("DELETE", own);
          setFound(revocation);
        }}
      >
        <SelectField label={words.choice} value={orders} onChange={setOrders} options={choices} />
      </ConfirmButton>
      <Modal
        title={words.title}
        text={found === undefined ? "" : foundTexts[found.orders]}
        isOpen={found !== undefined}
        onOpenChange={() => {
          setFound(undefined);
          // Reload the list only after the person has seen the result, because reloading removes
          // this row.
          void client.invalidateQueries({ queryKey: [path] });
        }}
      >
        {found === undefined ? null : <Found revocation={found} />}
      </Modal>
    </>
  );
}

function Found({ revocation }: { revocation: Revocation }) {
  return (
    <dl>
      {kinds.map((kind) => (
        <div key={kind}>
          <dt>
            {words.kinds[kind]}: {revocation[kind].count}
          </dt>
          {revocation[kind].ids.map((each) => (
            <dd key={each} className="mono break">
              {each}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
