import type { Revocation } from "@disburse/sdk/gen/types.ts";
import { pathOf } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { Modal } from "../../ui/dialog.tsx";
import { FormButton } from "../../ui/form-button.tsx";

const words = t.team.revocation;
const foundTexts: Readonly<Record<string, string>> = words.found;
const kinds = ["scheduled_payouts", "batches", "keys", "endpoints", "members"] as const;

/**
 * Revokes a key or removes a member, and asks what to do with unpaid orders. Shows the affected
 * records.
 */
export function RevokeButton(props: {
  path: string;
  id: string;
  label: string;
  text: string;
  isOffered: boolean;
}) {
  const { path, id, ...button } = props;
  return (
    <FormButton
      {...button}
      initial={{ orders: "hold" }}
      fields={[{ name: "orders", label: words.choice, options: Object.entries(words.orders) }]}
      send={(query) => send<{ revocation: Revocation }>("DELETE", pathOf({ path }, id), { query })}
      shown={({ revocation }, close) => (
        <Modal title={words.title} text={foundTexts[revocation.orders]} isOpen onOpenChange={close}>
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
        </Modal>
      )}
    />
  );
}
